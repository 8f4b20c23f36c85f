// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <stop_token>

#include "bridge/event_queue.h"
#include "engine/session.h"

namespace ww::ui {

/// Hosts one engine::Session on the engine thread, one step per turn of its event loop, so that queued commands act between
/// steps. Has no parent, is moved before use and deleted by the thread's finished(). Only start() and steer() are called
/// from outside, always queued.
class EngineWorker : public QObject {
    Q_OBJECT
public:
    /// A steering command, run between two steps.
    using Command = std::function<Result<void>(engine::Session& session, const engine::Task& task)>;

    explicit EngineWorker(std::shared_ptr<EventQueue> queue);
    ~EngineWorker() override;

    void start(const engine::SessionOptions& options, std::stop_source stop, bool paused);
    void pause();
    void resume();
    void stepOnce();
    void finishIfPaused();   ///< after a stop request: a paused session has no step of its own that would notice it
    void steer(const Command& command);

Q_SIGNALS:
    void started(bool paused);
    void pausedChanged(bool paused);
    void finished();
    void failed(const ww::Error& error);
    void maskChanged(const ww::space::ValueMask& mask);

private:
    void turn();
    void schedule();
    void end();

    std::shared_ptr<EventQueue> m_queue;
    std::shared_ptr<const engine::Task> m_task;
    std::unique_ptr<engine::Session> m_session;
    bool m_paused = false;
    bool m_scheduled = false;
    bool m_sawEnd = false;
};

}  // namespace ww::ui
