// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/trial_status.h"

namespace ww::store {

/// Nanoseconds spent per stage of a trial; 0 where a stage did not run.
struct StageTimes {
    std::int64_t proposeNs = 0, compileNs = 0, verifyNs = 0, benchNs = 0, profileNs = 0, storeNs = 0;
    bool operator==(const StageTimes&) const = default;
};

/// Reward and its parts, kept apart (DESIGN.md section 6). Unset parts were not available.
struct RewardRecord {
    std::optional<double> total;        ///< nullopt: no update (unstable, worker_lost, cancelled)
    std::optional<double> speed;        ///< s
    std::optional<double> roof;         ///< b
    std::optional<double> correctness;  ///< c
    std::string formula;                ///< "composite/1 without roof", ...
};

/// One row of `metric`, apart from the compiler's own, which the writer makes from TrialRecord::compileFacts.
struct MetricRecord {
    std::string name;                   ///< "profile/dram_pct"
    double value = 0;
    std::string source;                 ///< the rung it stands on: "counters", "activity", "estimate", ...
    bool operator==(const MetricRecord&) const = default;
};

/// One row of `trial`: written once when the trial ends, never changed.
struct TrialRecord {
    std::int64_t id = 0;                ///< database id; 0 before it is stored
    std::int64_t sessionId = 0;
    int number = 0;                     ///< 1 is the baseline
    Json config;                        ///< {"TILE": 64, ...}
    TrialStatus status = TrialStatus::Ok;
    std::optional<Verdict> verdict;
    std::optional<std::int64_t> timeNs; ///< median
    std::optional<Interval> timeCi;     ///< 95 %, ns
    std::optional<double> ratio;        ///< baseline / candidate, paired; above 1 is faster
    std::optional<Interval> ratioCi;    ///< 95 %
    RewardRecord reward;
    StageTimes stages;
    std::string message;                ///< what went wrong, in one or more lines; whole compiler logs are diagnostics
    std::string origin;                 ///< "baseline", "init", "policy", "random", "exhaustive", "user"
    std::string objectHash;
    std::optional<int> sharedWith;      ///< number of the trial whose measurement this one shares (same object)
    Json compileFacts;                  ///< CompileFacts as JSON
    Json policy;                        ///< log_prob and what the strategy wants kept; may be null
    Json correctness;                   ///< per workload and output: worst error, index, both values, tolerance; may be null
    std::string startedAt;              ///< ISO 8601, UTC
    std::string log;                    ///< whole compiler or runtime output (stored in `diagnostic`)
    Json diagnosis;                     ///< diagnose::Diagnosis as JSON (stored in `diagnostic`); null where no cause is known
    std::vector<MetricRecord> metrics;  ///< of its profile (stored in `metric`)
    std::vector<double> baselineSamplesNs, samplesNs;  ///< raw, in order (stored in `sample`)
};

/// Something that happened between trials.
struct EventRecord {
    std::int64_t id = 0;
    std::int64_t sessionId = 0;
    int afterTrial = 0;                 ///< number of the last finished trial
    std::string at;                     ///< ISO 8601, UTC
    std::string kind;                   ///< pin, unpin, ban, unban, pause, resume, budget, finalists, notice, policy, note, stop,
                                        ///< noise_floor, drift_control, cool_down
    Json data;
};

struct ParameterRecord {
    std::string name, site, scale, label, effect;
    Json values;                        ///< the domain
    Json defaultValue;
};

struct RejectionRecord {
    std::string constraintId, sentence;
    std::int64_t count = 0;
};

enum class SessionStatus { Running, Paused, Finished, Interrupted, Failed };
[[nodiscard]] std::string_view toString(SessionStatus status) noexcept;
[[nodiscard]] std::optional<SessionStatus> sessionStatusFrom(std::string_view word) noexcept;

/// What a finalists' procedure, or a bench of several configurations, found.
struct MeasuredRecord {
    int trialNumber = 0;
    Json config;
    std::int64_t timeNs = 0;
    Interval timeCi;
    double ratio = 1;
    Interval ratioCi;
    Verdict verdict = Verdict::Same;
    std::vector<double> samplesNs;
};

struct SessionRecord {
    std::int64_t id = 0;
    std::string kernel;                 ///< spec name
    std::string title;
    std::string specPath;               ///< absolute path as opened
    Json device;                        ///< DeviceFacts as JSON (with "uuid", "name", "kind")
    std::string workload;
    std::string strategy, objective;
    std::uint64_t seed = 0;
    int budgetTrials = 0;
    double budgetSeconds = 0;           ///< 0: none
    SessionStatus status = SessionStatus::Running;
    std::string sandbox;                ///< level used: "bubblewrap", "none (consented)", ...
    std::string startedAt, endedAt;
    std::string sourceText;             ///< the kernel as opened
    std::string sourcePath;
    std::string entry;
    Json specJson;                      ///< the spec as T1, so that a session replays without its files
    double noiseFloor = 0;              ///< F, as a fraction
    std::vector<ParameterRecord> parameters;
    Json constraints;                   ///< [{id, sentence, text}]
    Json facts;                         ///< environment: versions, clocks, sandbox, command line
    int trials = 0;                     ///< filled by readers
    std::optional<MeasuredRecord> best; ///< filled by readers: after finalists, else from trials
    std::vector<MeasuredRecord> finalists;
};

}  // namespace ww::store
