// SPDX-License-Identifier: GPL-3.0-or-later
#include "style/calm_style.h"

#include <QComboBox>
#include <QPainter>
#include <QPainterPath>
#include <QStyleFactory>
#include <QStyleOption>

#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRadius = 4;

void drawPlate(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& line) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(line, 1));
    painter->setBrush(fill);
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    painter->restore();
}

/// Fill and hairline of a push button, combo box or spin box in its state.
void drawControlPlate(QPainter* painter, const QStyleOption* option, const QRect& rect, bool primary) {
    const Theme& theme = Theme::of(option->palette);
    const bool enabled = option->state.testFlag(QStyle::State_Enabled);
    QColor fill = primary ? theme.teal : theme.raised;
    if (primary && !enabled) fill = theme.raised;
    if (enabled && option->state.testFlag(QStyle::State_Sunken)) fill = mixed(theme.ground, fill, 0.45);
    else if (enabled && option->state.testFlag(QStyle::State_MouseOver)) fill = mixed(primary ? theme.text : theme.line, fill, primary ? 0.12 : 0.6);
    const bool focused = option->state.testFlag(QStyle::State_HasFocus) && option->state.testFlag(QStyle::State_KeyboardFocusChange);
    drawPlate(painter, rect, fill, focused ? theme.text : primary ? fill : theme.line);
}

void drawArrow(QPainter* painter, const QRectF& rect, const QColor& color) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = rect.center();
    painter->drawPolyline(QPolygonF{QPointF(c.x() - 3.5, c.y() - 1.5), QPointF(c.x(), c.y() + 2), QPointF(c.x() + 3.5, c.y() - 1.5)});
    painter->restore();
}

void drawScrollBar(QPainter* painter, const QStyleOptionSlider* bar, const QRect& handle) {
    const Theme& theme = Theme::of(bar->palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    const bool hot = bar->state.testFlag(QStyle::State_MouseOver) || bar->state.testFlag(QStyle::State_Sunken);
    painter->setBrush(hot ? mixed(theme.secondary, theme.panel, 0.6) : mixed(theme.secondary, theme.panel, 0.3));
    const QRectF inner = QRectF(handle).adjusted(2, 2, -2, -2);
    const qreal radius = qMin(inner.width(), inner.height()) / 2;
    painter->drawRoundedRect(inner, radius, radius);
    painter->restore();
}

}  // namespace

CalmStyle::CalmStyle() : QProxyStyle(QStyleFactory::create(u"Fusion"_s)) {}

int CalmStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_DockWidgetSeparatorExtent: return 8;
    case PM_DockWidgetFrameWidth: return 0;
    case PM_ScrollBarExtent: return 10;
    case PM_DefaultFrameWidth: return qobject_cast<const QComboBox*>(widget) != nullptr ? 2 : 1;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical: return 0;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing: return 8;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int CalmStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const {
    switch (hint) {
    case SH_Widget_Animate: return 0;
    case SH_ToolTip_WakeUpDelay: return 350;
    case SH_ScrollBar_Transient: return 0;
    case SH_ComboBox_Popup: return 0;
    default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

void CalmStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    const Theme& theme = Theme::of(option->palette);
    switch (element) {
    case PE_PanelButtonCommand: {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        drawControlPlate(painter, option, option->rect, button != nullptr && button->features.testFlag(QStyleOptionButton::DefaultButton));
        return;
    }
    case PE_PanelButtonTool: drawControlPlate(painter, option, option->rect, false); return;
    case PE_PanelLineEdit:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option); frame != nullptr && frame->lineWidth > 0) {
            drawPlate(painter, option->rect, theme.raised, option->state.testFlag(State_HasFocus) ? theme.secondary : theme.line);
        }
        return;
    case PE_FrameLineEdit: return;
    case PE_IndicatorDockWidgetResizeHandle: return;
    case PE_FrameStatusBarItem: return;
    case PE_PanelStatusBar: return;
    case PE_FrameFocusRect: {
        if (!option->state.testFlag(State_KeyboardFocusChange)) return;
        painter->save();
        painter->setPen(QPen(theme.secondary, 1));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        painter->restore();
        return;
    }
    default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void CalmStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    const Theme& theme = Theme::of(option->palette);
    if (element == CE_HeaderSection) {
        painter->fillRect(option->rect, theme.panel);
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), theme.line);
        return;
    }
    if (element == CE_HeaderLabel) {
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            painter->setPen(theme.secondary);
            painter->drawText(option->rect.adjusted(6, 0, -6, 0), static_cast<int>(header->textAlignment), header->text);
            return;
        }
    }
    if (element == CE_HeaderEmptyArea) {
        painter->fillRect(option->rect, theme.panel);
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), theme.line);
        return;
    }
    if (element == CE_ComboBoxLabel && !option->state.testFlag(State_Enabled)) {
        // A picker that is locked during a session still tells its choice; only the arrow goes.
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            QStyleOptionComboBox copy = *combo;
            copy.state |= State_Enabled;
            copy.palette.setCurrentColorGroup(QPalette::Active);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
    }
    if (element == CE_PushButtonLabel) {
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            button != nullptr && button->features.testFlag(QStyleOptionButton::DefaultButton) && button->state.testFlag(State_Enabled)) {
            QStyleOptionButton copy = *button;
            copy.palette.setColor(QPalette::ButtonText, theme.dark ? theme.ground : QColor(Qt::white));
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void CalmStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                   const QWidget* widget) const {
    const Theme& theme = Theme::of(option->palette);
    if (control == CC_ComboBox) {
        drawControlPlate(painter, option, option->rect, false);
        if (option->subControls.testFlag(SC_ComboBoxArrow) && option->state.testFlag(State_Enabled)) {
            drawArrow(painter, QRectF(option->rect.right() - 19, option->rect.top(), 14, option->rect.height()), theme.secondary);
        }
        return;
    }
    if (control == CC_SpinBox) {
        drawControlPlate(painter, option, option->rect, false);
        return;
    }
    if (control == CC_ScrollBar) {
        if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            drawScrollBar(painter, bar, subControlRect(CC_ScrollBar, bar, SC_ScrollBarSlider, widget));
            return;
        }
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QSize CalmStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const {
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option); type == CT_PushButton && button != nullptr) {
        int width = option->fontMetrics.horizontalAdvance(button->text) + 26;
        if (!button->icon.isNull()) width += button->iconSize.width() + 6;
        if (button->features.testFlag(QStyleOptionButton::HasMenu)) width += 18;
        result.setWidth(width);
    }
    if (type == CT_PushButton || type == CT_ComboBox || type == CT_SpinBox) result.setHeight(qMax(result.height(), option->fontMetrics.height() + 12));
    return result;
}

}  // namespace ww::ui
