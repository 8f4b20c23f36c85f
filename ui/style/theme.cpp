// SPDX-License-Identifier: GPL-3.0-or-later
#include "style/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QStringBuilder>
#include <QWidget>

#include "style/calm_style.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

/// The faces that are installed, best first. Asked once: listing families takes milliseconds.
QStringList installed(const QStringList& wanted, QFontDatabase::SystemFont fallback) {
    const QStringList all = QFontDatabase::families();
    QStringList found;
    for (const QString& family : wanted) {
        if (all.contains(family)) found.append(family);
    }
    if (found.isEmpty()) found.append(QFontDatabase::systemFont(fallback).family());
    // Han glyphs: without a name the system may pick Japanese forms.
    for (const QString& han : {u"Noto Sans CJK SC"_s, u"Source Han Sans SC"_s, u"WenQuanYi Micro Hei"_s}) {
        if (all.contains(han)) found.append(han);
    }
    return found;
}

QFont made(const QStringList& families, int pixels, QFont::Weight weight) {
    QFont font(families);
    font.setPixelSize(pixels);
    font.setWeight(weight);
    return font;
}

bool systemIsDark() {
    // Judged once, before our own palette replaces the system's (Qt 6.4 has no colour-scheme hint).
    static const bool dark = QPalette().color(QPalette::Window).lightness() < 128;
    return dark;
}

}  // namespace

const Theme& Theme::darkTheme() {
    static const Theme theme{true,
                             QColor(0x12, 0x15, 0x1a), QColor(0x19, 0x1d, 0x24), QColor(0x20, 0x25, 0x2e), QColor(0x2b, 0x31, 0x3c),
                             QColor(0xdd, 0xe2, 0xea), QColor(0x8b, 0x95, 0xa5), QColor(0x4c, 0xc9, 0xb0), QColor(0xf2, 0xc1, 0x4e),
                             QColor(0xef, 0x6f, 0x6c), QColor(0x7f, 0x9b, 0xd1)};
    return theme;
}

const Theme& Theme::lightTheme() {
    static const Theme theme{false,
                             QColor(0xee, 0xf0, 0xf3), QColor(0xff, 0xff, 0xff), QColor(0xf5, 0xf6, 0xf8), QColor(0xd9, 0xdd, 0xe3),
                             QColor(0x1d, 0x23, 0x2b), QColor(0x65, 0x70, 0x82), QColor(0x0b, 0x8f, 0x7a), QColor(0xb9, 0x7d, 0x00),
                             QColor(0xc6, 0x3c, 0x39), QColor(0x4a, 0x6b, 0xb0)};
    return theme;
}

const Theme& Theme::of(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128 ? darkTheme() : lightTheme();
}

const Theme& Theme::of(const QWidget* widget) {
    return of(widget->palette());
}

QPalette paletteFor(const Theme& theme) {
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, const QColor& color) { palette.setColor(role, color); };
    set(QPalette::Window, theme.ground);
    set(QPalette::WindowText, theme.text);
    set(QPalette::Base, theme.panel);
    set(QPalette::AlternateBase, theme.raised);
    set(QPalette::Text, theme.text);
    set(QPalette::Button, theme.raised);
    set(QPalette::ButtonText, theme.text);
    set(QPalette::BrightText, theme.red);
    set(QPalette::PlaceholderText, theme.secondary);
    set(QPalette::ToolTipBase, theme.raised);
    set(QPalette::ToolTipText, theme.text);
    set(QPalette::Highlight, mixed(theme.teal, theme.panel, theme.dark ? 0.30 : 0.22));
    set(QPalette::HighlightedText, theme.text);
    set(QPalette::Link, theme.blue);
    set(QPalette::LinkVisited, theme.blue);
    set(QPalette::Light, theme.raised);
    set(QPalette::Midlight, theme.raised);
    set(QPalette::Mid, theme.line);
    set(QPalette::Dark, theme.line);
    set(QPalette::Shadow, theme.ground);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, mixed(theme.secondary, theme.panel, 0.6));
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.line);
    return palette;
}

QString themeWord(ThemeChoice choice) {
    switch (choice) {
    case ThemeChoice::Light: return u"light"_s;
    case ThemeChoice::Dark: return u"dark"_s;
    case ThemeChoice::System: break;
    }
    return u"system"_s;
}

ThemeChoice themeFrom(const QString& word) {
    if (word == u"light") return ThemeChoice::Light;
    if (word == u"dark") return ThemeChoice::Dark;
    return ThemeChoice::System;
}

void applyTheme(ThemeChoice choice) {
    const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && systemIsDark());
    (void)systemIsDark();
    if (qobject_cast<CalmStyle*>(QApplication::style()) == nullptr) QApplication::setStyle(new CalmStyle);
    QApplication::setFont(uiFont());
    QApplication::setPalette(paletteFor(dark ? Theme::darkTheme() : Theme::lightTheme()));
}

QString currentThemeWord() {
    return Theme::of(QApplication::palette()).dark ? u"dark"_s : u"light"_s;
}

QFont uiFont(int pixels, QFont::Weight weight) {
    static const QStringList families = installed({u"Inter"_s}, QFontDatabase::GeneralFont);
    return made(families, pixels, weight);
}

QFont monoFont(int pixels, QFont::Weight weight) {
    static const QStringList families = installed({u"JetBrains Mono"_s, u"DejaVu Sans Mono"_s}, QFontDatabase::FixedFont);
    QFont font = made(families, pixels, weight);
    font.setStyleHint(QFont::Monospace);
    return font;
}

QColor mixed(const QColor& over, const QColor& under, double share) {
    const auto part = [share](int a, int b) { return static_cast<int>(a * share + b * (1 - share) + 0.5); };
    return {part(over.red(), under.red()), part(over.green(), under.green()), part(over.blue(), under.blue())};
}

}  // namespace ww::ui
