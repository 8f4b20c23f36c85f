// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <atomic>
#include <memory>

#include "bridge/session_control.h"

namespace ww::ui {

/// Reads kernels, devices and the database on a thread of its own, so that the window never waits for a disk or a driver.
/// Each request carries a number; a request that a newer one has replaced is dropped, before or after its work.
class Loader : public QObject {
    Q_OBJECT
public:
    /// The number of the newest request, shared with the GUI thread.
    using Token = std::shared_ptr<std::atomic<int>>;

    explicit Loader(Token newest);

    void listDevices();
    void openTask(const QString& path, const QString& device, const QString& workload, int request);
    void listSessions(const QString& database);
    void openStored(const QString& database, const QString& session, int request);

Q_SIGNALS:
    void devicesListed(const QList<ww::ui::DeviceChoice>& devices);
    void taskOpened(std::shared_ptr<const ww::ui::OpenedTask> task);
    void sessionsListed(std::shared_ptr<const ww::ui::SessionList> list);
    void storedOpened(std::shared_ptr<const ww::ui::StoredSession> session);
    void failed(const ww::Error& error);

private:
    [[nodiscard]] bool isStale(int request) const { return request != m_newest->load(); }

    Token m_newest;
};

/// Where the parameters' values stand in a kernel's text; empty where it cannot be parsed.
[[nodiscard]] std::vector<SourceSite> sitesOf(const source::SourceModel& model);

}  // namespace ww::ui
