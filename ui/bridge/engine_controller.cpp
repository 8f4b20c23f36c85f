// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/engine_controller.h"

#include <QMetaObject>

#include "bridge/engine_worker.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDrainMs = 66;    ///< 15 Hz: nothing a person sees arrives later

/// The parameter and value of a steering command, checked against the session's own space.
Result<std::pair<std::string, space::Value>> named(const engine::Task& task, int parameter, int value) {
    const auto& parameters = task.space.parameters();
    if (parameter < 0 || parameter >= static_cast<int>(parameters.size())) {
        return fail(ErrorCode::InvalidArgument, "the running session has no such parameter; open its kernel again");
    }
    const auto& found = parameters[static_cast<std::size_t>(parameter)];
    if (value < 0 || value >= static_cast<int>(found.values.size())) {
        return fail(ErrorCode::InvalidArgument, "the domain has no such value; open the kernel again", found.name);
    }
    return std::pair{found.name, found.values[static_cast<std::size_t>(value)]};
}

}  // namespace

EngineController::EngineController(QObject* parent)
    : SessionControl(parent),
      m_queue(std::make_shared<EventQueue>()),
      m_newestRequest(std::make_shared<std::atomic<int>>(0)),
      m_worker(new EngineWorker(m_queue)),
      m_loader(new Loader(m_newestRequest)) {
    m_engineThread.setObjectName(u"engine"_s);
    m_loaderThread.setObjectName(u"loader"_s);
    m_worker->moveToThread(&m_engineThread);
    m_loader->moveToThread(&m_loaderThread);
    connect(&m_engineThread, &QThread::finished, m_worker, &QObject::deleteLater);
    connect(&m_loaderThread, &QThread::finished, m_loader, &QObject::deleteLater);

    connect(m_worker, &EngineWorker::started, this, [this](bool paused) {
        if (m_state == State::Starting) setState(paused ? State::Paused : State::Running);
    }, Qt::QueuedConnection);
    connect(m_worker, &EngineWorker::pausedChanged, this, [this](bool paused) {
        if (m_state != State::Stopping && m_state != State::Idle) setState(paused ? State::Paused : State::Running);
    }, Qt::QueuedConnection);
    connect(m_worker, &EngineWorker::finished, this, [this] {
        drain();
        setState(State::Idle);
    }, Qt::QueuedConnection);
    connect(m_worker, &EngineWorker::failed, this, &SessionControl::failed, Qt::QueuedConnection);
    connect(m_worker, &EngineWorker::maskChanged, this, [this](const space::ValueMask& mask) {
        drain();
        Q_EMIT maskChanged(mask);
    }, Qt::QueuedConnection);

    connect(m_loader, &Loader::devicesListed, this, &SessionControl::devicesListed, Qt::QueuedConnection);
    connect(m_loader, &Loader::taskOpened, this, &SessionControl::taskOpened, Qt::QueuedConnection);
    connect(m_loader, &Loader::sessionsListed, this, &SessionControl::sessionsListed, Qt::QueuedConnection);
    connect(m_loader, &Loader::storedOpened, this, &SessionControl::storedOpened, Qt::QueuedConnection);
    connect(m_loader, &Loader::failed, this, &SessionControl::failed, Qt::QueuedConnection);

    m_drain.setInterval(kDrainMs);
    connect(&m_drain, &QTimer::timeout, this, &EngineController::drain);
    m_engineThread.start();
    m_loaderThread.start();
}

EngineController::~EngineController() {
    m_stop.request_stop();
    ++*m_newestRequest;
    m_loaderThread.quit();
    m_engineThread.quit();
    m_loaderThread.wait();
    m_engineThread.wait();
}

template <typename F>
void EngineController::toWorker(F&& call) {
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, call = std::forward<F>(call)] { call(worker); }, Qt::QueuedConnection);
}

