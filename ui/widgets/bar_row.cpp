// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bar_row.h"

#include <QPainter>

#include "style/theme.h"

namespace ww::ui {

BarRow::BarRow(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BarRow::set(const QString& label, const QString& figure, double share, bool emphasised) {
    m_label = label;
    m_figure = figure;
    m_share = qBound(0.0, share, 1.0);
    m_emphasised = emphasised;
    setAccessibleName(label);
    setAccessibleDescription(figure);
    update();
}

QSize BarRow::sizeHint() const {
    return {160, QFontMetrics(uiFont(kDensePixels)).height() + 10};
}

void BarRow::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    const QRect text(0, 0, width(), height() - 10);
    painter.setFont(uiFont(kDensePixels));
    painter.setPen(theme.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, m_label);
    painter.setFont(monoFont(kSmallPixels));
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, m_figure);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF track(0, height() - 8, width(), 5);
    painter.setBrush(mixed(theme.line, theme.panel, 0.7));
    painter.drawRoundedRect(track, 2.5, 2.5);
    if (m_share <= 0) return;
    painter.setBrush(m_emphasised ? theme.teal : theme.blue);
    painter.drawRoundedRect(QRectF(track.left(), track.top(), qMax(5.0, track.width() * m_share), track.height()), 2.5, 2.5);
}

}  // namespace ww::ui
