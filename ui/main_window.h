// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <memory>

#include "bridge/session_control.h"
#include "model/session_model.h"
#include "model/settings.h"

class QActionGroup;
class QStackedWidget;

namespace ww::ui {

class Banner;
class CurvesView;
class Dock;
class HeaderBar;
class SessionsDialog;
class SourceView;
class SpaceView;
class StartPage;
class StatusStrip;
class TrialsView;
class TrialView;

/// What the program was started with, as far as the window needs it.
struct WindowOptions {
    engine::SessionOptions session;     ///< defaults of every session started here
    QString kernelsRoot;                ///< folder with kernels/
    bool remember = true;               ///< read and write window places and choices
};

/// The cockpit: docks, actions and wiring only. Talks to the other world through a SessionControl it does not own.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(SessionControl* control, std::shared_ptr<Settings> settings, const WindowOptions& options);
    ~MainWindow() override;

    void openKernel(const QString& path, bool start);
    void openStored(const QString& database, const QString& session);

    [[nodiscard]] SessionModel* session() const { return m_session; }
    [[nodiscard]] const QList<Dock*>& docks() const { return m_docks; }
    [[nodiscard]] Banner* banner() const { return m_banner; }
    [[nodiscard]] HeaderBar* header() const { return m_header; }
    /// Draws whatever waits for a redraw timer; for pictures.
    void drawPending();

Q_SIGNALS:
    /// The session that ran here is over, its last batch is shown.
    void sessionFinished(bool ok, const QString& message);
    /// A task or stored session is shown.
    void opened();
    void openFailed(const QString& message);

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    void makeDocks();
    void makeActions();
    void makeMenus();
    void wireModel();
    void wireControl();
    void arrangeDocks();
    void resetLayout();
    void showDocks(bool shown);
    void updateActions();
    void startOrPause();
    void stepOnce();
    void startSession(bool paused);
    void askForKernel();
    void askForDatabase();
    void chooseDatabaseFile();
    void onState(SessionControl::State state);
    void onTask(const std::shared_ptr<const OpenedTask>& task);
    void onStored(const std::shared_ptr<const StoredSession>& stored);
    void onFailed(const Error& error);
    QAction* makeAction(const QString& name, const QString& text, const QKeySequence& keys, const QString& tip);

    SessionControl* m_control;
    std::shared_ptr<Settings> m_settings;
    WindowOptions m_options;
    SessionModel* m_session;
    QStackedWidget* m_pages;
    QMainWindow* m_dockArea;
    StartPage* m_start;
    HeaderBar* m_header;
    Banner* m_banner;
    StatusStrip* m_status;
    SourceView* m_source = nullptr;
    SpaceView* m_space = nullptr;
    TrialsView* m_trials = nullptr;
    CurvesView* m_curves = nullptr;
    TrialView* m_trial = nullptr;
    QList<Dock*> m_docks;
    SessionsDialog* m_sessionsDialog = nullptr;
    QAction *m_openAction, *m_databaseAction, *m_startAction, *m_stepAction, *m_stopAction, *m_followAction, *m_quitAction;
    QByteArray m_defaultLayout;
    QString m_kernelPath;
    bool m_startWhenOpened = false;
    bool m_closing = false;
    bool m_stepPending = false;
};

}  // namespace ww::ui
