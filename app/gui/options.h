// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <optional>

#include "engine/session.h"
#include "style/theme.h"

namespace ww::gui {

/// The command line of the window program (DESIGN.md section 11).
struct Options {
    QString open;                   ///< kernel, spec or folder
    bool start = false;
    QString storedSession;          ///< "last" or an id: look at it instead
    std::optional<QSize> windowSize;
    std::optional<ui::ThemeChoice> theme;
    QString language;               ///< empty: setting, else the system's
    QString screenshot;
    bool quitWhenDone = false;
    bool trialsGiven = false;
    bool deviceGiven = false;
    engine::SessionOptions session;
};

/// What to do after parsing: run, or leave with `exitCode` (help, version, usage).
struct Parsed {
    Options options;
    bool leave = false;
    int exitCode = 0;
};

/// Prints help, version and usage errors itself.
[[nodiscard]] Parsed parseOptions(int argc, char** argv);

}  // namespace ww::gui
