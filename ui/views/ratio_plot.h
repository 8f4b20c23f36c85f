// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/session_model.h"
#include "views/plot.h"

namespace ww::ui {

/// Ratio per trial with the best so far and its interval in gold, failures as crosses at the foot, events as dashed marks.
class RatioPlot : public Plot {
    Q_OBJECT
public:
    RatioPlot(SessionModel* session, QWidget* parent);

    [[nodiscard]] int points() const;

private:
    void reload();
    void append(int first);
    void rebuildMarks();
    void rescale();
    void recolourSeries();

    SessionModel* m_session;
    QCPGraph *m_low, *m_high, *m_best, *m_faster, *m_neutral, *m_failed;
    QCPItemLine* m_baseline;
    QCPItemText* m_baselineLabel;
    QCPItemRect* m_ahead;
    QList<QCPAbstractItem*> m_marks;
    double m_top = 1.5;
};

}  // namespace ww::ui
