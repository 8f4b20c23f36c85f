// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/reward_plot.h"

#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

RewardPlot::RewardPlot(SessionModel* session, QWidget* parent) : Plot(parent), m_session(session) {
    setObjectName(u"rewardPlot"_s);
    setAccessibleName(tr("Reward and its parts per trial"));
    m_speed = addGraph();
    m_roof = addGraph();
    m_correctness = addGraph();
    m_total = addGraph();
    m_penalty = addGraph();
    m_total->setName(tr("reward"));
    m_speed->setName(tr("speed part"));
    m_roof->setName(tr("roof part"));
    m_correctness->setName(tr("correctness part"));
    m_penalty->setName(tr("failed (penalty)"));
    m_total->setLineStyle(QCPGraph::lsNone);
    m_penalty->setLineStyle(QCPGraph::lsNone);
    legend->setVisible(true);
    legend->setBorderPen(Qt::NoPen);
    legend->setFont(uiFont(kSmallPixels));
    legend->setRowSpacing(0);
    legend->setFillOrder(QCPLegend::foColumnsFirst);
    axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    xAxis->setLabel(tr("trial"));
    connect(this, &Plot::recoloured, this, &RewardPlot::recolourSeries);
    connect(session, &SessionModel::restarted, this, &RewardPlot::reload);
    connect(session, &SessionModel::trialsAdded, this, [this](int first) { append(first); });
    connect(session, &SessionModel::progressChanged, this, [this] {
        rescale();
        schedule();
    });
    recolourSeries();
    reload();
}

int RewardPlot::points() const {
    return m_total->dataCount() + m_penalty->dataCount();
}

void RewardPlot::reload() {
    for (int i = 0; i < graphCount(); ++i) graph(i)->data()->clear();
    m_top = 1;
    append(0);
}

void RewardPlot::append(int first) {
    const auto& trials = m_session->trials();
    for (auto i = static_cast<std::size_t>(first); i < trials.size(); ++i) {
        const auto& record = *trials[i].record;
        if (!record.reward.total) continue;
        const double x = record.number;
        if (record.status != TrialStatus::Ok) {
            m_penalty->addData(x, 0);
            continue;
        }
        m_total->addData(x, *record.reward.total);
        if (record.reward.speed) m_speed->addData(x, *record.reward.speed);
        if (record.reward.roof) m_roof->addData(x, *record.reward.roof);
        if (record.reward.correctness) m_correctness->addData(x, *record.reward.correctness);
        m_top = qMax(m_top, qMax(*record.reward.total, record.reward.speed.value_or(0)));
    }
    m_roof->data()->isEmpty() ? m_roof->removeFromLegend() : m_roof->addToLegend();
    rescale();
    schedule();
}

void RewardPlot::rescale() {
    const int done = m_session->trials().empty() ? 0 : m_session->trials().back().record->number;
    const int ahead = m_session->origin() == SessionModel::Origin::Stored || m_session->ended() ? 0 : m_session->progress().budget;
    const double right = qMax(10, qMax(done, ahead)) + 0.5;
    xAxis->setRange(0.5 - right * 0.01, right + right * 0.005);
    yAxis->setRange(-m_top * 0.03, m_top * 1.25);
}

void RewardPlot::recolourSeries() {
    const Theme& theme = Theme::of(this);
    m_total->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(theme.blue, 1), QBrush(theme.blue), 5));
    m_speed->setPen(QPen(theme.teal, 1));
    m_roof->setPen(QPen(theme.blue, 1, Qt::DashLine));
    m_correctness->setPen(QPen(theme.secondary, 1, Qt::DotLine));
    m_penalty->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCross, QPen(theme.red, 1.5), Qt::NoBrush, 7));
    legend->setTextColor(theme.secondary);
    legend->setBrush(QBrush(theme.panel));
}

}  // namespace ww::ui
