// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "bridge/session_control.h"

class QLabel;
class QPushButton;
class QTableView;

namespace ww::ui {

class SessionsModel;

/// Lists the sessions of a database and opens one in the same views. Filled by signal: reading happens elsewhere.
class SessionsDialog : public QDialog {
    Q_OBJECT
public:
    explicit SessionsDialog(QWidget* parent);

    void showList(const SessionList& list);
    void showReading(const QString& database);

Q_SIGNALS:
    void openAsked(const QString& database, const QString& session);
    void otherFileAsked();

private:
    void accept() override;

    SessionsModel* m_model;
    QTableView* m_table;
    QLabel* m_file;
    QPushButton* m_open;
    QString m_database;
};

}  // namespace ww::ui
