// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "base/json.h"
#include "base/result.h"

namespace ww::ui {

class MainWindow;

/// Language, theme, size and docks[{objectName, title, visible, items}] of a window: what F.png.json tells.
[[nodiscard]] Json describeWindow(const MainWindow& window, const QString& language);

/// Writes the whole window as a PNG of exactly its size (device pixel ratio 1), and `file`.json beside it.
/// Errors: Unreadable where a file cannot be written.
[[nodiscard]] Result<void> takeScreenshot(MainWindow& window, const QString& file, const QString& language);

}  // namespace ww::ui
