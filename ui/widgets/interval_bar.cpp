// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/interval_bar.h"

#include <QPainter>
#include <algorithm>

#include "bridge/text.h"
#include "style/theme.h"

namespace ww::ui {

namespace {
constexpr int kRow = 24;
constexpr int kAxis = 16;
constexpr int kName = 70;
}  // namespace

IntervalBar::IntervalBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Times of candidate and baseline"));
}

void IntervalBar::set(const Side& candidate, const Side& baseline) {
    m_candidate = candidate;
    m_baseline = baseline;
    std::vector<double> ends;
    for (const Side* side : {&m_candidate, &m_baseline}) {
        if (side->medianNs) ends.push_back(*side->medianNs);
        if (side->ciNs) ends.insert(ends.end(), {side->ciNs->low, side->ciNs->high});
        // The slowest few samples are outliers that would squeeze the rest: the axis ends at the 95th percentile.
        auto sorted = side->samplesNs;
        std::sort(sorted.begin(), sorted.end());
        if (!sorted.empty()) ends.insert(ends.end(), {sorted.front(), sorted[(sorted.size() - 1) * 95 / 100]});
    }
    if (!ends.empty()) {
        const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
        const double span = qMax(*high - *low, *high * 0.02);
        m_low = qMax(0.0, *low - span * 0.08);
        m_high = *high + span * 0.08;
    }
    if (m_candidate.medianNs) setAccessibleDescription(timeText(*m_candidate.medianNs));
    update();
}

bool IntervalBar::isEmpty() const {
    return !m_candidate.medianNs && m_candidate.samplesNs.empty();
}

QSize IntervalBar::sizeHint() const {
    return {160, 2 * kRow + kAxis};
}

double IntervalBar::xOf(double ns) const {
    return kName + (ns - m_low) / qMax(1e-9, m_high - m_low) * (width() - kName - 6);
}

void IntervalBar::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintSide(painter, m_candidate, kRow / 2, theme.teal, tr("this trial"));
    paintSide(painter, m_baseline, kRow + kRow / 2, theme.blue, tr("baseline"));
    painter.setFont(monoFont(kSmallPixels));
    painter.setPen(theme.secondary);
    const QRect axis(kName, 2 * kRow, width() - kName, kAxis);
    painter.drawText(axis, Qt::AlignLeft | Qt::AlignVCenter, timeText(m_low));
    painter.drawText(axis, Qt::AlignRight | Qt::AlignVCenter, timeText(m_high));
}

void IntervalBar::paintSide(QPainter& painter, const Side& side, int y, const QColor& color, const QString& name) {
    const Theme& theme = Theme::of(this);
    painter.setFont(uiFont(kSmallPixels));
    painter.setPen(theme.secondary);
    painter.drawText(QRect(0, y - kRow / 2, kName - 6, kRow), Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setPen(QPen(theme.line, 1));
    painter.drawLine(QPointF(kName, y), QPointF(width(), y));
    painter.setPen(Qt::NoPen);
    QColor faint = color;
    faint.setAlpha(110);
    painter.setBrush(faint);
    for (std::size_t i = 0; i < side.samplesNs.size(); ++i) {
        if (side.samplesNs[i] > m_high) continue;
        // A fixed scatter by the sample's place in the run keeps equal times apart.
        const double offset = static_cast<double>(i * 7 % 9) - 4;
        painter.drawEllipse(QPointF(xOf(side.samplesNs[i]), y + offset), 1.6, 1.6);
    }
    if (side.ciNs) {
        painter.setBrush(color);
        const double left = xOf(side.ciNs->low);
        painter.drawRoundedRect(QRectF(left, y - 2, qMax(2.0, xOf(side.ciNs->high) - left), 4), 2, 2);
    }
    if (side.medianNs) painter.fillRect(QRectF(xOf(*side.medianNs) - 1, y - 7, 2, 14), theme.text);
}

}  // namespace ww::ui
