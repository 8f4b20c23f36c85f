// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>
#include <array>

#include "model/session_model.h"

class QGridLayout;
class QLabel;

namespace ww::ui {

class BarRow;
class IntervalBar;
class QuietLabel;
class Section;

/// Everything about the selected trial (else the newest): how it ended and why, its times, where its seconds went, whether it
/// is right and what the compiler said.
class TrialView : public QStackedWidget {
    Q_OBJECT
public:
    TrialView(SessionModel* session, QWidget* parent);

    [[nodiscard]] int items() const { return m_items; }

Q_SIGNALS:
    void titleChanged(const QString& title, const QString& note);

private:
    void refresh();
    void fillHeadline(const store::TrialRecord& record);
    void fillDiagnosis(const store::TrialRecord& record);
    void fillTimes(const store::TrialRecord& record);
    void fillStages(const store::TrialRecord& record);
    void fillCorrectness(const store::TrialRecord& record);
    void fillFacts(const store::TrialRecord& record);
    void fillConfiguration(const TrialInfo& trial);
    void addFact(QGridLayout* grid, int row, const QString& name, const QString& value);

    SessionModel* m_session;
    QLabel* m_headline;
    QuietLabel* m_message;
    Section* m_diagnosis;
    QLabel* m_cause;
    QuietLabel *m_where, *m_remedy;
    Section *m_configuration, *m_times, *m_stages, *m_correctness, *m_facts;
    QGridLayout *m_configurationGrid, *m_factGrid;
    IntervalBar* m_interval;
    std::array<BarRow*, 5> m_stageBars{};
    QuietLabel* m_correctHeadline;
    QuietLabel* m_correctDetail;
    int m_items = 0;
};

}  // namespace ww::ui
