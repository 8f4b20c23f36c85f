// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/records.h"

namespace ww::store {

/// $XDG_DATA_HOME/warpwright/trials.db.
[[nodiscard]] std::filesystem::path defaultDatabase();

/// The one writer of a database. Holds the file's writer lock from open to destruction; used by the engine thread only.
/// Every method is one transaction and is durable against kill -9 when it returns.
class TrialLogWriter {
public:
    /// Creates or migrates the file (and its folder). `owner` names us in the lock ("warpwright-cli, process 4711").
    /// Errors: DatabaseLocked (names the holder, advises --db), DatabaseVersion, DatabaseCorrupt (also: not a database),
    /// Unreadable (read-only folder).
    [[nodiscard]] static Result<std::unique_ptr<TrialLogWriter>> open(const std::filesystem::path& file, const std::string& owner);
    virtual ~TrialLogWriter() = default;

    /// Stores everything a session starts with; returns its id.
    [[nodiscard]] virtual Result<std::int64_t> beginSession(const SessionRecord& session) = 0;
    [[nodiscard]] virtual Result<void> updateSession(std::int64_t session, SessionStatus status, int budgetTrials, double budgetSeconds) = 0;
    [[nodiscard]] virtual Result<void> setNoiseFloor(std::int64_t session, double fraction) = 0;
    /// Writes trial, samples, diagnostic and the rejections counted since the last call; fills id.
    [[nodiscard]] virtual Result<std::int64_t> addTrial(const TrialRecord& trial, const std::vector<RejectionRecord>& rejections) = 0;
    /// Figures of a profile taken after the trial was stored: top k, on demand. Replaces those of the same name.
    [[nodiscard]] virtual Result<void> addMetrics(std::int64_t trial, const std::vector<MetricRecord>& metrics) = 0;
    [[nodiscard]] virtual Result<std::int64_t> addEvent(const EventRecord& event) = 0;
    [[nodiscard]] virtual Result<void> addRejections(std::int64_t session, const std::vector<RejectionRecord>& rejections) = 0;
    /// Finalists or re-measurements: rows of `sample` and one event.
    [[nodiscard]] virtual Result<void> addMeasurements(std::int64_t session, std::string_view kind, const std::vector<MeasuredRecord>& measured) = 0;
    [[nodiscard]] virtual Result<void> addArtifact(std::int64_t session, std::optional<std::int64_t> trial, std::string_view kind, std::string_view bytes) = 0;
    [[nodiscard]] virtual Result<void> savePolicy(std::int64_t session, int afterTrial, std::string_view strategy, std::string_view bytes) = 0;
};

/// Read-only views; any number beside the writer. One per thread; short transactions.
class TrialLogReader {
public:
    /// Errors: NotFound, DatabaseCorrupt, DatabaseVersion, Unreadable.
    [[nodiscard]] static Result<std::unique_ptr<TrialLogReader>> open(const std::filesystem::path& file);
    virtual ~TrialLogReader() = default;

    [[nodiscard]] virtual Result<std::vector<SessionRecord>> sessions() = 0;   ///< newest first; without source and spec text
    /// By id. Errors: NotFound (names the ids there are).
    [[nodiscard]] virtual Result<SessionRecord> session(std::int64_t id) = 0;
    /// "last", "12". Errors: NotFound, InvalidArgument.
    [[nodiscard]] virtual Result<std::int64_t> resolve(std::string_view name) = 0;
    [[nodiscard]] virtual Result<std::vector<TrialRecord>> trials(std::int64_t session, int firstNumber = 1, int limit = -1) = 0;  ///< without samples and logs
    [[nodiscard]] virtual Result<TrialRecord> trial(std::int64_t session, int number) = 0;  ///< whole
    [[nodiscard]] virtual Result<TrialRecord> trialById(std::int64_t id) = 0;
    [[nodiscard]] virtual Result<std::vector<EventRecord>> events(std::int64_t session) = 0;
    [[nodiscard]] virtual Result<std::vector<RejectionRecord>> rejections(std::int64_t session) = 0;
    /// The newest snapshot, or nullopt.
    [[nodiscard]] virtual Result<std::optional<std::string>> policy(std::int64_t session) = 0;
};

}  // namespace ww::store
