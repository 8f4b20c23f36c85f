// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/engine_worker.h"

#include <QMetaObject>

namespace ww::ui {

EngineWorker::EngineWorker(std::shared_ptr<EventQueue> queue) : m_queue(std::move(queue)) {}

EngineWorker::~EngineWorker() = default;

void EngineWorker::start(const engine::SessionOptions& options, std::stop_source stop, bool paused) {
    m_sawEnd = false;
    m_task.reset();
    // The sink runs on this thread, inside step(): it may read our members.
    const auto sink = [this](const engine::SessionEvent& event) {
        if (const auto* begun = std::get_if<engine::SessionStarted>(&event)) m_task = begun->task;
        if (std::holds_alternative<engine::SessionEnded>(event)) m_sawEnd = true;
        m_queue->push(event);
    };
    auto created = engine::Session::create(options, sink, std::move(stop));
    if (!created) {
        Q_EMIT failed(created.error());
        Q_EMIT finished();
        return;
    }
    m_session = std::move(created).value();
    m_paused = paused;
    Q_EMIT started(paused);
    Q_EMIT maskChanged(m_session->mask());
    if (!m_paused) schedule();
}

void EngineWorker::schedule() {
    if (m_scheduled || !m_session) return;
    m_scheduled = true;
    QMetaObject::invokeMethod(this, &EngineWorker::turn, Qt::QueuedConnection);
}

void EngineWorker::turn() {
    m_scheduled = false;
    if (!m_session) return;
    const auto result = m_session->step();
    if (!result) {
        if (!m_sawEnd) m_queue->push(engine::SessionEnded{store::SessionStatus::Failed, result.error(), std::nullopt});
        m_sawEnd = true;
        end();
        return;
    }
    if (*result == engine::Session::StepResult::Finished) {
        end();
        return;
    }
    if (!m_paused) schedule();
}

void EngineWorker::end() {
    m_session.reset();
    m_task.reset();
    Q_EMIT finished();
}

void EngineWorker::pause() {
    if (!m_session || m_paused) return;
    m_paused = true;
    m_session->notePause(true);
    Q_EMIT pausedChanged(true);
}

void EngineWorker::resume() {
    if (!m_session || !m_paused) return;
    m_paused = false;
    m_session->notePause(false);
    Q_EMIT pausedChanged(false);
    schedule();
}

void EngineWorker::stepOnce() {
    if (m_session && m_paused) schedule();
}

void EngineWorker::finishIfPaused() {
    if (m_session && m_paused) schedule();
}

void EngineWorker::steer(const Command& command) {
    if (!m_session || !m_task) return;
    if (const auto result = command(*m_session, *m_task); !result) Q_EMIT failed(result.error());
    Q_EMIT maskChanged(m_session->mask());
}

}  // namespace ww::ui
