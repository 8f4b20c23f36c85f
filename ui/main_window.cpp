// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include <QAction>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QStackedWidget>
#include <QStringBuilder>
#include <QVBoxLayout>

#include "bridge/text.h"
#include "style/theme.h"
#include "views/curves_view.h"
#include "views/header_bar.h"
#include "views/sessions_dialog.h"
#include "views/source_view.h"
#include "views/space_view.h"
#include "views/start_page.h"
#include "views/status_strip.h"
#include "views/trial_view.h"
#include "views/trials_view.h"
#include "widgets/banner.h"
#include "widgets/dock.h"
#include "widgets/tab_strip.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

MainWindow::MainWindow(SessionControl* control, std::shared_ptr<Settings> settings, const WindowOptions& options)
    : m_control(control),
      m_settings(std::move(settings)),
      m_options(options),
      m_session(new SessionModel(this)),
      m_pages(new QStackedWidget(this)),
      m_dockArea(new QMainWindow),
      m_start(new StartPage(StartPage::findKernels(options.kernelsRoot), m_pages)),
      m_header(new HeaderBar(m_session, this)),
      m_banner(new Banner(this)),
      m_status(new StatusStrip(m_session, this)) {
    setObjectName(u"mainWindow"_s);
    setWindowTitle(tr("Warpwright"));
    setMinimumSize(960, 560);
    resize(1440, 900);
    auto* whole = new QWidget(this);
    auto* column = new QVBoxLayout(whole);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_banner);
    column->addWidget(m_pages, 1);
    column->addWidget(m_status);
    setCentralWidget(whole);
    m_pages->addWidget(m_start);
    // A main window inside a page holds the docks, so that the start page can take their place.
    m_dockArea->setWindowFlags(Qt::Widget);
    m_pages->addWidget(m_dockArea);
    m_dockArea->setContentsMargins(8, 8, 8, 8);
    m_dockArea->setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    makeDocks();
    makeActions();
    makeMenus();
    wireModel();
    wireControl();
    arrangeDocks();
    m_header->setBudget(options.session.trials);
    m_header->setDevice(toQt(options.session.device));
    if (options.remember) {
        if (const QByteArray geometry = m_settings->geometry(); !geometry.isEmpty()) restoreGeometry(geometry);
        if (const QByteArray layout = m_settings->layout(); !layout.isEmpty()) m_dockArea->restoreState(layout);
    }
    setFocusPolicy(Qt::ClickFocus);
    setFocus(Qt::OtherFocusReason);   // not the budget: a caret in it looks like an edit
    showDocks(false);
    onState(m_control->state());
}

MainWindow::~MainWindow() = default;

void MainWindow::makeDocks() {
    m_space = new SpaceView(m_session, m_dockArea);
    m_curves = new CurvesView(m_session, m_dockArea);
    m_trials = new TrialsView(m_session, m_dockArea);
    m_source = new SourceView(m_session, m_dockArea);
    m_trial = new TrialView(m_session, m_dockArea);
    auto* space = new Dock(u"dockSpace"_s, tr("Search space"), m_space, [this] { return m_space->items(); }, m_dockArea);
    auto* curves = new Dock(u"dockCurves"_s, tr("Curves"), m_curves, [this] { return m_curves->items(); }, m_dockArea);
    auto* trials = new Dock(u"dockTrials"_s, tr("Trials"), m_trials, [this] { return m_trials->items(); }, m_dockArea);
    auto* source = new Dock(u"dockSource"_s, tr("Source"), m_source, [this] { return m_source->items(); }, m_dockArea);
    auto* trial = new Dock(u"dockTrial"_s, tr("Trial"), m_trial, [this] { return m_trial->items(); }, m_dockArea);
    auto* curveTabs = new TabStrip(m_curves, curves);
    curveTabs->setObjectName(u"curveTabs"_s);
    curveTabs->setAccessibleName(tr("Curves"));
    curveTabs->addTab(tr("Ratio"));
    curveTabs->addTab(tr("Reward parts"));
    curves->setTabs(curveTabs);
    auto* sourceTabs = new TabStrip(m_source, source);
    sourceTabs->setObjectName(u"sourceTabs"_s);
    sourceTabs->setAccessibleName(tr("Source"));
    sourceTabs->addTab(tr("Source"));
    sourceTabs->addTab(tr("Diff to original"));
    source->setTabs(sourceTabs);
    connect(m_space, &SpaceView::noteChanged, space, &Dock::setNote);
    connect(m_trials, &TrialsView::noteChanged, trials, &Dock::setNote);
    connect(m_trial, &TrialView::titleChanged, trial, [trial](const QString& title, const QString& note) {
        trial->setTitle(title);
        trial->setNote(note);
    });
    m_docks = {space, curves, trials, source, trial};
}

