// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/trials_view.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QStringBuilder>
#include <QTableView>

#include "bridge/text.h"
#include "model/trials_model.h"
#include "style/theme.h"
#include "views/trial_delegate.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

TrialsView::TrialsView(SessionModel* session, QWidget* parent)
    : QStackedWidget(parent), m_session(session), m_model(new TrialsModel(session, this)), m_table(new QTableView(this)) {
    m_table->setObjectName(u"trialTable"_s);
    m_table->setAccessibleName(tr("Trials, newest first"));
    m_table->setModel(m_model);
    m_table->setItemDelegate(new TrialDelegate(m_table));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setMinimumSectionSize(20);
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    auto* header = m_table->horizontalHeader();
    header->setSectionsClickable(false);
    header->setHighlightSections(false);
    header->setFixedHeight(28);
    header->setFont(uiFont(kDensePixels));
    header->setMinimumSectionSize(40);
    auto* empty = new QLabel(tr("Trials appear here, the newest first, once tuning runs."), this);
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setEnabled(false);
    addWidget(m_table);
    addWidget(empty);

    auto* copy = new QAction(tr("Copy configuration"), m_table);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, [this] {
        if (const auto* shown = m_session->shownTrial()) QGuiApplication::clipboard()->setText(configurationSentence(shown->record->config));
    });
    auto* again = new QAction(tr("Try this configuration next"), m_table);
    connect(again, &QAction::triggered, this, [this] {
        if (const auto* shown = m_session->shownTrial()) Q_EMIT tryAsked(shown->record->number);
    });
    m_table->addActions({copy, again});
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);

    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!m_selecting) m_session->select(m_model->trialNumberAt(current.row()));
    });
    connect(m_model, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int, int last) {
        // Rows arrive above: what the reader looks at must not move.
        auto* bar = m_table->verticalScrollBar();
        if (bar->value() > 0) bar->setValue(bar->value() + last + 1);
        sizeColumns();
    });
    connect(session, &SessionModel::trialsAdded, this, [this] {
        setCurrentIndex(0);
        Q_EMIT noteChanged(note());
    });
    connect(session, &SessionModel::restarted, this, [this] {
        m_sized = false;
        setCurrentIndex(m_session->trials().empty() ? 1 : 0);
        Q_EMIT noteChanged(note());
    });
    connect(session, &SessionModel::selectionChanged, this, &TrialsView::followSelection);
    setCurrentIndex(session->trials().empty() ? 1 : 0);
    sizeColumns();
}

int TrialsView::items() const {
    return m_model->rowCount();
}

QString TrialsView::note() const {
    const int all = static_cast<int>(m_session->trials().size());
    if (all == 0) return {};
    const int failed = m_session->failedTrials();
    return tr("%1 correct").arg(all - failed) % u" · "_s % tr("%1 failed").arg(failed);
}

void TrialsView::sizeColumns() {
    // Sized once per session from the first row and fixed samples: live columns that resize to contents cost a scan per row.
    if (m_sized) return;
    const QFontMetrics mono(monoFont());
    const QFontMetrics badge(monoFont(kSmallPixels));
    const auto wide = [&mono](const QString& sample) { return mono.horizontalAdvance(sample) + 22; };
    auto* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->resizeSection(TrialsModel::Number, wide(u"0000"_s));
    header->resizeSection(TrialsModel::Outcome, badge.horizontalAdvance(u"nondeterministic"_s) + 34);
    header->resizeSection(TrialsModel::Time, wide(u"0.00 ms"_s) + 8);
    header->resizeSection(TrialsModel::HalfWidth, wide(u"±00.0 %"_s));
    header->resizeSection(TrialsModel::Ratio, wide(u"00.00×"_s));
    header->resizeSection(TrialsModel::Reward, wide(u"-00.00"_s));
    header->setSectionResizeMode(TrialsModel::Configuration, QHeaderView::Stretch);
    m_sized = m_model->rowCount() > 0;
}

void TrialsView::followSelection() {
    m_selecting = true;
    const int row = m_session->selected() > 0 ? m_model->rowOf(m_session->selected()) : -1;
    if (row < 0) {
        m_table->clearSelection();
        m_table->setCurrentIndex({});
    } else if (m_table->currentIndex().row() != row) {
        m_table->setCurrentIndex(m_model->index(row, 0));
    }
    m_selecting = false;
}

}  // namespace ww::ui
