// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/ratio_plot.h"

#include <array>

#include "bridge/text.h"
#include "style/theme.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kDense = 2000;    ///< above it lines stay one pixel wide
constexpr int kMostLabels = 12;

QCPScatterStyle disc(const QColor& color) {
    return {QCPScatterStyle::ssDisc, QPen(color, 1), QBrush(color), 5};
}

}  // namespace

RatioPlot::RatioPlot(SessionModel* session, QWidget* parent) : Plot(parent), m_session(session) {
    setObjectName(u"ratioPlot"_s);
    setAccessibleName(tr("Ratio to the baseline per trial"));
    m_ahead = new QCPItemRect(this);
    m_ahead->setLayer(u"background"_s);
    m_baseline = new QCPItemLine(this);
    m_baseline->setLayer(u"grid"_s);
    m_baselineLabel = new QCPItemText(this);
    m_baselineLabel->setText(tr("baseline"));
    m_baselineLabel->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    m_baselineLabel->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    m_baselineLabel->setFont(uiFont(kSmallPixels));
    m_baseline->start->setTypeX(QCPItemPosition::ptAxisRectRatio);
    m_baseline->end->setTypeX(QCPItemPosition::ptAxisRectRatio);
    m_baseline->start->setCoords(0, 1);
    m_baseline->end->setCoords(1, 1);
    m_baselineLabel->position->setCoords(1, 1);
    m_low = addGraph();
    m_high = addGraph();
    m_best = addGraph();
    m_neutral = addGraph();
    m_faster = addGraph();
    m_failed = addGraph();
    m_high->setChannelFillGraph(m_low);
    for (auto* graph : {m_low, m_high, m_best}) graph->setLineStyle(QCPGraph::lsStepLeft);
    for (auto* graph : {m_neutral, m_faster, m_failed}) graph->setLineStyle(QCPGraph::lsNone);
    xAxis->setLabel(tr("trial"));
    connect(this, &Plot::recoloured, this, &RatioPlot::recolourSeries);
    connect(session, &SessionModel::restarted, this, &RatioPlot::reload);
    connect(session, &SessionModel::trialsAdded, this, [this](int first) { append(first); });
    connect(session, &SessionModel::eventsAdded, this, [this] { rebuildMarks(); });
    connect(session, &SessionModel::progressChanged, this, [this] {
        rescale();
        schedule();
    });
    recolourSeries();
    reload();
}

int RatioPlot::points() const {
    return m_neutral->dataCount() + m_faster->dataCount() + m_failed->dataCount();
}

void RatioPlot::reload() {
    for (int i = 0; i < graphCount(); ++i) graph(i)->data()->clear();
    m_top = 1.5;
    append(0);
    rebuildMarks();
}

void RatioPlot::append(int first) {
    const auto& trials = m_session->trials();
    for (auto i = static_cast<std::size_t>(first); i < trials.size(); ++i) {
        const auto& record = *trials[i].record;
        const double x = record.number;
        if (record.status != TrialStatus::Ok || !record.ratio) {
            m_failed->addData(x, 0);
        } else {
            (record.verdict == Verdict::Faster ? m_faster : m_neutral)->addData(x, *record.ratio);
            m_top = qMax(m_top, *record.ratio);
        }
        if (trials[i].bestRatio > 0) {
            m_best->addData(x, trials[i].bestRatio);
            m_low->addData(x, trials[i].bestInterval.low);
            m_high->addData(x, trials[i].bestInterval.high);
            m_top = qMax(m_top, trials[i].bestInterval.high);
        }
    }
    if (trials.size() >= kDense && m_best->pen().widthF() > 1) recolourSeries();
    setAccessibleDescription(tr("%1 trials, %2 failed, best ratio %3")
                                 .arg(trials.size()).arg(m_session->failedTrials())
                                 .arg(m_session->best().known ? ratioText(m_session->best().ratio) : QString(kDash)));
    rescale();
    schedule();
}

