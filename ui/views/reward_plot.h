// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/session_model.h"
#include "views/plot.h"

namespace ww::ui {

/// Reward per trial with its parts apart: total as discs, speed, roof and correctness as thin lines. A failure's fixed
/// penalty is a cross at the foot: drawn to scale it would flatten everything else.
class RewardPlot : public Plot {
    Q_OBJECT
public:
    RewardPlot(SessionModel* session, QWidget* parent);

    [[nodiscard]] int points() const;

private:
    void reload();
    void append(int first);
    void rescale();
    void recolourSeries();

    SessionModel* m_session;
    QCPGraph *m_total, *m_speed, *m_roof, *m_correctness, *m_penalty;
    double m_top = 1;
};

}  // namespace ww::ui
