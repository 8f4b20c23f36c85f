// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/loader.h"

#include <filesystem>

#include "bridge/text.h"
#include "engine/session_record.h"
#include "source/source_model.h"
#include "store/trial_log.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

std::filesystem::path databasePath(const QString& database) {
    return database.isEmpty() ? store::defaultDatabase() : std::filesystem::path(fromQt(database));
}

Result<StoredSession> readStored(const std::filesystem::path& file, const std::string& name) {
    StoredSession stored;
    stored.database = toQt(file.string());
    WW_TRY(reader, store::TrialLogReader::open(file));
    WW_TRY(id, reader->resolve(name));
    WW_TRY(session, reader->session(id));
    WW_TRY(trials, reader->trials(id));
    WW_TRY(events, reader->events(id));
    WW_TRY(rejections, reader->rejections(id));
    stored.session = std::move(session);
    for (auto& trial : trials) stored.trials.push_back(std::make_shared<const store::TrialRecord>(std::move(trial)));
    stored.events = std::move(events);
    for (const auto& rejection : rejections) stored.rejections[rejection.constraintId] = rejection.count;
    if (auto model = source::parseCuda(stored.session.sourceText, stored.session.sourcePath)) stored.sites = sitesOf(*model);
    return stored;
}

}  // namespace

Loader::Loader(Token newest) : m_newest(std::move(newest)) {}

void Loader::listDevices() {
    QList<DeviceChoice> choices;
    for (const auto& facts : engine::listDevices()) {
        const bool cpu = facts.kind == device::DeviceKind::Cpu;
        choices.append({cpu ? u"cpu"_s : u"cuda:%1"_s.arg(facts.index), toQt(facts.name)});
    }
    Q_EMIT devicesListed(choices);
}

void Loader::openTask(const QString& path, const QString& device, const QString& workload, int request) {
    if (isStale(request)) return;
    auto facts = engine::findDevice(device.isEmpty() ? std::string("auto") : fromQt(device));
    if (!facts) {
        Q_EMIT failed(facts.error());
        return;
    }
    auto task = engine::loadTask(fromQt(path), *facts, fromQt(workload));
    if (isStale(request)) return;
    if (!task) {
        Q_EMIT failed(task.error());
        return;
    }
    auto opened = std::make_shared<OpenedTask>();
    opened->path = path;
    engine::SessionOptions options;
    options.specPath = fromQt(path);
    opened->draft = engine::describeSession(*task, options);
    opened->sites = sitesOf(task->source);
    for (const auto& note : task->notes) opened->notes.append(toQt(note));
    for (const auto& each : task->spec.workloads) {
        if (!each.verifyOnly) opened->workloads.append(toQt(each.name));
    }
    if (!isStale(request)) Q_EMIT taskOpened(opened);
}

void Loader::listSessions(const QString& database) {
    const auto file = databasePath(database);
    auto reader = store::TrialLogReader::open(file);
    if (!reader) {
        Q_EMIT failed(reader.error());
        return;
    }
    auto sessions = (*reader)->sessions();
    if (!sessions) {
        Q_EMIT failed(sessions.error());
        return;
    }
    auto list = std::make_shared<SessionList>();
    list->database = toQt(file.string());
    list->sessions = std::move(*sessions);
    Q_EMIT sessionsListed(list);
}

void Loader::openStored(const QString& database, const QString& session, int request) {
    if (isStale(request)) return;
    auto stored = readStored(databasePath(database), session.isEmpty() ? std::string("last") : fromQt(session));
    if (isStale(request)) return;
    if (!stored) {
        Q_EMIT failed(stored.error());
        return;
    }
    Q_EMIT storedOpened(std::make_shared<const StoredSession>(std::move(*stored)));
}

std::vector<SourceSite> sitesOf(const source::SourceModel& model) {
    std::vector<SourceSite> sites;
    for (const auto& site : model.parameters) {
        sites.push_back({toQt(site.name), static_cast<int>(site.value.begin), static_cast<int>(site.value.end), site.line});
    }
    return sites;
}

}  // namespace ww::ui
