// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include "store/blob.h"
#include "store/connection.h"
#include "store/rows.h"
#include "store/trial_log.h"

namespace ww::store {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSessionColumns = "s.id, s.kernel, s.title, s.spec_path, d.facts, s.workload, s.strategy, s.objective, s.seed, "
                                        "s.budget_trials, s.budget_seconds, s.status, "
                                        "s.sandbox, s.started_at, s.ended_at, k.path, k.entry, s.noise_floor, s.constraints, s.facts, "
                                        "(SELECT count(*) FROM trial t WHERE t.session_id = s.id)";
constexpr const char* kSessionTables =
    " FROM session s JOIN device d ON d.id = s.device_id JOIN kernel_version k ON k.id = s.kernel_version_id ";

SessionRecord readSession(SQLite::Statement& row) {
    SessionRecord session;
    int at = 0;
    const auto text = [&] { return row.getColumn(at++).getString(); };
    session.id = row.getColumn(at++).getInt64();
    session.kernel = text();
    session.title = text();
    session.specPath = text();
    session.device = Json::parse(text());
    session.workload = text();
    session.strategy = text();
    session.objective = text();
    const std::string seed = text();
    std::from_chars(seed.data(), seed.data() + seed.size(), session.seed);
    session.budgetTrials = row.getColumn(at++).getInt();
    session.budgetSeconds = row.getColumn(at++).getDouble();
    session.status = sessionStatusFrom(text()).value_or(SessionStatus::Interrupted);
    session.sandbox = text();
    session.startedAt = text();
    session.endedAt = text();
    session.sourcePath = text();
    session.entry = text();
    session.noiseFloor = row.getColumn(at++).getDouble();
    session.constraints = Json::parse(text());
    session.facts = Json::parse(text());
    session.trials = row.getColumn(at++).getInt();
    return session;
}

MeasuredRecord measuredFrom(const TrialRecord& trial) {
    MeasuredRecord measured;
    measured.trialNumber = trial.number;
    measured.config = trial.config;
    measured.timeNs = trial.timeNs.value_or(0);
    const auto time = static_cast<double>(measured.timeNs);
    measured.timeCi = trial.timeCi.value_or(Interval{time, time});
    measured.ratio = trial.ratio.value_or(1.0);
    measured.ratioCi = trial.ratioCi.value_or(Interval{measured.ratio, measured.ratio});
    measured.verdict = trial.verdict.value_or(Verdict::Same);
    return measured;
}

class Reader final : public TrialLogReader {
public:
    Reader(fs::path file, std::unique_ptr<SQLite::Database> database) : m_file(std::move(file)), m_database(std::move(database)) {}

    Result<std::vector<SessionRecord>> sessions() override {
        return atOnce([&]() -> Result<std::vector<SessionRecord>> {
            SQLite::Statement query(*m_database, std::string("SELECT ") + kSessionColumns + kSessionTables + "ORDER BY s.id DESC");
            std::vector<SessionRecord> found;
            while (query.executeStep())
                found.push_back(readSession(query));
            for (SessionRecord& session : found)
                WW_CHECK(addResults(session, false));
            return found;
        });
    }

    Result<SessionRecord> session(std::int64_t id) override {
        return atOnce([&]() -> Result<SessionRecord> {
            SQLite::Statement query(*m_database,
                                    std::string("SELECT ") + kSessionColumns + ", k.source, s.spec" + kSessionTables + "WHERE s.id = ?");
            query.bind(1, id);
            if (!query.executeStep()) return noSession(id);
            SessionRecord session = readSession(query);
            session.sourceText = query.getColumn("source").getString();
            session.specJson = Json::parse(query.getColumn("spec").getString());
            session.parameters = parameters(id);
            WW_CHECK(addResults(session, true));
            return session;
        });
    }

