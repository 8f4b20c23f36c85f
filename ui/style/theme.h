// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

class QWidget;

namespace ww::ui {

enum class ThemeChoice { System, Light, Dark };

/// The palette of the cockpit. Colour has meaning: gold = verified best; teal = running, faster, accepted; blue = neutral or
/// undecided; red = failed or wrong. Never the only sign.
struct Theme {
    bool dark = false;
    QColor ground, panel, raised, line, text, secondary, teal, gold, red, blue;

    [[nodiscard]] static const Theme& lightTheme();
    [[nodiscard]] static const Theme& darkTheme();
    /// The theme behind a widget's palette; views ask in paintEvent and on PaletteChange, nothing is cached.
    [[nodiscard]] static const Theme& of(const QPalette& palette);
    [[nodiscard]] static const Theme& of(const QWidget* widget);
};

[[nodiscard]] QPalette paletteFor(const Theme& theme);
[[nodiscard]] QString themeWord(ThemeChoice choice);  ///< "system", "light", "dark"
[[nodiscard]] ThemeChoice themeFrom(const QString& word);

/// Sets style, palette and font of the application; may be called again while windows are open. GUI thread.
void applyTheme(ThemeChoice choice);
/// "light" or "dark": what is shown now.
[[nodiscard]] QString currentThemeWord();

/// Sizes in device-independent pixels at 100 %; Qt scales them.
inline constexpr int kTextPixels = 13;
inline constexpr int kDensePixels = 12;
inline constexpr int kSmallPixels = 11;

[[nodiscard]] QFont uiFont(int pixels = kTextPixels, QFont::Weight weight = QFont::Normal);
/// Monospaced with tabular figures, for numbers and code.
[[nodiscard]] QFont monoFont(int pixels = kDensePixels, QFont::Weight weight = QFont::Normal);

[[nodiscard]] QColor mixed(const QColor& over, const QColor& under, double share);

}  // namespace ww::ui
