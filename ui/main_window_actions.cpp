// SPDX-License-Identifier: GPL-3.0-or-later
// Actions, menus and file dialogs of MainWindow.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QStringBuilder>

#include "bridge/text.h"
#include "main_window.h"
#include "style/theme.h"
#include "views/header_bar.h"
#include "views/sessions_dialog.h"
#include "widgets/banner.h"
#include "widgets/dock.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

QAction* MainWindow::makeAction(const QString& name, const QString& text, const QKeySequence& keys, const QString& tip) {
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WindowShortcut);
    action->setToolTip(tip);
    addAction(action);
    return action;
}

void MainWindow::makeActions() {
    m_openAction = makeAction(u"actionOpen"_s, tr("Open a kernel…"), QKeySequence::Open, tr("Open a spec or a kernel's source"));
    m_databaseAction = makeAction(u"actionDatabase"_s, tr("Stored sessions…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
                                  tr("Look at a stored session in the same views"));
    m_startAction = makeAction(u"actionStart"_s, tr("Start"), QKeySequence(Qt::Key_F5), tr("Start tuning"));
    m_stepAction = makeAction(u"actionStep"_s, tr("Step"), QKeySequence(Qt::Key_F10), tr("Run one trial, then pause"));
    m_stopAction = makeAction(u"actionStop"_s, tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5), tr("Stop and save; the session can be resumed"));
    m_followAction = makeAction(u"actionFollow"_s, tr("Follow the newest trial"), QKeySequence(Qt::CTRL | Qt::Key_End), tr("Follow the newest trial"));
    m_quitAction = makeAction(u"actionQuit"_s, tr("Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), tr("Quit; a running session is stopped and saved"));
    connect(m_openAction, &QAction::triggered, this, &MainWindow::askForKernel);
    connect(m_databaseAction, &QAction::triggered, this, &MainWindow::askForDatabase);
    connect(m_startAction, &QAction::triggered, this, &MainWindow::startOrPause);
    connect(m_stepAction, &QAction::triggered, this, &MainWindow::stepOnce);
    connect(m_stopAction, &QAction::triggered, this, [this] { m_control->stop(); });
    connect(m_followAction, &QAction::triggered, this, [this] { m_session->select(0); });
    connect(m_quitAction, &QAction::triggered, this, &QWidget::close);
    m_startAction->setData(QChar(u'>'));
    m_stepAction->setData(QChar(u's'));
    m_stopAction->setData(QChar(u'x'));
    m_header->setActions(m_startAction, m_stepAction, m_stopAction);
}

void MainWindow::makeMenus() {
    auto* open = new QMenu(this);
    open->setObjectName(u"open"_s);
    open->addAction(m_openAction);
    open->addAction(m_databaseAction);
    auto* recent = open->addMenu(tr("Recent kernels"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] {
        recent->clear();
        for (const QString& path : m_settings->recent()) recent->addAction(path, this, [this, path] { openKernel(path, false); });
        if (recent->isEmpty()) recent->addAction(tr("None yet"))->setEnabled(false);
    });
    auto* bundled = open->addAction(tr("Bundled kernels"));
    connect(bundled, &QAction::triggered, this, [this] {
        if (!m_control->isActive()) {
            m_session->clear();
            m_kernelPath.clear();
            showDocks(false);
            updateActions();
        }
    });
    open->addSeparator();
    open->addAction(m_quitAction);
    m_header->addMenu(tr("Open"), open, false);

    auto* view = new QMenu(this);
    view->setObjectName(u"view"_s);
    int number = 1;
    for (auto* dock : m_docks) {
        auto* toggle = dock->toggleViewAction();
        toggle->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number++)));
        view->addAction(toggle);
        addAction(toggle);
    }
    view->addAction(tr("Reset the layout"), this, &MainWindow::resetLayout);
    view->addAction(m_followAction);
    view->addSeparator();
    auto* themes = new QActionGroup(this);
    const std::initializer_list<std::pair<ThemeChoice, QString>> choices{
        {ThemeChoice::System, tr("System colours")}, {ThemeChoice::Light, tr("Light")}, {ThemeChoice::Dark, tr("Dark")}};
    for (const auto& [choice, text] : choices) {
        auto* action = themes->addAction(text);
        action->setCheckable(true);
        action->setChecked(m_settings->theme() == themeWord(choice));
        connect(action, &QAction::triggered, this, [this, choice = choice] {
            applyTheme(choice);
            m_settings->setTheme(themeWord(choice));
        });
        view->addAction(action);
    }
    view->addSeparator();
    const std::initializer_list<std::pair<QString, QString>> languages{{u"en"_s, u"English"_s}, {u"zh_CN"_s, u"简体中文"_s}};
    for (const auto& [code, name] : languages) {
        view->addAction(name, this, [this, code = code] {
            m_settings->setLanguage(code);
            m_banner->showNote(tr("Language"), tr("The language changes at the next start."));
        });
    }
    m_header->addMenu(tr("View"), view, true);
}

void MainWindow::updateActions() {
    const auto state = m_control->state();
    using State = SessionControl::State;
    const bool ready = !m_kernelPath.isEmpty() && m_session->origin() != SessionModel::Origin::Empty;
    const bool idle = state == State::Idle;
    if (state == State::Running || state == State::Starting) {
        m_startAction->setData(QChar(u'p'));
        m_startAction->setText(tr("Pause"));
        m_startAction->setToolTip(tr("Pause after the running trial"));
    } else if (state == State::Paused) {
        m_startAction->setData(QChar(u'>'));
        m_startAction->setText(tr("Resume"));
        m_startAction->setToolTip(tr("Go on tuning"));
    } else {
        m_startAction->setData(QChar(u'>'));
        m_startAction->setText(tr("Start"));
        m_startAction->setToolTip(tr("Start tuning"));
    }
    m_startAction->setShortcut(QKeySequence(Qt::Key_F5));
    m_startAction->setEnabled((idle && ready) || state == State::Running || state == State::Paused);
    m_stepAction->setEnabled((idle && ready) || state == State::Paused);
    m_stopAction->setEnabled(state == State::Running || state == State::Paused || state == State::Starting);
    m_openAction->setEnabled(idle);
    m_databaseAction->setEnabled(idle);
    m_followAction->setEnabled(m_session->selected() > 0);
    m_header->showState(state, ready);
}

void MainWindow::askForKernel() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a kernel"), m_settings->lastFolder(),
                                                      tr("Kernels and specs (*.cu *.cuh *.json)") % u";;"_s % tr("All files (*)"));
    if (path.isEmpty()) return;
    m_settings->setLastFolder(QFileInfo(path).absolutePath());
    openKernel(path, false);
}

void MainWindow::askForDatabase() {
    if (m_sessionsDialog == nullptr) {
        m_sessionsDialog = new SessionsDialog(this);
        connect(m_sessionsDialog, &SessionsDialog::openAsked, this, &MainWindow::openStored);
        connect(m_sessionsDialog, &SessionsDialog::otherFileAsked, this, &MainWindow::chooseDatabaseFile);
    }
    const QString database = toQt(m_options.session.database.string());
    m_sessionsDialog->showReading(database);
    m_sessionsDialog->open();
    m_control->listSessions(database);
}

void MainWindow::chooseDatabaseFile() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a database"), m_settings->lastFolder(),
                                                      tr("Trial logs (*.db *.sqlite)") % u";;"_s % tr("All files (*)"));
    if (path.isEmpty()) return;
    m_settings->setLastFolder(QFileInfo(path).absolutePath());
    m_sessionsDialog->showReading(path);
    m_control->listSessions(path);
}

}  // namespace ww::ui
