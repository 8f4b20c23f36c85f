// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/trial_view.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QStringBuilder>

#include "base/units.h"
#include "bridge/text.h"
#include "engine/trial_diagnosis.h"
#include "style/theme.h"
#include "views/correctness_text.h"
#include "widgets/bar_row.h"
#include "widgets/interval_bar.h"
#include "widgets/section.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

QGridLayout* makeGrid(Section* section) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    section->body()->addLayout(grid);
    return grid;
}

void empty(QGridLayout* grid) {
    while (auto* item = grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

}  // namespace

TrialView::TrialView(SessionModel* session, QWidget* parent) : QStackedWidget(parent), m_session(session) {
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(u"trialDetails"_s);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    content->setBackgroundRole(QPalette::Base);
    content->setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new Section({}, content);
    m_headline = new QLabel(head);
    m_headline->setFont(uiFont(kTextPixels, QFont::DemiBold));
    m_headline->setWordWrap(true);
    m_message = new QuietLabel(head);
    m_message->setFont(uiFont(kDensePixels));
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    head->body()->addWidget(m_headline);
    head->body()->addWidget(m_message);
    m_diagnosis = new Section(tr("Cause"), content);
    m_cause = new QLabel(m_diagnosis);
    m_cause->setFont(uiFont(kDensePixels));
    m_where = new QuietLabel(m_diagnosis);
    m_where->setFont(monoFont(kDensePixels));
    m_remedy = new QuietLabel(m_diagnosis);
    m_remedy->setFont(uiFont(kDensePixels));
    for (QLabel* label : {m_cause, static_cast<QLabel*>(m_where), static_cast<QLabel*>(m_remedy)}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_diagnosis->body()->addWidget(label);
    }
    m_times = new Section(tr("Time"), content);
    m_interval = new IntervalBar(m_times);
    m_times->body()->addWidget(m_interval);
    m_configuration = new Section(tr("Configuration"), content);
    m_configurationGrid = makeGrid(m_configuration);
    m_stages = new Section(tr("Where the seconds went"), content);
    for (auto& bar : m_stageBars) {
        bar = new BarRow(m_stages);
        m_stages->body()->addWidget(bar);
    }
    m_correctness = new Section(tr("Correctness"), content);
    m_correctHeadline = new QuietLabel(m_correctness);
    m_correctHeadline->setFont(uiFont(kDensePixels));
    m_correctHeadline->setWordWrap(true);
    m_correctDetail = new QuietLabel(m_correctness);
    m_correctDetail->setFont(uiFont(kSmallPixels));
    m_correctDetail->setWordWrap(true);
    m_correctness->body()->addWidget(m_correctHeadline);
    m_correctness->body()->addWidget(m_correctDetail);
    m_facts = new Section(tr("Compiler's report"), content);
    m_factGrid = makeGrid(m_facts);
    for (auto* section : {head, m_diagnosis, m_times, m_correctness, m_configuration, m_stages, m_facts}) layout->addWidget(section);
    layout->addStretch(1);
    scroll->setWidget(content);
    auto* nothing = new QLabel(tr("The newest trial, or the one you select in the table, is explained here."), this);
    nothing->setAlignment(Qt::AlignCenter);
    nothing->setWordWrap(true);
    nothing->setContentsMargins(24, 0, 24, 0);
    nothing->setEnabled(false);
    addWidget(scroll);
    addWidget(nothing);
    connect(session, &SessionModel::restarted, this, &TrialView::refresh);
    connect(session, &SessionModel::selectionChanged, this, &TrialView::refresh);
    connect(session, &SessionModel::bestChanged, this, &TrialView::refresh);
    refresh();
}

void TrialView::refresh() {
    const auto* shown = m_session->shownTrial();
    setCurrentIndex(shown == nullptr ? 1 : 0);
    m_items = 0;
    if (shown == nullptr) {
        Q_EMIT titleChanged(tr("Trial"), {});
        return;
    }
    const auto& record = *shown->record;
    fillHeadline(record);
    fillDiagnosis(record);
    fillTimes(record);
    fillStages(record);
    fillCorrectness(record);
    fillFacts(record);
    fillConfiguration(*shown);
    const bool best = m_session->best().known && m_session->best().trial == record.number;
    const QString follow = m_session->selected() == 0 ? tr("newest") : QString();
    Q_EMIT titleChanged(tr("Trial %1").arg(record.number),
                        record.number == 1 ? tr("the baseline") : best ? tr("best so far") : follow);
}

void TrialView::fillHeadline(const store::TrialRecord& record) {
    ++m_items;
    QString headline = statusTitle(record.status);
    if (record.status == TrialStatus::Ok && record.verdict) headline = verdictTitle(*record.verdict);
    if (record.number == 1 && record.status == TrialStatus::Ok) headline = tr("The baseline: your kernel as it is");
    else if (record.status == TrialStatus::Ok && record.ratio) headline += u": "_s % ratioText(*record.ratio);
    m_headline->setText(headline % u'.');
    QStringList lines;
    if (record.ratioCi && record.number != 1) lines.append(tr("Ratio to the baseline %1 (95 %).").arg(ratioInterval(*record.ratioCi)));
    if (record.sharedWith) lines.append(tr("Same object code as trial %1: its measurement is shared.").arg(*record.sharedWith));
    if (!record.message.empty()) lines.append(toQt(record.message));
    m_message->setText(lines.join(u'\n'));
    m_message->setVisible(!lines.isEmpty());
}

/// The message stays beside it: a diagnosis explains, it does not replace.
void TrialView::fillDiagnosis(const store::TrialRecord& record) {
    const auto found = engine::diagnosisOf(m_session->session(), record);
    m_diagnosis->setVisible(found || record.status != TrialStatus::Ok);
    if (m_diagnosis->isHidden()) return;
    ++m_items;
    const auto language = diagnose::languageOf(QLocale().name().toStdString());
    const auto text = found ? diagnose::Catalogue::builtIn().text(*found, language) : diagnose::Text{};
    m_cause->setText(text.cause.empty() ? tr("Unknown: the message above is all there is.") : toQt(text.cause));
    m_remedy->setText(toQt(text.remedy));
    m_remedy->setVisible(!text.remedy.empty());
    const QString file = QFileInfo(toQt(m_session->session().sourcePath)).fileName();
    m_where->setVisible(found && found->line > 0);
    if (!m_where->isHidden()) m_where->setText(tr("%1, line %2").arg(file).arg(found->line));
}

void TrialView::fillTimes(const store::TrialRecord& record) {
    IntervalBar::Side candidate{record.samplesNs, std::nullopt, record.timeCi};
    if (record.timeNs) candidate.medianNs = static_cast<double>(*record.timeNs);
    IntervalBar::Side baseline{record.baselineSamplesNs, std::nullopt, std::nullopt};
    // The paired ratio tells the baseline's median beside this candidate; trial 1's own is from another minute.
    if (record.timeNs && record.ratio) baseline.medianNs = static_cast<double>(*record.timeNs) * *record.ratio;
    m_times->setVisible(record.status == TrialStatus::Ok && record.timeNs.has_value());
    m_interval->set(candidate, baseline);
    if (!m_times->isHidden()) ++m_items;
}

void TrialView::fillStages(const store::TrialRecord& record) {
    const std::array<std::pair<QString, std::int64_t>, 5> stages{{{tr("Propose"), record.stages.proposeNs},
                                                                  {tr("Compile"), record.stages.compileNs},
                                                                  {tr("Verify"), record.stages.verifyNs},
                                                                  {tr("Bench"), record.stages.benchNs},
                                                                  {tr("Profile"), record.stages.profileNs}}};
    double whole = 0;
    for (const auto& stage : stages) whole += static_cast<double>(stage.second);
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const auto ns = static_cast<double>(stages[i].second);
        m_stageBars[i]->setVisible(ns > 0);
        m_stageBars[i]->set(stages[i].first, timeText(ns), whole > 0 ? ns / whole : 0, false);
        if (ns > 0) ++m_items;
    }
    m_stages->setVisible(whole > 0);
}

