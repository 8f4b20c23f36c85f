// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fact_chip.h"

#include <QPainter>

#include "style/theme.h"

namespace ww::ui {

FactChip::FactChip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setFont(uiFont(kDensePixels));
    hide();
}

void FactChip::setText(const QString& text) {
    if (text == m_text) return;
    m_text = text;
    setAccessibleName(text);
    setVisible(!text.isEmpty());
    updateGeometry();
    update();
}

QSize FactChip::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text) + 16, fontMetrics().height() + 8};
}

void FactChip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mixed(theme.line, theme.panel, 0.55));
    painter.drawRoundedRect(rect(), 4, 4);
    painter.setPen(theme.text);
    painter.drawText(rect(), Qt::AlignCenter, m_text);
}

}  // namespace ww::ui
