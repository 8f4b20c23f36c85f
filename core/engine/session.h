// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "device/device_facts.h"
#include "policy/strategy.h"
#include "source/host_code.h"
#include "source/include_scan.h"
#include "source/source_model.h"
#include "space/search_space.h"
#include "spec/spec.h"
#include "store/records.h"

namespace ww::engine {

/// What to run and how; plain values. Defaults are SPEC.md's.
struct SessionOptions {
    std::filesystem::path specPath;     ///< spec, folder or kernel source
    std::string device = "auto";        ///< auto | cpu | cuda[:N]
    std::string strategy = "warp";
    std::string objective;              ///< empty: the spec's
    std::string workload;               ///< empty: the device's default
    int trials = 200;                   ///< the session's total, also on resume; there 0 keeps what was stored
    double seconds = 0;                 ///< wall-clock budget; 0: none, on resume what was stored
    std::optional<std::uint64_t> seed;  ///< drawn where unset
    std::vector<std::string> pins, bans;  ///< "NAME=VALUE"
    std::filesystem::path database;     ///< empty: the default
    std::string resume;                 ///< session id or "last"; empty: a new session
    bool allowNoSandbox = false;
    bool shareResults = true;           ///< equal objects share one measurement
    bool finalists = true;
    std::string owner = "warpwright";   ///< names us in the database lock
};

/// Where a parameter that the source uses without defining it becomes a macro: at the head of the text, or behind the headers
/// that use its name for something else. An option -DNAME=value would reach every header, NVRTC's own among them.
struct LocalDefine {
    std::string name;
    std::size_t offset = 0;  ///< start of a line of the text
    int line = 1;            ///< that line
};

/// A kernel that has been read and understood, before any session: what the window shows when a file is opened.
/// An immutable value.
struct Task {
    spec::Spec spec;
    source::SourceModel source;
    spec::WorkloadSpec workload;
    space::SearchSpace space;           ///< with the device's rules
    device::DeviceFacts device;
    std::vector<std::string> notes;     ///< assumptions and disagreements, to be shown
    std::vector<source::IncludedFile> includes;  ///< what the source includes, and where it was found
    source::DeviceText deviceText;      ///< the source without its host code; what compilers get, once edited
    std::vector<LocalDefine> defines;   ///< for each parameter that comes in as a macro
};

/// Loads spec and source, picks the workload, builds the space with the device's rules and sets each parameter's site.
/// Errors: those of spec::load and source::loadCuda; Unsupported where the device cannot run the source (names feature and
/// line); EmptySpace with the constraint that refuses most.
[[nodiscard]] Result<Task> loadTask(const std::filesystem::path& specPath, const device::DeviceFacts& device, const std::string& workload);

/// auto | cpu | cuda[:N] -> facts. Errors: EnvironmentMissing, InvalidArgument.
[[nodiscard]] Result<device::DeviceFacts> findDevice(const std::string& name);
[[nodiscard]] std::vector<device::DeviceFacts> listDevices();

enum class Stage { Starting, Baseline, Proposing, Compiling, Verifying, Benchmarking, Learning, Storing, Finalists, Idle, Done };
[[nodiscard]] std::string_view toString(Stage stage) noexcept;

/// Immutable events, emitted on the engine's thread.
struct SessionStarted {
    store::SessionRecord session;
    std::shared_ptr<const Task> task;
    std::vector<store::TrialRecord> earlier;   ///< on resume
    std::vector<store::EventRecord> earlierEvents;
};
struct StageChanged {
    Stage stage = Stage::Idle;
    int trial = 0;
    std::optional<space::Configuration> configuration;  ///< the running candidate
};
struct TrialFinished {
    std::shared_ptr<const store::TrialRecord> trial;
};
struct EventLogged {
    store::EventRecord event;
};
struct Progress {
    int trials = 0, budget = 0;
    double elapsedSeconds = 0;
    std::optional<double> etaSeconds;
    double compileSeconds = 0, deviceSeconds = 0;
    double trialsPerMinute = 0;
    std::map<std::string, std::int64_t> rejections;     ///< by constraint id, so far
    std::optional<policy::Probabilities> probabilities;
    Json diagnostics;                                    ///< the strategy's figures
};
struct FinalistsMeasured {
    std::vector<store::MeasuredRecord> finalists;        ///< best first, baseline last
};
struct SessionEnded {
    store::SessionStatus status = store::SessionStatus::Finished;
    std::optional<Error> error;
    std::optional<store::MeasuredRecord> best;
};
using SessionEvent = std::variant<SessionStarted, StageChanged, TrialFinished, EventLogged, Progress, FinalistsMeasured, SessionEnded>;
using EventSink = std::function<void(const SessionEvent&)>;

/// What `tune --json` ends with.
struct SessionSummary {
    std::int64_t session = 0;
    Json document;                       ///< DESIGN.md section 11
    bool found = false;                  ///< at least one correct configuration
};

/// One tuning session. Lives on one thread (the engine thread): construct, step and steer it there. Only the stop source
/// may be used from elsewhere: it also kills the running children at once.
class Session {
public:
    /// Opens the database, starts the workers, stores the session, emits SessionStarted.
    /// Errors: everything a user can get wrong, with what to do about it.
    [[nodiscard]] static Result<std::unique_ptr<Session>> create(SessionOptions options, EventSink sink, std::stop_source stop);
    virtual ~Session() = default;

    enum class StepResult { Continue, Finished };
    /// One trial at most (propose, wait for its compile, verify, bench, learn, store), then returns, so that steering acts
    /// between steps. Finished after the finalists' procedure or when stopped.
    [[nodiscard]] virtual Result<StepResult> step() = 0;

    /// Steering, effective at the next proposal; queued candidates that break a new pin or ban are dropped.
    /// Errors: InvalidArgument (unknown name or value), EmptySpace (nothing valid would be left; nothing is changed).
    [[nodiscard]] virtual Result<void> pin(const std::string& parameter, const space::Value& value) = 0;
    [[nodiscard]] virtual Result<void> unpin(const std::string& parameter) = 0;
    [[nodiscard]] virtual Result<void> ban(const std::string& parameter, const space::Value& value) = 0;
    [[nodiscard]] virtual Result<void> unban(const std::string& parameter, const space::Value& value) = 0;
    [[nodiscard]] virtual Result<void> setBudget(int trials, double seconds) = 0;
    /// Runs next, before any proposal. Errors: InvalidArgument with the constraint that refuses it.
    [[nodiscard]] virtual Result<void> enqueue(const space::Configuration& configuration) = 0;
    virtual void notePause(bool paused) = 0;   ///< logs the event; the caller just stops stepping
    virtual void note(const std::string& text) = 0;

    [[nodiscard]] virtual const space::ValueMask& mask() const = 0;
    [[nodiscard]] virtual SessionSummary summary() const = 0;
};

/// Measures given configurations (the first is the reference) interleaved in one fresh process: CLI `bench`.
/// document: {device, workload, results[{config, time_ns, ci, ratio, ratio_ci, verdict}]}.
[[nodiscard]] Result<Json> benchConfigurations(const SessionOptions& options, const std::vector<std::string>& configurations);

}  // namespace ww::engine