void TrialView::fillCorrectness(const store::TrialRecord& record) {
    const CorrectnessText text = describeCorrectness(record);
    m_correctness->setVisible(!text.headline.isEmpty());
    m_correctHeadline->setText((text.passed ? u"● "_s : u"✕ "_s) % text.headline);
    m_correctHeadline->setTone(text.passed ? QuietLabel::Tone::Good : QuietLabel::Tone::Bad);
    m_correctDetail->setText(text.detail);
    m_correctDetail->setVisible(!text.detail.isEmpty());
    if (!text.headline.isEmpty()) ++m_items;
}

void TrialView::fillFacts(const store::TrialRecord& record) {
    empty(m_factGrid);
    int row = 0;
    const auto add = [&](const char* key, const QString& name, bool bytes) {
        const Json* value = member(record.compileFacts, key);
        if (value == nullptr || !value->is_number() || value->get<double>() < 0) return;
        addFact(m_factGrid, row++, name, bytes ? toQt(formatBytes(value->get<std::uint64_t>())) : countText(value->get<double>()));
    };
    add("registers", tr("Registers per thread"), false);
    add("static_shared_bytes", tr("Shared memory"), true);
    add("stack_bytes", tr("Stack"), true);
    add("spill_store_bytes", tr("Spilled, stores"), true);
    add("spill_load_bytes", tr("Spilled, loads"), true);
    add("constant_bytes", tr("Constant memory"), true);
    if (!record.objectHash.empty()) addFact(m_factGrid, row++, tr("Object"), toQt(record.objectHash).left(12));
    m_facts->setVisible(row > 0);
    m_items += row;
}

void TrialView::fillConfiguration(const TrialInfo& trial) {
    empty(m_configurationGrid);
    int row = 0;
    if (trial.record->config.is_object()) {
        for (const auto& item : trial.record->config.items()) {
            addFact(m_configurationGrid, row++, toQt(item.key()), valueText(item.value()));
        }
    }
    m_configuration->setVisible(row > 0);
    m_items += row;
}

void TrialView::addFact(QGridLayout* grid, int row, const QString& name, const QString& value) {
    const bool parameter = grid == m_configurationGrid;
    auto* label = new QuietLabel(nullptr);
    label->setFont(parameter ? monoFont(kDensePixels) : uiFont(kDensePixels));
    label->setText(name);
    auto* figure = new QLabel(value);
    figure->setFont(monoFont(kDensePixels));
    figure->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    grid->addWidget(label, row, 0);
    grid->addWidget(figure, row, 1);
}

}  // namespace ww::ui
