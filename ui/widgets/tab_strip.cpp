// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tab_strip.h"

#include <QPainter>

#include "style/theme.h"

namespace ww::ui {

TabStrip::TabStrip(QStackedWidget* pages, QWidget* parent) : QTabBar(parent) {
    setDrawBase(false);
    setExpanding(false);
    setFont(uiFont(kDensePixels));
    setFocusPolicy(Qt::TabFocus);
    setUsesScrollButtons(false);
    connect(this, &QTabBar::currentChanged, pages, &QStackedWidget::setCurrentIndex);
}

QSize TabStrip::tabSizeHint(int index) const {
    const QFontMetrics metrics(uiFont(kDensePixels, QFont::DemiBold));
    return {metrics.horizontalAdvance(tabText(index)) + 16, 32};
}

QSize TabStrip::minimumTabSizeHint(int index) const {
    return tabSizeHint(index);
}

void TabStrip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    for (int i = 0; i < count(); ++i) {
        const bool current = i == currentIndex();
        const QRect area = tabRect(i).adjusted(0, 0, -16, 0);
        painter.setFont(uiFont(kDensePixels, current ? QFont::DemiBold : QFont::Normal));
        painter.setPen(current ? theme.text : theme.secondary);
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, tabText(i));
        if (current) painter.fillRect(QRect(area.left(), height() - 2, area.width(), 2), hasFocus() ? theme.text : theme.teal);
    }
}

}  // namespace ww::ui
