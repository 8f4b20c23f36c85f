// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QCoreApplication;

namespace ww::ui {

/// The languages of the window: "en", "zh_CN".
[[nodiscard]] QString resolveLanguage(const QString& wanted);   ///< "" takes the system's; unknown ones are English

/// Installs our translation and Qt's own for `code`; replaces what an earlier call installed. Before any window.
void installLanguage(QCoreApplication& application, const QString& code);

}  // namespace ww::ui
