// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/units.h"
#include "store/blob.h"
#include "store/connection.h"
#include "store/rows.h"
#include "store/trial_log.h"
#include "store/writer_lock.h"

namespace ww::store {

namespace {

namespace fs = std::filesystem;

std::string placeholders(int count) {
    std::string text = "?";
    for (int i = 1; i < count; ++i)
        text += ", ?";
    return text;
}

std::string memberText(const Json& json, std::string_view key) {
    const Json* found = member(json, key);
    return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

void bindBlob(SQLite::Statement& statement, int index, const std::string& bytes) {
    statement.bind(index, static_cast<const void*>(bytes.data()), static_cast<int>(bytes.size()));
}

class Writer final : public TrialLogWriter {
public:
    Writer(fs::path file, WriterLock lock, std::unique_ptr<SQLite::Database> database)
        : m_file(std::move(file)), m_lock(std::move(lock)), m_database(std::move(database)) {}

    ~Writer() override {
        try {
            m_database->exec("PRAGMA optimize");
        } catch (const SQLite::Exception&) {
            // Only statistics for the query planner are lost.
        }
        // The database closes before the lock is let go: members are destroyed in reverse order.
    }

    /// Whoever had these sessions running is gone, since the lock is ours.
    Result<void> closeOrphans() {
        return inTransaction(*m_database, m_file, [&]() -> Result<void> {
            m_database->exec("UPDATE session SET status = 'interrupted' WHERE status = 'running'");
            return {};
        });
    }

    Result<std::int64_t> beginSession(const SessionRecord& session) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<std::int64_t> {
            const std::int64_t device = deviceId(session.device);
            const std::int64_t kernel = kernelId(session);
            SQLite::Statement insert(
                *m_database,
                "INSERT INTO session (kernel, title, spec_path, device_id, kernel_version_id, workload, strategy, objective, seed, "
                "budget_trials, budget_seconds, status, sandbox, started_at, noise_floor, spec, constraints, facts) VALUES (" +
                    placeholders(18) + ")");
            int at = 0;
            insert.bind(++at, session.kernel);
            insert.bind(++at, session.title);
            insert.bind(++at, session.specPath);
            insert.bind(++at, device);
            insert.bind(++at, kernel);
            insert.bind(++at, session.workload);
            insert.bind(++at, session.strategy);
            insert.bind(++at, session.objective);
            // 64 unsigned bits do not fit into SQLite's integer.
            insert.bind(++at, std::to_string(session.seed));
            insert.bind(++at, session.budgetTrials);
            insert.bind(++at, session.budgetSeconds);
            insert.bind(++at, std::string(toString(session.status)));
            insert.bind(++at, session.sandbox);
            insert.bind(++at, session.startedAt.empty() ? utcNow() : session.startedAt);
            insert.bind(++at, session.noiseFloor);
            insert.bind(++at, toText(session.specJson));
            insert.bind(++at, toText(session.constraints));
            insert.bind(++at, toText(session.facts));
            insert.exec();
            const std::int64_t id = m_database->getLastInsertRowid();
            addParameters(id, session.parameters);
            addWorkloads(id, session);
            return id;
        });
    }

