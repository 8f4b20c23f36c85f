// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>

#include "views/qcustomplot_qt.h"

namespace ww::ui {

/// A QCustomPlot in the cockpit's colours. Redraws are asked for with schedule() and happen at most 15 times a second, and
/// only while the plot is visible. Dense lines keep a pen of width 1: wider ones cost a hundred times more (STYLE.md, 8).
class Plot : public QCustomPlot {
    Q_OBJECT
public:
    explicit Plot(QWidget* parent);

    void schedule();
    /// Draws what is pending now; for pictures and tests.
    void drawNow();

Q_SIGNALS:
    void recoloured();

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void recolour();

    QTimer m_redraw;
};

}  // namespace ww::ui
