// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "base/trial_status.h"

namespace ww::ui {

/// Candidate against baseline on one axis of times: raw samples as dots where they are loaded, median and interval as marks.
class IntervalBar : public QWidget {
    Q_OBJECT
public:
    struct Side {
        std::vector<double> samplesNs;
        std::optional<double> medianNs;
        std::optional<Interval> ciNs;
    };

    explicit IntervalBar(QWidget* parent);

    void set(const Side& candidate, const Side& baseline);
    [[nodiscard]] bool isEmpty() const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintSide(QPainter& painter, const Side& side, int y, const QColor& color, const QString& name);
    [[nodiscard]] double xOf(double ns) const;

    Side m_candidate, m_baseline;
    double m_low = 0, m_high = 1;
};

}  // namespace ww::ui
