// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "model/session_model.h"

namespace ww::ui {

/// Constraints with the number of configurations each refused so far; the most telling first, the rest as one line.
class ConstraintList : public QWidget {
    Q_OBJECT
public:
    ConstraintList(SessionModel* session, QWidget* parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void refresh();
    [[nodiscard]] int shown() const;

    SessionModel* m_session;
    std::vector<ConstraintInfo> m_sorted;
};

}  // namespace ww::ui
