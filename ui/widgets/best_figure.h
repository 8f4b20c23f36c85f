// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "model/session_model.h"

namespace ww::ui {

/// The one large figure: how much faster, with its interval, the trial it comes from, and whether it was verified again.
class BestFigure : public QWidget {
    Q_OBJECT
public:
    explicit BestFigure(QWidget* parent);

    void set(const BestInfo& best);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    BestInfo m_best;
    QString m_figure, m_caption, m_detail;
};

}  // namespace ww::ui