    Result<void> updateSession(std::int64_t session, SessionStatus status, int budgetTrials, double budgetSeconds) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<void> {
            const bool over = status != SessionStatus::Running && status != SessionStatus::Paused;
            SQLite::Statement update(*m_database,
                                     "UPDATE session SET status = ?, budget_trials = ?, budget_seconds = ?, ended_at = ? WHERE id = ?");
            update.bind(1, std::string(toString(status)));
            update.bind(2, budgetTrials);
            update.bind(3, budgetSeconds);
            bindOptional(update, 4, over ? std::optional<std::string>(utcNow()) : std::nullopt);
            update.bind(5, session);
            return requireSession(update.exec(), session);
        });
    }

    Result<void> setNoiseFloor(std::int64_t session, double fraction) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<void> {
            SQLite::Statement update(*m_database, "UPDATE session SET noise_floor = ? WHERE id = ?");
            update.bind(1, fraction);
            update.bind(2, session);
            return requireSession(update.exec(), session);
        });
    }

    Result<std::int64_t> addTrial(const TrialRecord& trial, const std::vector<RejectionRecord>& rejections) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<std::int64_t> {
            SQLite::Statement insert(*m_database, std::string("INSERT INTO trial (") + kTrialColumns + ") VALUES (" +
                                                      placeholders(kTrialColumnCount) + ")");
            bindTrial(insert, trial);
            insert.exec();
            const std::int64_t id = m_database->getLastInsertRowid();
            addSamples(trial.sessionId, id, std::nullopt, 0, "baseline", trial.baselineSamplesNs);
            addSamples(trial.sessionId, id, std::nullopt, 0, "candidate", trial.samplesNs);
            addMetrics(id, trial.compileFacts);
            for (const auto& metric : trial.metrics) putMetric(id, metric);
            addDiagnostic(id, "log", trial.log);
            if (!trial.diagnosis.is_null()) addDiagnostic(id, "diagnosis", toText(trial.diagnosis));
            countRejections(trial.sessionId, trial.number, rejections);
            return id;
        });
    }

    Result<void> addMetrics(std::int64_t trial, const std::vector<MetricRecord>& metrics) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<void> {
            for (const auto& metric : metrics) putMetric(trial, metric);
            return {};
        });
    }

    Result<std::int64_t> addEvent(const EventRecord& event) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<std::int64_t> { return insertEvent(event); });
    }

    Result<void> addRejections(std::int64_t session, const std::vector<RejectionRecord>& rejections) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<void> {
            countRejections(session, lastTrial(session), rejections);
            return {};
        });
    }

    Result<void> addMeasurements(std::int64_t session, std::string_view kind, const std::vector<MeasuredRecord>& measured) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<void> {
            Json data = Json::array();
            for (const MeasuredRecord& record : measured)
                data.push_back(toJson(record));
            const std::int64_t event = insertEvent({0, session, lastTrial(session), utcNow(), std::string(kind), std::move(data)});
            for (std::size_t i = 0; i < measured.size(); ++i)
                addSamples(session, trialId(session, measured[i].trialNumber), event, static_cast<int>(i), "candidate",
                           measured[i].samplesNs);
            return {};
        });
    }

    Result<void> addArtifact(std::int64_t session, std::optional<std::int64_t> trial, std::string_view kind,
                             std::string_view bytes) override {
        return inTransaction(*m_database, m_file, [&]() -> Result<void> {
            SQLite::Statement insert(*m_database,
                                     "INSERT INTO artifact (session_id, trial_id, kind, size, content) VALUES (?, ?, ?, ?, ?)");
            const std::string content = compress(bytes);
            insert.bind(1, session);
            bindOptional(insert, 2, trial);
            insert.bind(3, std::string(kind));
            insert.bind(4, static_cast<std::int64_t>(bytes.size()));
            bindBlob(insert, 5, content);
            insert.exec();
            return {};
        });
    }

    Result<void> savePolicy(std::int64_t session, int afterTrial, std::string_view strategy, std::string_view bytes) override {
        // A trial can be measured again, a trained policy cannot: this row survives a power cut too.
        return guarded(m_file, [&]() -> Result<void> {
            m_database->exec("PRAGMA synchronous=FULL");
            auto saved = inTransaction(*m_database, m_file, [&]() -> Result<void> {
                SQLite::Statement insert(
                    *m_database, "INSERT INTO policy_snapshot (session_id, after_trial, strategy, size, content) VALUES (?, ?, ?, ?, ?)");
                const std::string content = compress(bytes);
                insert.bind(1, session);
                insert.bind(2, afterTrial);
                insert.bind(3, std::string(strategy));
                insert.bind(4, static_cast<std::int64_t>(bytes.size()));
                bindBlob(insert, 5, content);
                insert.exec();
                return {};
            });
            m_database->exec("PRAGMA synchronous=NORMAL");
            return saved;
        });
    }

