// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/section.h"

#include <QEvent>
#include <QPainter>

#include "style/theme.h"

namespace ww::ui {

namespace {
constexpr int kHead = 30;
}

Section::Section(const QString& title, QWidget* parent) : QWidget(parent), m_headed(!title.isEmpty()), m_body(new QVBoxLayout) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    if (m_headed) {
        auto* head = new QLabel(title, this);
        head->setFont(uiFont(kDensePixels, QFont::DemiBold));
        head->setFixedHeight(kHead);
        head->setContentsMargins(12, 0, 12, 0);
        layout->addWidget(head);
    }
    m_body->setContentsMargins(12, 9, 12, 11);
    m_body->setSpacing(5);
    layout->addLayout(m_body);
}

void Section::paintEvent(QPaintEvent*) {
    if (!m_headed) return;
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(QRect(0, 0, width(), 1), theme.line);
    painter.fillRect(QRect(0, kHead, width(), 1), theme.line);
}

QuietLabel::QuietLabel(QWidget* parent, Tone tone) : QLabel(parent), m_tone(tone) {
    recolour();
}

void QuietLabel::setTone(Tone tone) {
    m_tone = tone;
    recolour();
}

void QuietLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) recolour();
}

void QuietLabel::recolour() {
    const Theme& theme = Theme::of(this);
    QColor wanted = theme.secondary;
    if (m_tone == Tone::Plain) wanted = theme.text;
    if (m_tone == Tone::Good) wanted = theme.teal;
    if (m_tone == Tone::Bad) wanted = theme.red;
    if (m_tone == Tone::Best) wanted = theme.gold;
    QPalette changed = palette();
    if (changed.color(QPalette::WindowText) == wanted) return;
    // On a panel (background role Base) a label draws with Text, elsewhere with WindowText.
    changed.setColor(QPalette::WindowText, wanted);
    changed.setColor(QPalette::Text, wanted);
    setPalette(changed);
}

}  // namespace ww::ui