void RatioPlot::rebuildMarks() {
    const Theme& theme = Theme::of(this);
    for (auto* mark : m_marks) removeItem(mark);
    m_marks.clear();
    int labelled = 0;
    const QFontMetrics metrics(uiFont(kSmallPixels));
    const double unitsPerPixel = xAxis->range().size() / qMax(400, axisRect()->width());
    const double rowHeight = (metrics.height() + 3.0) / qMax(120, axisRect()->height());
    std::array<double, 4> rowEnds;
    rowEnds.fill(-1e9);
    const auto& events = m_session->events();
    for (std::size_t i = events.size() > 200 ? events.size() - 200 : 0; i < events.size(); ++i) {
        const auto& event = events[i];
        if (event.kind == "notice" || event.kind == "note" || event.kind == "start") continue;
        const double x = event.afterTrial + 0.5;
        auto* line = new QCPItemLine(this);
        line->setPen(QPen(theme.secondary, 1, Qt::DashLine));
        for (auto* end : {line->start, line->end}) end->setTypeY(QCPItemPosition::ptAxisRectRatio);
        line->start->setCoords(x, 0);
        line->end->setCoords(x, 1);
        m_marks.append(line);
        if (labelled >= kMostLabels) continue;
        // Marks close together step down a row, so that their words do not lie on each other.
        const QString words = eventLabel(event.kind, event.data);
        const double wide = (metrics.horizontalAdvance(words) + 14) * unitsPerPixel;
        const bool nearEnd = x + wide > xAxis->range().upper;
        const double left = nearEnd ? x - wide : x;
        std::size_t row = 0;
        while (row + 1 < rowEnds.size() && rowEnds[row] > left) ++row;
        rowEnds[row] = left + wide;
        auto* label = new QCPItemText(this);
        label->setText(words);
        label->setFont(uiFont(kSmallPixels));
        label->setColor(theme.secondary);
        label->setBrush(QBrush(theme.panel));
        label->setPositionAlignment(Qt::AlignTop | (nearEnd ? Qt::AlignRight : Qt::AlignLeft));
        label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
        label->position->setCoords(x, 0.005 + static_cast<double>(row) * rowHeight);
        label->setPadding(QMargins(5, 1, 5, 1));
        m_marks.append(label);
        ++labelled;
    }
    schedule();
}

void RatioPlot::rescale() {
    const int done = m_session->trials().empty() ? 0 : m_session->trials().back().record->number;
    const int ahead = m_session->origin() == SessionModel::Origin::Stored || m_session->ended() ? 0 : m_session->progress().budget;
    const double right = qMax(10, qMax(done, ahead)) + 0.5;
    xAxis->setRange(0.5 - right * 0.01, right + right * 0.005);
    yAxis->setRange(-m_top * 0.03, m_top * 1.13);
    m_ahead->topLeft->setCoords(done + 0.5, yAxis->range().upper);
    m_ahead->bottomRight->setCoords(xAxis->range().upper, yAxis->range().lower);
    m_ahead->setVisible(done > 0 && done < ahead);
}

void RatioPlot::recolourSeries() {
    const Theme& theme = Theme::of(this);
    QColor band = theme.gold;
    band.setAlpha(theme.dark ? 50 : 40);
    m_low->setPen(Qt::NoPen);
    m_high->setPen(Qt::NoPen);
    m_high->setBrush(QBrush(band));
    m_best->setPen(QPen(theme.gold, m_session->trials().size() < kDense ? 2 : 1));
    m_faster->setScatterStyle(disc(theme.teal));
    m_neutral->setScatterStyle(disc(theme.blue));
    m_failed->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCross, QPen(theme.red, 1.5), Qt::NoBrush, 7));
    m_baseline->setPen(QPen(mixed(theme.secondary, theme.panel, 0.7), 1));
    m_baselineLabel->setColor(theme.secondary);
    m_ahead->setPen(Qt::NoPen);
    m_ahead->setBrush(QBrush(mixed(theme.raised, theme.panel, 0.4)));
    rebuildMarks();
}

}  // namespace ww::ui