template <typename F>
void EngineController::toLoader(F&& call) {
    QMetaObject::invokeMethod(m_loader, [loader = m_loader, call = std::forward<F>(call)] { call(loader); }, Qt::QueuedConnection);
}

void EngineController::setState(State state) {
    if (state == m_state) return;
    m_state = state;
    if (state == State::Idle) m_drain.stop();
    else m_drain.start();
    Q_EMIT stateChanged(state);
}

void EngineController::drain() {
    const auto batch = m_queue->take();
    if (!batch.empty()) Q_EMIT eventsArrived(batch);
}

void EngineController::listDevices() {
    toLoader([](Loader* loader) { loader->listDevices(); });
}

void EngineController::openTask(const QString& path, const QString& device, const QString& workload) {
    const int request = ++*m_newestRequest;
    toLoader([=](Loader* loader) { loader->openTask(path, device, workload, request); });
}

void EngineController::listSessions(const QString& database) {
    toLoader([=](Loader* loader) { loader->listSessions(database); });
}

void EngineController::openStored(const QString& database, const QString& session) {
    const int request = ++*m_newestRequest;
    toLoader([=](Loader* loader) { loader->openStored(database, session, request); });
}

void EngineController::start(const engine::SessionOptions& options, bool paused) {
    if (isActive()) return;
    m_stop = std::stop_source();
    m_budgetSeconds = options.seconds;
    setState(State::Starting);
    toWorker([options, stop = m_stop, paused](EngineWorker* worker) { worker->start(options, stop, paused); });
}

void EngineController::pause() {
    toWorker([](EngineWorker* worker) { worker->pause(); });
}

void EngineController::resume() {
    toWorker([](EngineWorker* worker) { worker->resume(); });
}

void EngineController::step() {
    toWorker([](EngineWorker* worker) { worker->stepOnce(); });
}

void EngineController::stop() {
    if (!isActive()) return;
    m_stop.request_stop();
    setState(State::Stopping);
    toWorker([](EngineWorker* worker) { worker->finishIfPaused(); });
}

void EngineController::pin(int parameter, int value) {
    toWorker([=](EngineWorker* worker) {
        worker->steer([=](engine::Session& session, const engine::Task& task) -> Result<void> {
            WW_TRY(found, named(task, parameter, value));
            return session.pin(found.first, found.second);
        });
    });
}

void EngineController::unpin(int parameter) {
    toWorker([=](EngineWorker* worker) {
        worker->steer([=](engine::Session& session, const engine::Task& task) -> Result<void> {
            WW_TRY(found, named(task, parameter, 0));
            return session.unpin(found.first);
        });
    });
}

void EngineController::ban(int parameter, int value) {
    toWorker([=](EngineWorker* worker) {
        worker->steer([=](engine::Session& session, const engine::Task& task) -> Result<void> {
            WW_TRY(found, named(task, parameter, value));
            return session.ban(found.first, found.second);
        });
    });
}

void EngineController::unban(int parameter, int value) {
    toWorker([=](EngineWorker* worker) {
        worker->steer([=](engine::Session& session, const engine::Task& task) -> Result<void> {
            WW_TRY(found, named(task, parameter, value));
            return session.unban(found.first, found.second);
        });
    });
}

void EngineController::setBudget(int trials) {
    toWorker([trials, seconds = m_budgetSeconds](EngineWorker* worker) {
        worker->steer([=](engine::Session& session, const engine::Task&) { return session.setBudget(trials, seconds); });
    });
}

void EngineController::tryConfiguration(const std::vector<int>& values) {
    toWorker([=](EngineWorker* worker) {
        worker->steer([=](engine::Session& session, const engine::Task& task) -> Result<void> {
            space::Configuration configuration;
            for (std::size_t p = 0; p < values.size(); ++p) {
                WW_CHECK(named(task, static_cast<int>(p), values[p]));
                configuration.index.push_back(static_cast<std::uint16_t>(values[p]));
            }
            return session.enqueue(configuration);
        });
    });
}

}  // namespace ww::ui
