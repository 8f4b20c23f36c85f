// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>

#include "model/session_model.h"

namespace ww::ui {

class RatioPlot;
class RewardPlot;

/// The curves of a session: ratio per trial and reward per trial, one at a time. A click on a trial selects it.
class CurvesView : public QStackedWidget {
    Q_OBJECT
public:
    CurvesView(SessionModel* session, QWidget* parent);

    [[nodiscard]] int items() const;    ///< points of the shown plot
    [[nodiscard]] RatioPlot* ratio() const { return m_ratio; }
    [[nodiscard]] RewardPlot* reward() const { return m_reward; }
    void drawNow();

private:
    SessionModel* m_session;
    RatioPlot* m_ratio;
    RewardPlot* m_reward;
};

}  // namespace ww::ui