void MainWindow::arrangeDocks() {
    Dock *space = m_docks[0], *curves = m_docks[1], *trials = m_docks[2], *source = m_docks[3], *trial = m_docks[4];
    for (auto* dock : m_docks) {
        dock->setFloating(false);
        dock->show();
    }
    m_dockArea->addDockWidget(Qt::LeftDockWidgetArea, space);
    m_dockArea->splitDockWidget(space, curves, Qt::Horizontal);
    m_dockArea->splitDockWidget(curves, trial, Qt::Horizontal);
    m_dockArea->splitDockWidget(curves, trials, Qt::Vertical);
    m_dockArea->splitDockWidget(trials, source, Qt::Vertical);
    m_dockArea->resizeDocks({space, curves, trial}, {330, 640, 300}, Qt::Horizontal);
    m_dockArea->resizeDocks({curves, trials, source}, {330, 300, 250}, Qt::Vertical);
}

void MainWindow::resetLayout() {
    m_settings->forgetLayout();
    arrangeDocks();
}

void MainWindow::showDocks(bool shown) {
    m_pages->setCurrentWidget(shown ? static_cast<QWidget*>(m_dockArea) : m_start);
    m_status->setVisible(shown);
}

void MainWindow::wireModel() {
    connect(m_space, &SpaceView::pinAsked, m_control, &SessionControl::pin);
    connect(m_space, &SpaceView::unpinAsked, m_control, &SessionControl::unpin);
    connect(m_space, &SpaceView::banAsked, m_control, &SessionControl::ban);
    connect(m_space, &SpaceView::unbanAsked, m_control, &SessionControl::unban);
    connect(m_trials, &TrialsView::tryAsked, this, [this](int number) {
        if (const auto* trial = m_session->trial(number)) m_control->tryConfiguration(trial->values);
    });
    connect(m_session, &SessionModel::restarted, this, [this] {
        const auto& session = m_session->session();
        setWindowTitle(session.kernel.empty() ? tr("Warpwright") : tr("%1 – Warpwright").arg(toQt(session.kernel)));
    });
    connect(m_session, &SessionModel::selectionChanged, this, &MainWindow::updateActions);
}

void MainWindow::wireControl() {
    connect(m_control, &SessionControl::stateChanged, this, &MainWindow::onState);
    connect(m_control, &SessionControl::devicesListed, m_header, &HeaderBar::setDevices);
    connect(m_control, &SessionControl::taskOpened, this, &MainWindow::onTask);
    connect(m_control, &SessionControl::storedOpened, this, &MainWindow::onStored);
    connect(m_control, &SessionControl::eventsArrived, m_session, qOverload<const EventBatch&>(&SessionModel::apply));
    connect(m_control, &SessionControl::maskChanged, m_session, &SessionModel::setMask);
    connect(m_control, &SessionControl::failed, this, &MainWindow::onFailed);
    connect(m_control, &SessionControl::sessionsListed, this, [this](const std::shared_ptr<const SessionList>& list) {
        if (m_sessionsDialog != nullptr) m_sessionsDialog->showList(*list);
    });
    connect(m_header, &HeaderBar::deviceChosen, this, [this](const QString& word) {
        if (m_options.remember) m_settings->setDevice(word);
        if (!m_kernelPath.isEmpty() && !m_control->isActive()) m_control->openTask(m_kernelPath, word, toQt(m_options.session.workload));
    });
    connect(m_header, &HeaderBar::budgetChosen, this, [this](int trials) {
        if (m_options.remember) m_settings->setTrials(trials);
        if (m_control->isActive()) {
            m_control->setBudget(trials);
            m_session->setBudget(trials);
        }
    });
    connect(m_start, &StartPage::openAsked, this, [this](const QString& path) { openKernel(path, false); });
    connect(m_start, &StartPage::tuneAsked, this, [this](const QString& path) { openKernel(path, true); });
    connect(m_start, &StartPage::openFileAsked, this, &MainWindow::askForKernel);
    connect(m_start, &StartPage::openDatabaseAsked, this, &MainWindow::askForDatabase);
}