private:
    std::int64_t deviceId(const Json& device) {
        const std::string facts = toText(device);
        SQLite::Statement insert(*m_database, "INSERT INTO device (uuid, name, kind, facts) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
        insert.bind(1, memberText(device, "uuid"));
        insert.bind(2, memberText(device, "name"));
        insert.bind(3, memberText(device, "kind"));
        insert.bind(4, facts);
        insert.exec();
        SQLite::Statement query(*m_database, "SELECT id FROM device WHERE uuid = ? AND facts = ?");
        query.bind(1, memberText(device, "uuid"));
        query.bind(2, facts);
        query.executeStep();
        return query.getColumn(0).getInt64();
    }

    std::int64_t kernelId(const SessionRecord& session) {
        const std::string hash = contentHash(session.sourceText);
        SQLite::Statement insert(*m_database,
                                 "INSERT INTO kernel_version (hash, path, entry, source) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
        insert.bind(1, hash);
        insert.bind(2, session.sourcePath);
        insert.bind(3, session.entry);
        insert.bind(4, session.sourceText);
        insert.exec();
        SQLite::Statement query(*m_database, "SELECT id FROM kernel_version WHERE hash = ? AND path = ? AND entry = ?");
        query.bind(1, hash);
        query.bind(2, session.sourcePath);
        query.bind(3, session.entry);
        query.executeStep();
        return query.getColumn(0).getInt64();
    }

    void addParameters(std::int64_t session, const std::vector<ParameterRecord>& parameters) {
        SQLite::Statement insert(*m_database,
                                 "INSERT INTO parameter (session_id, position, name, site, scale, label, effect, domain, default_value) "
                                 "VALUES (" +
                                     placeholders(9) + ")");
        int position = 0;
        for (const ParameterRecord& parameter : parameters) {
            insert.bind(1, session);
            insert.bind(2, position++);
            insert.bind(3, parameter.name);
            insert.bind(4, parameter.site);
            insert.bind(5, parameter.scale);
            insert.bind(6, parameter.label);
            insert.bind(7, parameter.effect);
            insert.bind(8, toText(parameter.values));
            insert.bind(9, toText(parameter.defaultValue));
            insert.exec();
            insert.reset();
        }
    }

    /// The spec's workloads, so that "which sizes were tuned" is a plain query; a spec without any has the tuned one alone.
    void addWorkloads(std::int64_t session, const SessionRecord& record) {
        SQLite::Statement insert(*m_database,
                                 "INSERT INTO workload (session_id, name, tuned, definition) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
        const auto add = [&](const std::string& name, const Json& definition) {
            insert.bind(1, session);
            insert.bind(2, name);
            insert.bind(3, name == record.workload ? 1 : 0);
            insert.bind(4, toText(definition));
            insert.exec();
            insert.reset();
        };
        const Json* ours = member(record.specJson, "Warpwright");
        const Json* workloads = ours != nullptr ? member(*ours, "Workloads") : nullptr;
        if (workloads != nullptr && workloads->is_array())
            for (const Json& workload : *workloads)
                add(memberText(workload, "Name"), workload);
        add(record.workload, Json::object());
    }

    void addSamples(std::int64_t session, std::optional<std::int64_t> trial, std::optional<std::int64_t> event, int position,
                    const char* side, const std::vector<double>& values) {
        if (values.empty()) return;
        SQLite::Statement insert(
            *m_database,
            "INSERT INTO sample (session_id, trial_id, event_id, position, side, count, values_ns) VALUES (?, ?, ?, ?, ?, ?, ?)");
        const std::string content = packSamples(values);
        insert.bind(1, session);
        bindOptional(insert, 2, trial);
        bindOptional(insert, 3, event);
        insert.bind(4, position);
        insert.bind(5, side);
        insert.bind(6, static_cast<std::int64_t>(values.size()));
        bindBlob(insert, 7, content);
        insert.exec();
    }

    /// What the compiler reported, as figures that plain SQL can rank by. -1 means "not known" and is no metric.
    void addMetrics(std::int64_t trial, const Json& facts) {
        if (!facts.is_object()) return;
        SQLite::Statement insert(*m_database, "INSERT INTO metric (trial_id, name, value, source) VALUES (?, ?, ?, 'compiler')");
        for (const auto& [name, value] : facts.items()) {
            if (!value.is_number() || value.get<double>() < 0) continue;
            insert.bind(1, trial);
            insert.bind(2, "compile/" + name);
            insert.bind(3, value.get<double>());
            insert.exec();
            insert.reset();
        }
    }

    /// A later profile of the same trial (top k, on demand) takes the place of what an earlier one left.
    void putMetric(std::int64_t trial, const MetricRecord& metric) {
        SQLite::Statement insert(*m_database, "INSERT OR REPLACE INTO metric (trial_id, name, value, source) VALUES (?, ?, ?, ?)");
        insert.bind(1, trial);
        insert.bind(2, metric.name);
        insert.bind(3, metric.value);
        insert.bind(4, metric.source);
        insert.exec();
    }

    void addDiagnostic(std::int64_t trial, const char* kind, const std::string& text) {
        if (text.empty()) return;
        SQLite::Statement insert(*m_database, "INSERT INTO diagnostic (trial_id, kind, text) VALUES (?, ?, ?)");
        insert.bind(1, trial);
        insert.bind(2, kind);
        insert.bind(3, text);
        insert.exec();
    }

    void countRejections(std::int64_t session, int afterTrial, const std::vector<RejectionRecord>& rejections) {
        if (rejections.empty()) return;
        SQLite::Statement insert(*m_database,
                                 "INSERT INTO rejection (session_id, after_trial, constraint_id, sentence, count) VALUES (?, ?, ?, ?, ?) "
                                 "ON CONFLICT DO UPDATE SET count = count + excluded.count");
        for (const RejectionRecord& rejection : rejections) {
            if (rejection.count == 0) continue;
            insert.bind(1, session);
            insert.bind(2, afterTrial);
            insert.bind(3, rejection.constraintId);
            insert.bind(4, rejection.sentence);
            insert.bind(5, rejection.count);
            insert.exec();
            insert.reset();
        }
    }

    std::int64_t insertEvent(const EventRecord& event) {
        SQLite::Statement insert(*m_database, "INSERT INTO event (session_id, after_trial, at, kind, data) VALUES (?, ?, ?, ?, ?)");
        insert.bind(1, event.sessionId);
        insert.bind(2, event.afterTrial);
        insert.bind(3, event.at.empty() ? utcNow() : event.at);
        insert.bind(4, event.kind);
        insert.bind(5, toText(event.data));
        insert.exec();
        return m_database->getLastInsertRowid();
    }

    int lastTrial(std::int64_t session) {
        SQLite::Statement query(*m_database, "SELECT ifnull(max(number), 0) FROM trial WHERE session_id = ?");
        query.bind(1, session);
        query.executeStep();
        return query.getColumn(0).getInt();
    }

    std::optional<std::int64_t> trialId(std::int64_t session, int number) {
        SQLite::Statement query(*m_database, "SELECT id FROM trial WHERE session_id = ? AND number = ?");
        query.bind(1, session);
        query.bind(2, number);
        if (!query.executeStep()) return std::nullopt;
        return query.getColumn(0).getInt64();
    }

    [[nodiscard]] Result<void> requireSession(int changed, std::int64_t session) const {
        if (changed == 1) return {};
        return fail(ErrorCode::NotFound, "the trial log has no session " + std::to_string(session), m_file.string());
    }

    fs::path m_file;
    WriterLock m_lock;
    std::unique_ptr<SQLite::Database> m_database;
};

} // namespace

std::filesystem::path defaultDatabase() { return userDataFolder() / "trials.db"; }

Result<std::unique_ptr<TrialLogWriter>> TrialLogWriter::open(const fs::path& file, const std::string& owner) {
    std::error_code code;
    if (const fs::path folder = fs::absolute(file).parent_path(); !fs::exists(folder, code)) {
        fs::create_directories(folder, code);
        if (code)
            return fail(ErrorCode::Unreadable,
                        "the folder cannot be created (" + code.message() + "); use --db FILE in a folder that you may write",
                        folder.string());
    }
    // A folder by that name must be reported as such, not as a lock file beside it.
    if (fs::is_directory(file, code)) return fail(ErrorCode::Unreadable, "this is a folder; name a file with --db", file.string());
    WW_TRY(lock, WriterLock::take(file, owner));
    WW_TRY(database, openForWriting(file, lock.lastHolderDied()));
    auto writer = std::make_unique<Writer>(file, std::move(lock), std::move(database));
    WW_CHECK(writer->closeOrphans());
    return std::unique_ptr<TrialLogWriter>(std::move(writer));
}

} // namespace ww::store