    Result<std::int64_t> resolve(std::string_view name) override {
        return atOnce([&]() -> Result<std::int64_t> {
            if (name == "last") {
                SQLite::Statement query(*m_database, "SELECT max(id) FROM session");
                if (query.executeStep() && !query.isColumnNull(0)) return query.getColumn(0).getInt64();
                return fail(ErrorCode::NotFound, "the trial log holds no session yet; run `warpwright-cli tune` first", m_file.string());
            }
            std::int64_t id = 0;
            const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), id);
            if (code != std::errc() || end != name.data() + name.size())
                return fail(ErrorCode::InvalidArgument, "'" + std::string(name) + "' is no session; give its number, or \"last\"");
            SQLite::Statement query(*m_database, "SELECT 1 FROM session WHERE id = ?");
            query.bind(1, id);
            if (!query.executeStep()) return noSession(id);
            return id;
        });
    }

    Result<std::vector<TrialRecord>> trials(std::int64_t session, int firstNumber, int limit) override {
        return guarded(m_file, [&]() -> Result<std::vector<TrialRecord>> {
            SQLite::Statement query(*m_database, std::string("SELECT id, ") + kTrialColumns +
                                                     " FROM trial WHERE session_id = ? AND number >= ? ORDER BY number LIMIT ?");
            query.bind(1, session);
            query.bind(2, firstNumber);
            query.bind(3, limit);
            std::vector<TrialRecord> found;
            while (query.executeStep())
                found.push_back(readTrial(query));
            addDiagnoses(session, found);
            return found;
        });
    }

    Result<TrialRecord> trial(std::int64_t session, int number) override {
        return atOnce([&]() -> Result<TrialRecord> {
            SQLite::Statement query(*m_database,
                                    std::string("SELECT id, ") + kTrialColumns + " FROM trial WHERE session_id = ? AND number = ?");
            query.bind(1, session);
            query.bind(2, number);
            if (query.executeStep()) return whole(readTrial(query));
            SQLite::Statement range(*m_database, "SELECT ifnull(max(number), 0) FROM trial WHERE session_id = ?");
            range.bind(1, session);
            range.executeStep();
            const int last = range.getColumn(0).getInt();
            return fail(ErrorCode::NotFound,
                        "session " + std::to_string(session) + " has no trial " + std::to_string(number) +
                            (last > 0 ? "; its trials are 1 to " + std::to_string(last) : "; it has no trials"),
                        m_file.string());
        });
    }

    Result<TrialRecord> trialById(std::int64_t id) override {
        return atOnce([&]() -> Result<TrialRecord> {
            SQLite::Statement query(*m_database, std::string("SELECT id, ") + kTrialColumns + " FROM trial WHERE id = ?");
            query.bind(1, id);
            if (query.executeStep()) return whole(readTrial(query));
            return fail(ErrorCode::NotFound, "the trial log has no trial with the id " + std::to_string(id), m_file.string());
        });
    }

    Result<std::vector<EventRecord>> events(std::int64_t session) override {
        return guarded(m_file, [&]() -> Result<std::vector<EventRecord>> {
            SQLite::Statement query(*m_database,
                                    "SELECT id, session_id, after_trial, at, kind, data FROM event WHERE session_id = ? ORDER BY id");
            query.bind(1, session);
            std::vector<EventRecord> found;
            while (query.executeStep())
                found.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(), query.getColumn(2).getInt(),
                                 query.getColumn(3).getString(), query.getColumn(4).getString(),
                                 Json::parse(query.getColumn(5).getString())});
            return found;
        });
    }

    Result<std::vector<RejectionRecord>> rejections(std::int64_t session) override {
        return guarded(m_file, [&]() -> Result<std::vector<RejectionRecord>> {
            SQLite::Statement query(*m_database,
                                    "SELECT constraint_id, max(sentence), sum(count) AS total FROM rejection WHERE session_id = ? "
                                    "GROUP BY constraint_id ORDER BY total DESC, constraint_id");
            query.bind(1, session);
            std::vector<RejectionRecord> found;
            while (query.executeStep())
                found.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(), query.getColumn(2).getInt64()});
            return found;
        });
    }

    Result<std::optional<std::string>> policy(std::int64_t session) override {
        return guarded(m_file, [&]() -> Result<std::optional<std::string>> {
            SQLite::Statement query(*m_database, "SELECT content FROM policy_snapshot WHERE session_id = ? ORDER BY id DESC LIMIT 1");
            query.bind(1, session);
            if (!query.executeStep()) return std::optional<std::string>();
            WW_TRY(bytes, decompress(query.getColumn(0).getString()));
            return std::optional<std::string>(std::move(bytes));
        });
    }

