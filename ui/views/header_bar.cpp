// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/header_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QSpinBox>
#include <QStringBuilder>

#include "bridge/text.h"
#include "style/theme.h"
#include "widgets/action_button.h"
#include "widgets/best_figure.h"
#include "widgets/fact_chip.h"
#include "widgets/progress_panel.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHeight = 56;
constexpr int kRoomForNoise = 1440;     ///< narrower windows tell the noise floor in the status bar alone

QPushButton* makeButton(const QString& name, QWidget* parent) {
    auto* button = new QPushButton(parent);
    button->setObjectName(name);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

}  // namespace

HeaderBar::HeaderBar(SessionModel* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_layout(new QHBoxLayout(this)),
      m_kernel(new QLabel(this)),
      m_workload(new FactChip(this)),
      m_noise(new FactChip(this)),
      m_device(new QComboBox(this)),
      m_objective(new QComboBox(this)),
      m_best(new BestFigure(this)),
      m_progress(new ProgressPanel(this)),
      m_start(new ActionButton(this)),
      m_step(new ActionButton(this)),
      m_stop(new ActionButton(this)) {
    setObjectName(u"header"_s);
    m_start->setObjectName(u"startButton"_s);
    m_step->setObjectName(u"stepButton"_s);
    m_stop->setObjectName(u"stopButton"_s);
    setFixedHeight(kHeight);
    m_kernel->setFont(uiFont(15, QFont::DemiBold));
    m_kernel->setObjectName(u"kernelName"_s);
    m_noise->setToolTip(tr("Differences smaller than this are noise: an A/A run of the baseline against itself"));
    m_workload->setToolTip(tr("The workload that is tuned"));
    m_device->setObjectName(u"device"_s);
    m_device->setAccessibleName(tr("Device"));
    m_device->setToolTip(tr("Where candidates are run and timed"));
    m_device->setMinimumContentsLength(9);
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_device->setMaximumWidth(230);
    m_objective->setObjectName(u"objective"_s);
    m_objective->setAccessibleName(tr("Objective"));
    m_objective->setToolTip(tr("What the reward weighs; the final ranking is by verified time"));
    m_objective->addItem(tr("composite"), u"composite"_s);
    m_objective->addItem(tr("latency"), u"latency"_s);
    m_objective->addItem(tr("throughput"), u"throughput"_s);
    for (auto* box : {m_device, m_objective}) {
        box->setFont(uiFont(kDensePixels));
        box->setFocusPolicy(Qt::TabFocus);
    }
    setDevices({});
    arrange(m_layout);
    connect(m_device, &QComboBox::activated, this, [this] {
        m_deviceWord = m_device->currentData().toString();
        Q_EMIT deviceChosen(m_deviceWord);
    });
    connect(m_progress, &ProgressPanel::budgetChosen, this, [this](int trials) {
        showProgress();
        Q_EMIT budgetChosen(trials);
    });
    connect(session, &SessionModel::restarted, this, &HeaderBar::refresh);
    connect(session, &SessionModel::bestChanged, this, [this] { m_best->set(m_session->best()); });
    for (const auto signal : {&SessionModel::progressChanged, &SessionModel::runningChanged, &SessionModel::sessionEnded}) {
        connect(session, signal, this, &HeaderBar::showProgress);
    }
    connect(session, &SessionModel::trialsAdded, this, &HeaderBar::showProgress);
    refresh();
}

void HeaderBar::arrange(QHBoxLayout* layout) {
    layout->setContentsMargins(12, 0, 12, 0);
    layout->setSpacing(8);
    layout->addWidget(m_kernel);
    layout->addWidget(m_workload);
    layout->addWidget(m_device);
    layout->addWidget(m_objective);
    layout->addWidget(m_noise);
    layout->addStretch(1);
    layout->addWidget(m_best);
    layout->addSpacing(8);
    layout->addWidget(m_progress);
    layout->addSpacing(4);
    for (auto* button : {m_start, m_step, m_stop}) layout->addWidget(button);
}

void HeaderBar::addMenu(const QString& text, QMenu* menu, bool atEnd) {
    auto* button = makeButton(u"menu_"_s % menu->objectName(), this);
    button->setText(text);
    button->setMenu(menu);
    if (atEnd) m_layout->addWidget(button);
    else m_layout->insertWidget(0, button);
}

void HeaderBar::setActions(QAction* startPause, QAction* step, QAction* stop) {
    m_start->setAction(startPause);
    m_step->setAction(step);
    m_stop->setAction(stop);
}

void HeaderBar::setDevices(const QList<DeviceChoice>& devices) {
    m_device->clear();
    m_device->addItem(tr("Automatic"), u"auto"_s);
    m_device->setItemData(0, tr("The first CUDA GPU, else the CPU"), Qt::ToolTipRole);
    for (const auto& choice : devices) {
        m_device->addItem(choice.name, choice.word);
        m_device->setItemData(m_device->count() - 1, choice.word, Qt::ToolTipRole);
    }
    setDevice(m_deviceWord);
}

void HeaderBar::setDevice(const QString& word) {
    m_deviceWord = word.isEmpty() ? u"auto"_s : word;
    const QString wanted = m_deviceWord == u"cuda" ? u"cuda:0"_s : m_deviceWord;
    int index = m_device->findData(wanted);
    if (index < 0) {
        m_device->addItem(wanted, wanted);
        index = m_device->count() - 1;
    }
    m_device->setCurrentIndex(index);
}

QString HeaderBar::device() const { return m_deviceWord; }
QString HeaderBar::objective() const { return m_objective->currentData().toString(); }
int HeaderBar::budget() const { return m_progress->budget(); }
void HeaderBar::setBudget(int trials) { m_progress->setBudget(trials); }

void HeaderBar::showState(SessionControl::State state, bool ready) {
    m_state = state;
    const bool idle = state == SessionControl::State::Idle;
    m_device->setEnabled(idle);
    m_objective->setEnabled(idle);
    m_start->setDefault(idle && ready && !m_session->ended());
    m_start->refresh();
    showProgress();
}

void HeaderBar::refresh() {
    const auto& session = m_session->session();
    m_kernel->setText(toQt(session.kernel));
    m_kernel->setToolTip(toQt(session.title));
    m_kernel->setVisible(!session.kernel.empty());
    m_workload->setText(toQt(session.workload));
    if (!session.objective.empty()) {
        if (const int index = m_objective->findData(toQt(session.objective)); index >= 0) m_objective->setCurrentIndex(index);
    }
    const bool open = m_session->origin() != SessionModel::Origin::Empty;
    for (QWidget* part : std::initializer_list<QWidget*>{m_best, m_progress, m_device, m_objective, m_start, m_step, m_stop}) part->setVisible(open);
    if (const Json* name = member(session.device, "name"); name != nullptr && m_session->origin() != SessionModel::Origin::Task) {
        m_device->setItemText(m_device->currentIndex(), valueText(*name));
        m_device->setToolTip(valueText(*name));
    }
    if (session.budgetTrials > 0) setBudget(session.budgetTrials);
    m_best->set(m_session->best());
    showProgress();
}

void HeaderBar::showProgress() {
    const auto& progress = m_session->progress();
    const int done = static_cast<int>(m_session->trials().size());
    QString remaining;
    if (m_session->stage() == engine::Stage::Finalists) remaining = tr("finalists");
    else if (m_session->ended() || m_session->origin() == SessionModel::Origin::Stored) remaining = tr("done");
    else if (m_state == SessionControl::State::Paused) remaining = tr("paused");
    else if (m_state == SessionControl::State::Stopping) remaining = tr("stopping");
    else if (m_state == SessionControl::State::Starting) remaining = tr("starting");
    else if (progress.etaSeconds) remaining = tr("%1 left").arg(durationText(*progress.etaSeconds));
    m_progress->set(done, remaining);
    const double floor = m_session->session().noiseFloor;
    const bool room = width() >= kRoomForNoise;
    m_noise->setText(floor > 0 && room ? tr("noise floor %1 %").arg(QLocale().toString(floor * 100, 'f', 2)) : QString());
}

void HeaderBar::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
}

void HeaderBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showProgress();
}

}  // namespace ww::ui
