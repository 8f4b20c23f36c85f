// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <memory>
#include <vector>

#include "base/error.h"
#include "engine/session.h"
#include "model/session_model.h"

namespace ww::ui {

/// One entry of the device picker.
struct DeviceChoice {
    QString word;       ///< what --device takes: "cpu", "cuda:0"
    QString name;
};

/// A kernel that was opened but not started, in the form the views read.
struct OpenedTask {
    QString path;
    store::SessionRecord draft;
    std::vector<SourceSite> sites;
    QStringList notes;
    QStringList workloads;
};

/// A stored session, whole.
struct StoredSession {
    QString database;
    store::SessionRecord session;
    std::vector<SourceSite> sites;
    std::vector<std::shared_ptr<const store::TrialRecord>> trials;
    std::vector<store::EventRecord> events;
    std::map<std::string, std::int64_t> rejections;
};

struct SessionList {
    QString database;
    std::vector<store::SessionRecord> sessions;
};

/// Everything the window can ask of the other world. All calls return at once; answers come as signals on the GUI thread.
/// Parameters and values are named by their indices in the session's own order.
class SessionControl : public QObject {
    Q_OBJECT
public:
    enum class State { Idle, Starting, Running, Paused, Stopping };
    Q_ENUM(State)

    using QObject::QObject;

    [[nodiscard]] virtual State state() const = 0;
    [[nodiscard]] bool isActive() const { return state() != State::Idle; }

    virtual void listDevices() = 0;
    virtual void openTask(const QString& path, const QString& device, const QString& workload) = 0;
    virtual void listSessions(const QString& database) = 0;
    virtual void openStored(const QString& database, const QString& session) = 0;

    virtual void start(const engine::SessionOptions& options, bool paused) = 0;
    virtual void pause() = 0;
    virtual void resume() = 0;
    virtual void step() = 0;
    virtual void stop() = 0;
    virtual void pin(int parameter, int value) = 0;
    virtual void unpin(int parameter) = 0;
    virtual void ban(int parameter, int value) = 0;
    virtual void unban(int parameter, int value) = 0;
    virtual void setBudget(int trials) = 0;
    virtual void tryConfiguration(const std::vector<int>& values) = 0;

Q_SIGNALS:
    void stateChanged(ww::ui::SessionControl::State state);
    void devicesListed(const QList<ww::ui::DeviceChoice>& devices);
    void taskOpened(std::shared_ptr<const ww::ui::OpenedTask> task);
    void sessionsListed(std::shared_ptr<const ww::ui::SessionList> list);
    void storedOpened(std::shared_ptr<const ww::ui::StoredSession> session);
    void eventsArrived(const ww::ui::EventBatch& batch);
    void maskChanged(const ww::space::ValueMask& mask);
    /// Opening, starting or steering did not work; nothing was lost.
    void failed(const ww::Error& error);
};

}  // namespace ww::ui
