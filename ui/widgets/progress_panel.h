// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QSpinBox;

namespace ww::ui {

class QuietLabel;

/// "74 of [200] trials" over a thin bar; the budget is edited in place, also while a session runs.
class ProgressPanel : public QWidget {
    Q_OBJECT
public:
    explicit ProgressPanel(QWidget* parent);

    void set(int done, const QString& remaining);
    [[nodiscard]] int budget() const;
    void setBudget(int trials);
    [[nodiscard]] QSpinBox* budgetBox() const { return m_budget; }

Q_SIGNALS:
    void budgetChosen(int trials);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_done = 0;
    QuietLabel *m_before, *m_after, *m_remaining;
    QSpinBox* m_budget;
};

}  // namespace ww::ui
