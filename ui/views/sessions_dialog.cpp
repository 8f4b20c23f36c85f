// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sessions_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "model/sessions_model.h"
#include "style/theme.h"
#include "widgets/section.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

SessionsDialog::SessionsDialog(QWidget* parent)
    : QDialog(parent), m_model(new SessionsModel(this)), m_table(new QTableView(this)), m_file(new QuietLabel(this)) {
    setObjectName(u"sessionsDialog"_s);
    setWindowTitle(tr("Stored sessions"));
    resize(860, 440);
    m_table->setObjectName(u"sessionTable"_s);
    m_table->setAccessibleName(tr("Stored sessions, newest first"));
    m_table->setModel(m_model);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setSectionsClickable(false);
    m_table->horizontalHeader()->setSectionResizeMode(SessionsModel::Device, QHeaderView::Stretch);
    m_table->setFont(uiFont(kDensePixels));
    auto* buttons = new QDialogButtonBox(this);
    m_open = buttons->addButton(tr("Open session"), QDialogButtonBox::AcceptRole);
    m_open->setDefault(true);
    auto* other = buttons->addButton(tr("Other database…"), QDialogButtonBox::ActionRole);
    buttons->addButton(QDialogButtonBox::Cancel);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_file);
    layout->addWidget(m_table, 1);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(other, &QPushButton::clicked, this, &SessionsDialog::otherFileAsked);
    connect(m_table, &QTableView::doubleClicked, this, &QDialog::accept);
    m_open->setEnabled(false);
}

void SessionsDialog::showReading(const QString& database) {
    m_file->setText(database.isEmpty() ? tr("Reading…") : tr("Reading %1…").arg(database));
    m_model->setSessions({});
    m_open->setEnabled(false);
}

void SessionsDialog::showList(const SessionList& list) {
    m_database = list.database;
    m_file->setText(list.sessions.empty() ? tr("%1 holds no session yet. Tune a kernel, and it appears here.").arg(list.database) : list.database);
    m_model->setSessions(list.sessions);
    m_open->setEnabled(!list.sessions.empty());
    if (list.sessions.empty()) return;
    m_table->resizeColumnsToContents();
    m_table->horizontalHeader()->setSectionResizeMode(SessionsModel::Device, QHeaderView::Stretch);
    m_table->selectRow(0);
}

void SessionsDialog::accept() {
    const qint64 id = m_model->idAt(m_table->currentIndex().row());
    if (id == 0) return;
    QDialog::accept();
    Q_EMIT openAsked(m_database, QString::number(id));
}

}  // namespace ww::ui
