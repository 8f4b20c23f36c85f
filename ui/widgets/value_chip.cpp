// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/value_chip.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kPlate = 24;      ///< height of the plate
constexpr int kHairline = 2;
constexpr int kHeight = kPlate + 3 + kHairline;
}  // namespace

ValueChip::ValueChip(const QString& text, QWidget* parent) : QAbstractButton(parent) {
    setText(text);
    setFont(monoFont(kDensePixels));
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    describe();
}

void ValueChip::setState(const State& state) {
    if (state == m_state) return;
    m_state = state;
    describe();
    update();
}

void ValueChip::describe() {
    QStringList words;
    if (m_state.pinned) words.append(tr("pinned"));
    if (m_state.banned) words.append(tr("banned"));
    if (m_state.running) words.append(tr("running"));
    if (m_state.best) words.append(tr("best"));
    if (m_state.probability >= 0) words.append(tr("probability %1 %").arg(static_cast<int>(m_state.probability * 100 + 0.5F)));
    setAccessibleName(text());
    setAccessibleDescription(words.join(u", "_s));
}

QSize ValueChip::sizeHint() const {
    return {qMax(44, fontMetrics().horizontalAdvance(text()) + 18), kHeight};
}

void ValueChip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF plate(0.5, 0.5, width() - 1, kPlate - 1);
    const bool off = m_state.banned || m_state.excluded;
    QColor fill = m_state.running ? theme.teal : theme.raised;
    if (off && !m_state.running) fill = mixed(theme.raised, theme.panel, 0.5);
    if (underMouse()) fill = mixed(theme.text, fill, 0.08);
    QPen ring(m_state.best ? theme.gold : fill, m_state.best ? 1.5 : 1);
    if (hasFocus()) ring = QPen(theme.text, 1.5, Qt::DotLine);
    painter.setPen(ring);
    painter.setBrush(fill);
    painter.drawRoundedRect(plate, 4, 4);

    QFont face = font();
    face.setStrikeOut(m_state.banned);
    if (m_state.running) face.setWeight(QFont::DemiBold);
    painter.setFont(face);
    const QColor onTeal = theme.dark ? theme.ground : QColor(Qt::white);
    painter.setPen(m_state.running ? onTeal : off ? mixed(theme.secondary, theme.panel, 0.75) : theme.text);
    painter.drawText(plate, Qt::AlignCenter, text());
    if (m_state.pinned) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_state.running ? onTeal : theme.text);
        painter.drawEllipse(QPointF(plate.right() - 5.5, plate.top() + 5.5), 2, 2);
    }

    painter.setRenderHint(QPainter::Antialiasing, false);
    const QRect track(0, kPlate + 3, width(), kHairline);
    painter.fillRect(track, theme.raised);
    if (m_state.probability > 0) painter.fillRect(QRect(track.left(), track.top(), qMax(1, static_cast<int>(track.width() * m_state.probability)), kHairline), theme.teal);
}

void ValueChip::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) event->accept();
}

void ValueChip::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !rect().contains(event->position().toPoint())) return;
    if (event->modifiers().testFlag(Qt::AltModifier)) Q_EMIT banToggled();
    else Q_EMIT pinToggled();
}

void ValueChip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Space:
    case Qt::Key_Return:
        Q_EMIT pinToggled();
        return;
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        Q_EMIT banToggled();
        return;
    case Qt::Key_Right: focusNextChild(); return;
    case Qt::Key_Left: focusPreviousChild(); return;
    default: QAbstractButton::keyPressEvent(event);
    }
}

}  // namespace ww::ui
