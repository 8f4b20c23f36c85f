// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStackedWidget>

#include "model/session_model.h"

class QTableView;

namespace ww::ui {

class TrialsModel;

/// The trial table, newest first. Keeps its scroll place while rows arrive unless it stands at the newest row.
class TrialsView : public QStackedWidget {
    Q_OBJECT
public:
    TrialsView(SessionModel* session, QWidget* parent);

    [[nodiscard]] int items() const;
    [[nodiscard]] QString note() const;
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] TrialsModel* model() const { return m_model; }

Q_SIGNALS:
    void noteChanged(const QString& note);
    void tryAsked(int trialNumber);     ///< run this trial's configuration again

private:
    void sizeColumns();
    void followSelection();

    SessionModel* m_session;
    TrialsModel* m_model;
    QTableView* m_table;
    bool m_selecting = false;
    bool m_sized = false;
};

}  // namespace ww::ui