private:
    /// All queries of `body` see one state of the database, whatever the writer does meanwhile.
    template <typename F> auto atOnce(F&& body) -> std::invoke_result_t<F> {
        return guarded(m_file, [&]() -> std::invoke_result_t<F> {
            SQLite::Transaction transaction(*m_database, SQLite::TransactionBehavior::DEFERRED);
            return body();
        });
    }

    [[nodiscard]] Unexpected noSession(std::int64_t id) {
        SQLite::Statement query(*m_database, "SELECT id FROM session ORDER BY id");
        std::string known;
        int count = 0;
        for (; query.executeStep(); ++count)
            if (count < 20) known += (count > 0 ? ", " : "") + std::to_string(query.getColumn(0).getInt64());
        if (count > 20) known += ", ...";
        return fail(ErrorCode::NotFound,
                    "there is no session " + std::to_string(id) +
                        (count > 0 ? "; the trial log holds " + known : "; the trial log holds none yet"),
                    m_file.string());
    }

    std::vector<ParameterRecord> parameters(std::int64_t session) {
        SQLite::Statement query(*m_database,
                                "SELECT name, site, scale, label, effect, domain, default_value FROM parameter WHERE session_id = ? "
                                "ORDER BY position");
        query.bind(1, session);
        std::vector<ParameterRecord> found;
        while (query.executeStep()) {
            const auto text = [&](int index) { return query.getColumn(index).getString(); };
            found.push_back({text(0), text(1), text(2), text(3), text(4), Json::parse(text(5)), Json::parse(text(6))});
        }
        return found;
    }

    /// Finalists of the newest procedure, and the best: the fastest of them, else the fastest correct trial.
    Result<void> addResults(SessionRecord& session, bool withSamples) {
        SQLite::Statement query(*m_database,
                                "SELECT id, data FROM event WHERE session_id = ? AND kind = 'finalists' ORDER BY id DESC LIMIT 1");
        query.bind(1, session.id);
        if (query.executeStep()) {
            for (const Json& entry : Json::parse(query.getColumn(1).getString()))
                session.finalists.push_back(store::measuredFrom(entry));
            if (withSamples) WW_CHECK(addFinalistSamples(session, query.getColumn(0).getInt64()));
        }
        if (!session.finalists.empty()) {
            session.best = *std::min_element(session.finalists.begin(), session.finalists.end(),
                                              [](const auto& a, const auto& b) { return a.timeNs < b.timeNs; });
            return {};
        }
        SQLite::Statement fastest(
            *m_database, std::string("SELECT id, ") + kTrialColumns +
                             " FROM trial WHERE session_id = ? AND status = 'ok' AND time_ns IS NOT NULL ORDER BY time_ns, number LIMIT 1");
        fastest.bind(1, session.id);
        if (fastest.executeStep()) session.best = measuredFrom(readTrial(fastest));
        return {};
    }

    Result<void> addFinalistSamples(SessionRecord& session, std::int64_t event) {
        SQLite::Statement query(*m_database, "SELECT position, values_ns FROM sample WHERE event_id = ?");
        query.bind(1, event);
        while (query.executeStep()) {
            const auto position = static_cast<std::size_t>(query.getColumn(0).getInt64());
            WW_TRY(values, unpackSamples(query.getColumn(1).getString()));
            if (position < session.finalists.size()) session.finalists[position].samplesNs = std::move(values);
        }
        return {};
    }

    /// Adds the raw samples and the log.
    Result<TrialRecord> whole(TrialRecord trial) {
        SQLite::Statement samples(*m_database, "SELECT side, values_ns FROM sample WHERE trial_id = ? AND event_id IS NULL");
        samples.bind(1, trial.id);
        while (samples.executeStep()) {
            WW_TRY(values, unpackSamples(samples.getColumn(1).getString()));
            (samples.getColumn(0).getString() == "baseline" ? trial.baselineSamplesNs : trial.samplesNs) = std::move(values);
        }
        SQLite::Statement metrics(*m_database, "SELECT name, value, source FROM metric WHERE trial_id = ? AND (name LIKE 'profile/%' OR name LIKE 'bench/%') ORDER BY name");
        metrics.bind(1, trial.id);
        while (metrics.executeStep()) trial.metrics.push_back({metrics.getColumn(0).getString(), metrics.getColumn(1).getDouble(), metrics.getColumn(2).getString()});
        SQLite::Statement texts(*m_database, "SELECT kind, text FROM diagnostic WHERE trial_id = ? ORDER BY id");
        texts.bind(1, trial.id);
        while (texts.executeStep()) {
            const auto text = texts.getColumn(1).getString();
            if (texts.getColumn(0).getString() == "diagnosis") trial.diagnosis = Json::parse(text);
            else trial.log += text;
        }
        return trial;
    }

    /// `trials` are of `session`, in the order of their numbers.
    void addDiagnoses(std::int64_t session, std::vector<TrialRecord>& trials) {
        SQLite::Statement query(*m_database, "SELECT t.number, d.text FROM diagnostic d JOIN trial t ON t.id = d.trial_id "
                                             "WHERE t.session_id = ? AND d.kind = 'diagnosis'");
        query.bind(1, session);
        while (query.executeStep()) {
            const int number = query.getColumn(0).getInt();
            const auto found = std::lower_bound(trials.begin(), trials.end(), number, [](const TrialRecord& t, int n) { return t.number < n; });
            if (found != trials.end() && found->number == number) found->diagnosis = Json::parse(query.getColumn(1).getString());
        }
    }

    fs::path m_file;
    std::unique_ptr<SQLite::Database> m_database;
};

} // namespace

Result<std::unique_ptr<TrialLogReader>> TrialLogReader::open(const fs::path& file) {
    WW_TRY(database, openForReading(file));
    return std::unique_ptr<TrialLogReader>(std::make_unique<Reader>(file, std::move(database)));
}

} // namespace ww::store
