// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/action_button.h"

#include <QAction>
#include <QEvent>
#include <QPainter>
#include <QStringBuilder>

#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kGlyph = 12;

QPixmap glyph(QChar kind, const QColor& color, qreal ratio) {
    QPixmap picture(QSize(kGlyph, kGlyph) * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const auto triangle = [&painter](qreal left) {
        painter.drawPolygon(QPolygonF{QPointF(left, 1.5), QPointF(left + 7.5, 6), QPointF(left, 10.5)});
    };
    if (kind == u'p') {
        painter.drawRect(QRectF(2, 1.5, 3, 9));
        painter.drawRect(QRectF(7, 1.5, 3, 9));
    } else if (kind == u's') {
        triangle(1);
        painter.drawRect(QRectF(9, 1.5, 2, 9));
    } else if (kind == u'x') {
        painter.drawRect(QRectF(2, 2, 8, 8));
    } else {
        triangle(2.5);
    }
    return picture;
}

}  // namespace

ActionButton::ActionButton(QWidget* parent) : QPushButton(parent) {
    setFocusPolicy(Qt::TabFocus);
    setAutoDefault(false);
    setIconSize(QSize(kGlyph, kGlyph));
}

void ActionButton::setAction(QAction* action) {
    m_action = action;
    connect(action, &QAction::changed, this, &ActionButton::follow);
    connect(this, &QPushButton::clicked, action, &QAction::trigger);
    follow();
}

void ActionButton::changeEvent(QEvent* event) {
    QPushButton::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_action != nullptr) follow();
}

void ActionButton::follow() {
    setText(m_action->text());
    setToolTip(m_action->toolTip() % u" ("_s % m_action->shortcut().toString(QKeySequence::NativeText) % u')');
    setEnabled(m_action->isEnabled());
    const Theme& theme = Theme::of(this);
    const QColor onTeal = theme.dark ? theme.ground : QColor(Qt::white);
    QIcon icon(glyph(m_action->data().toChar(), isDefault() ? onTeal : theme.text, devicePixelRatioF()));
    icon.addPixmap(glyph(m_action->data().toChar(), palette().color(QPalette::Disabled, QPalette::ButtonText), devicePixelRatioF()), QIcon::Disabled);
    setIcon(icon);
}

}  // namespace ww::ui
