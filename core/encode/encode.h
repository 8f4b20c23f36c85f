// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/trial_status.h"
#include "compile/compile.h"
#include "device/device_facts.h"
#include "encode/state_vector.h"
#include "source/source_model.h"

namespace ww::encode {

/// How one configuration (the incumbent; before there is one, the default) is launched.
struct Launch {
    std::int64_t threadsPerBlock = 0;
    std::int64_t blocks = 0;
    std::int64_t dynamicSharedBytes = 0;
};

/// Counters of the last profiled trial, as fractions in [0, 1]; unset where the device or the permissions give none.
struct LastProfile {
    std::optional<double> dramOfPeak, issueActive, achievedOccupancy, l1HitRate, l2HitRate, smThroughput, tensorActive, clockOfMaximum;
};

/// The search so far. Counts of trials include the baseline.
struct Progress {
    int trials = 0, budget = 0;
    double elapsedSeconds = 0, budgetSeconds = 0;  ///< budget 0: none
    int failed = 0;                ///< trials without a correct time; the next three are parts of it
    int failedCompile = 0;         ///< compile_error, compile_timeout
    int failedRun = 0;             ///< resource, launch and runtime errors, timeouts, out of memory
    int failedCheck = 0;           ///< wrong_result, nondeterministic, cheat_suspected
    int improvements = 0;          ///< how often a trial became the incumbent
    int sinceImprovement = 0;      ///< trials since the last one
    std::optional<double> bestRatio, lastRatio;  ///< baseline / candidate, above 1 is faster
    std::optional<double> lastReward;            ///< R
    std::optional<double> meanReward;
    std::optional<TrialStatus> lastStatus;
};

/// The space and what the user has fixed in it.
struct SpaceFacts {
    int parameters = 0, pinned = 0;
    int values = 0, banned = 0;    ///< over all parameters
    double cartesian = 0, valid = 0;
};

/// All that the encoder looks at. Whatever is absent (null, unset, -1 in CompileFacts) encodes as 0.
/// Pointers are borrowed for the call only.
struct Inputs {
    const source::SourceModel* source = nullptr;
    std::string entry;             ///< name of the kernel that is tuned; empty: the first of the source
    const device::DeviceFacts* device = nullptr;
    std::optional<compile::CompileFacts> compile;  ///< of the incumbent, else of the default
    std::optional<Launch> launch;
    LastProfile profile;
    Progress progress;
    SpaceFacts space;
};

/// One element of the state, as the window, `encode --json` and docs/state-vector.md show it.
struct Element {
    std::size_t index = 0;
    std::string_view name;         ///< unique: "ast.loops", "search.best_ratio", "device.processors"
    std::string_view source;       ///< where it comes from, in words
    std::string_view normaliser;   ///< how it gets into [0, 1]: "x / (x + 8)"
};

/// The table, in index order: 32 of the syntax tree, 64 continuous, 32 of the device.
[[nodiscard]] const std::array<Element, kStateSize>& elements();

/// Deterministic; every element is finite and in [0, 1] whatever the inputs. Takes microseconds.
[[nodiscard]] StateVector encode(const Inputs& inputs);

}  // namespace ww::encode
