// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/density_strip.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringBuilder>

#include "style/theme.h"

namespace ww::ui {

namespace {
constexpr int kStrip = 26;
constexpr int kCaption = 18;
}  // namespace

DensityStrip::DensityStrip(const QStringList& values, QWidget* parent)
    : QWidget(parent), m_values(values), m_states(static_cast<std::size_t>(values.size())) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFont(monoFont(kSmallPixels));
    setAccessibleName(values.value(0));
}

void DensityStrip::setStates(std::vector<ValueChip::State> states) {
    m_states = std::move(states);
    update();
}

QSize DensityStrip::sizeHint() const {
    return {160, kStrip + kCaption};
}

QRectF DensityStrip::column(int value) const {
    const qreal step = static_cast<qreal>(width()) / qMax<qsizetype>(1, m_values.size());
    return {value * step, 0, step, kStrip};
}

void DensityStrip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.fillRect(QRect(0, 0, width(), kStrip), theme.raised);
    float highest = 0;
    for (const auto& state : m_states) highest = qMax(highest, state.probability);
    for (int v = 0; v < m_values.size(); ++v) {
        const auto& state = m_states[static_cast<std::size_t>(v)];
        const QRectF area = column(v);
        if (state.banned || state.excluded) painter.fillRect(area, theme.panel);
        if (state.probability > 0 && highest > 0) {
            const qreal height = (kStrip - 4) * state.probability / highest;
            painter.fillRect(QRectF(area.left(), kStrip - height, qMax<qreal>(1, area.width() - 1), height), mixed(theme.teal, theme.raised, 0.6));
        }
        if (state.running) painter.fillRect(area, theme.teal);
        if (state.best) {
            painter.setPen(QPen(theme.gold, 1.5));
            painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        if (state.pinned) painter.fillRect(QRectF(area.left(), 0, area.width(), 3), theme.text);
    }
    painter.setPen(QPen(hasFocus() ? theme.text : theme.secondary, 1));
    const qreal x = column(m_cursor).center().x();
    painter.drawLine(QPointF(x, 0), QPointF(x, kStrip));
    painter.setPen(theme.secondary);
    const QRect caption(0, kStrip, width(), kCaption);
    painter.drawText(caption, Qt::AlignLeft | Qt::AlignVCenter, m_values.value(0));
    painter.drawText(caption, Qt::AlignRight | Qt::AlignVCenter, m_values.value(m_values.size() - 1));
    painter.setPen(theme.text);
    painter.drawText(caption, Qt::AlignCenter, m_values.value(m_cursor));
}

void DensityStrip::moveCursor(int value) {
    m_cursor = qBound(0, value, static_cast<int>(m_values.size()) - 1);
    setAccessibleName(m_values.value(m_cursor));
    update();
    Q_EMIT cursorMoved(m_cursor);
}

void DensityStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_values.isEmpty()) return;
    moveCursor(static_cast<int>(event->position().x() * m_values.size() / qMax(1, width())));
    if (event->modifiers().testFlag(Qt::AltModifier)) Q_EMIT banToggled(m_cursor);
    else Q_EMIT pinToggled(m_cursor);
}

void DensityStrip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left: moveCursor(m_cursor - 1); return;
    case Qt::Key_Right: moveCursor(m_cursor + 1); return;
    case Qt::Key_Space:
    case Qt::Key_Return: Q_EMIT pinToggled(m_cursor); return;
    case Qt::Key_Delete:
    case Qt::Key_Backspace: Q_EMIT banToggled(m_cursor); return;
    default: QWidget::keyPressEvent(event);
    }
}

}  // namespace ww::ui