void MainWindow::openKernel(const QString& path, bool start) {
    m_banner->hide();
    m_startWhenOpened = start;
    m_control->openTask(path, m_header->device(), toQt(m_options.session.workload));
}

void MainWindow::openStored(const QString& database, const QString& session) {
    m_banner->hide();
    m_control->openStored(database, session);
}

void MainWindow::onTask(const std::shared_ptr<const OpenedTask>& task) {
    if (m_control->isActive()) return;
    m_kernelPath = task->path;
    auto draft = task->draft;
    draft.budgetTrials = m_header->budget();
    m_session->begin(SessionModel::Origin::Task, draft, task->sites);
    showDocks(true);
    if (m_options.remember) m_settings->addRecent(task->path);
    if (!task->notes.isEmpty()) m_banner->showNote(tr("Assumed"), task->notes.join(u" · "_s));
    updateActions();
    Q_EMIT opened();
    if (m_startWhenOpened) startSession(false);
    m_startWhenOpened = false;
}

void MainWindow::onStored(const std::shared_ptr<const StoredSession>& stored) {
    if (m_control->isActive()) return;
    m_kernelPath.clear();
    auto session = stored->session;
    m_session->begin(SessionModel::Origin::Stored, session, stored->sites);
    m_session->setRejections(stored->rejections);
    m_session->addTrials(stored->trials);
    m_session->addEvents(stored->events);
    if (!session.finalists.empty()) m_session->apply(EventBatch{engine::FinalistsMeasured{session.finalists}});
    showDocks(true);
    updateActions();
    Q_EMIT opened();
}

void MainWindow::startSession(bool paused) {
    if (m_kernelPath.isEmpty() || m_control->isActive()) return;
    engine::SessionOptions options = m_options.session;
    options.specPath = fromQt(m_kernelPath);
    options.device = fromQt(m_header->device());
    options.objective = fromQt(m_header->objective());
    options.trials = m_header->budget();
    options.owner = "warpwright (window)";
    m_banner->hide();
    m_control->start(options, paused);
}

void MainWindow::startOrPause() {
    switch (m_control->state()) {
    case SessionControl::State::Idle: startSession(false); break;
    case SessionControl::State::Running: m_control->pause(); break;
    case SessionControl::State::Paused: m_control->resume(); break;
    case SessionControl::State::Starting:
    case SessionControl::State::Stopping: break;
    }
}

void MainWindow::stepOnce() {
    if (m_control->state() == SessionControl::State::Idle) {
        m_stepPending = true;
        startSession(true);
    } else if (m_control->state() == SessionControl::State::Paused) {
        m_control->step();
    }
}

void MainWindow::onState(SessionControl::State state) {
    const bool ended = state == SessionControl::State::Idle && m_session->ended().has_value() && m_session->origin() == SessionModel::Origin::Live;
    updateActions();
    if (state == SessionControl::State::Paused && m_stepPending) {
        m_stepPending = false;
        m_control->step();
    }
    if (m_closing && state == SessionControl::State::Idle) {
        close();
        return;
    }
    if (!ended) return;
    const auto& end = *m_session->ended();
    if (end.error) m_banner->showError(*end.error);
    Q_EMIT sessionFinished(end.status != store::SessionStatus::Failed, end.error ? toQt(end.error->toString()) : QString());
}

void MainWindow::onFailed(const Error& error) {
    m_startWhenOpened = m_stepPending = false;
    m_banner->showError(error);
    if (!m_control->isActive() || m_control->state() == SessionControl::State::Starting) Q_EMIT openFailed(toQt(error.toString()));
}

void MainWindow::drawPending() {
    // Nested layouts pass their requests up one level at a time.
    for (int level = 0; level < 4; ++level) QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    m_curves->drawNow();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_control->isActive()) {
        // Stopping saves the session; the window goes when that is done, which takes as long as killing the workers.
        m_closing = true;
        m_banner->showNote(tr("Stopping"), tr("The session is being saved; the window closes by itself."));
        m_control->stop();
        event->ignore();
        return;
    }
    if (m_options.remember) m_settings->setWindow(saveGeometry(), m_dockArea->saveState());
    event->accept();
}

}  // namespace ww::ui
