// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plot.h"

#include <QEvent>

#include "style/theme.h"

namespace ww::ui {

namespace {
constexpr int kRedrawMs = 66;
}

Plot::Plot(QWidget* parent) : QCustomPlot(parent) {
    setNoAntialiasingOnDrag(true);
    setPlottingHint(QCP::phCacheLabels, true);
    axisRect()->setAutoMargins(QCP::msAll);
    axisRect()->setMinimumMargins(QMargins(12, 12, 14, 6));
    m_redraw.setSingleShot(true);
    m_redraw.setInterval(kRedrawMs);
    connect(&m_redraw, &QTimer::timeout, this, [this] {
        if (isVisible()) replot(QCustomPlot::rpQueuedReplot);
    });
    recolour();
}

void Plot::schedule() {
    if (!m_redraw.isActive()) m_redraw.start();
}

void Plot::drawNow() {
    m_redraw.stop();
    replot(QCustomPlot::rpImmediateRefresh);
}

void Plot::changeEvent(QEvent* event) {
    QCustomPlot::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) recolour();
}

void Plot::showEvent(QShowEvent* event) {
    QCustomPlot::showEvent(event);
    setBufferDevicePixelRatio(devicePixelRatioF());
    schedule();
}

void Plot::recolour() {
    const Theme& theme = Theme::of(this);
    setBackground(QBrush(theme.panel));
    for (auto* axis : {xAxis, yAxis}) {
        axis->setBasePen(QPen(Qt::NoPen));
        axis->setTickPen(QPen(Qt::NoPen));
        axis->setSubTickPen(QPen(Qt::NoPen));
        axis->setTickLabelFont(monoFont(kSmallPixels));
        axis->setTickLabelColor(theme.secondary);
        axis->setLabelFont(uiFont(kSmallPixels));
        axis->setLabelColor(theme.secondary);
        axis->setTickLabelPadding(6);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->grid()->setPen(QPen(mixed(theme.line, theme.panel, 0.7), 1));
    }
    xAxis->grid()->setVisible(false);
    Q_EMIT recoloured();
    schedule();
}

}  // namespace ww::ui
