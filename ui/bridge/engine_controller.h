// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QThread>
#include <QTimer>
#include <stop_token>

#include "bridge/event_queue.h"
#include "bridge/loader.h"
#include "bridge/session_control.h"

namespace ww::ui {

class EngineWorker;

/// The real SessionControl. Lives on the GUI thread and owns two others: the engine's (one session at a time) and the
/// loader's. Events arrive as batches, drained by a timer. Its destructor stops a running session and waits until it is saved.
class EngineController : public SessionControl {
    Q_OBJECT
public:
    explicit EngineController(QObject* parent = nullptr);
    ~EngineController() override;

    State state() const override { return m_state; }
    void listDevices() override;
    void openTask(const QString& path, const QString& device, const QString& workload) override;
    void listSessions(const QString& database) override;
    void openStored(const QString& database, const QString& session) override;
    void start(const engine::SessionOptions& options, bool paused) override;
    void pause() override;
    void resume() override;
    void step() override;
    void stop() override;
    void pin(int parameter, int value) override;
    void unpin(int parameter) override;
    void ban(int parameter, int value) override;
    void unban(int parameter, int value) override;
    void setBudget(int trials) override;
    void tryConfiguration(const std::vector<int>& values) override;

private:
    void setState(State state);
    void drain();
    template <typename F>
    void toWorker(F&& call);
    template <typename F>
    void toLoader(F&& call);

    State m_state = State::Idle;
    double m_budgetSeconds = 0;     ///< of the running session; a new number of trials keeps it
    std::shared_ptr<EventQueue> m_queue;
    Loader::Token m_newestRequest;
    std::stop_source m_stop;
    QThread m_engineThread, m_loaderThread;
    EngineWorker* m_worker;     ///< lives on m_engineThread, deleted by its finished()
    Loader* m_loader;           ///< lives on m_loaderThread, likewise
    QTimer m_drain;
};

}  // namespace ww::ui
