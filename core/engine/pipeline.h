// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/bencher.h"
#include "engine/candidate.h"
#include "engine/reference.h"
#include "engine/session.h"
#include "worker/clients.h"

namespace ww::engine {

/// A candidate whose compile has been asked for.
struct InFlight {
    Candidate candidate;
    worker::JobId job = 0;
    std::int64_t proposeNs = 0;
};

/// The stages of one trial, in order, over the worker processes. Knows nothing of strategies, budgets or the database.
/// Engine thread only; blocks while a stage runs; a stop request ends any stage with Cancelled.
class Pipeline {
public:
    struct Options {
        bool allowNoSandbox = false;
        bool shareResults = true;
        std::uint64_t seed = 0;
        std::stop_token stop;
        std::function<void(Stage)> onStage;   ///< may be empty
    };
    /// Starts the workers. Errors: SandboxUnavailable (with the remedy), EnvironmentMissing.
    [[nodiscard]] static Result<std::unique_ptr<Pipeline>> start(std::shared_ptr<const Task> task, Options options);
    virtual ~Pipeline() = default;

    [[nodiscard]] virtual Result<InFlight> submit(const space::Configuration& configuration) = 0;
    /// What the user should know of since the last call.
    [[nodiscard]] virtual std::vector<std::string> takeNotes() = 0;
    /// What the measuring found between trials: noise floor taken again, drift control, pauses to cool down.
    [[nodiscard]] virtual std::vector<BenchEvent> takeEvents() = 0;
    /// After a drift control: what the best configuration's median is now (ns), to stand for the older one.
    [[nodiscard]] virtual std::optional<double> takeIncumbentNs() = 0;
    virtual void drop(const InFlight& inFlight) = 0;
    [[nodiscard]] virtual std::size_t lookahead() const = 0;  ///< compiles worth having in flight

    /// Waits for the compile, verifies, measures against itself (A/A), and keeps the module as baseline for the session.
    /// The record's status tells whether it can serve; `noiseFloor` is set when it does.
    [[nodiscard]] virtual Result<store::TrialRecord> runBaseline(const InFlight& inFlight) = 0;
    /// A trial after the baseline. `incumbentNs`: best median so far, for early rejection (0: none).
    [[nodiscard]] virtual Result<store::TrialRecord> runTrial(const InFlight& inFlight, double incumbentNs) = 0;
    /// On resume: compiles and loads the baseline again without a trial. Its noise floor comes from the log.
    [[nodiscard]] virtual Result<void> restoreBaseline(const InFlight& inFlight, double noiseFloor) = 0;
    /// Tells it of an earlier trial, so that equal objects share its measurement.
    virtual void remember(const store::TrialRecord& trial) = 0;
    /// Interleaved, in a fresh device process, after a check of each where `verifyFirst` asks for it (Unsupported names one
    /// that is wrong); the first configuration is the reference of the ratios. Result in given order.
    [[nodiscard]] virtual Result<std::vector<store::MeasuredRecord>> measureTogether(const std::vector<space::Configuration>& configurations,
                                                                                     int samples, bool verifyFirst) = 0;

    [[nodiscard]] virtual double noiseFloor() const = 0;
    [[nodiscard]] virtual sandbox::Level sandboxLevel() const = 0;
    [[nodiscard]] virtual Json environment() const = 0;   ///< compiler, driver, sandbox versions
    [[nodiscard]] virtual double deviceSeconds() const = 0;  ///< spent in timed launches
};

}  // namespace ww::engine
