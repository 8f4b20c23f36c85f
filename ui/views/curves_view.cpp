// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/curves_view.h"

#include <QMouseEvent>
#include <cmath>

#include "views/ratio_plot.h"
#include "views/reward_plot.h"

namespace ww::ui {

CurvesView::CurvesView(SessionModel* session, QWidget* parent)
    : QStackedWidget(parent), m_session(session), m_ratio(new RatioPlot(session, this)), m_reward(new RewardPlot(session, this)) {
    for (Plot* plot : std::initializer_list<Plot*>{m_ratio, m_reward}) {
        addWidget(plot);
        connect(plot, &QCustomPlot::mousePress, this, [this, plot](QMouseEvent* event) {
            const int number = static_cast<int>(std::lround(plot->xAxis->pixelToCoord(event->position().x())));
            if (m_session->trial(number) != nullptr) m_session->select(number);
        });
    }
}

int CurvesView::items() const {
    return currentIndex() == 0 ? m_ratio->points() : m_reward->points();
}

void CurvesView::drawNow() {
    m_ratio->drawNow();
    m_reward->drawNow();
}

}  // namespace ww::ui
