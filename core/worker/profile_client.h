// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "compile/compile.h"
#include "device/device.h"
#include "profile/measurements.h"
#include "profile/metrics.h"
#include "sandbox/worker_process.h"
#include "spec/spec.h"

namespace ww::worker {

/// What one profiled launch gave.
struct ProfileAnswer {
    TrialStatus status = TrialStatus::Ok; ///< of the candidate: a launch that fails has no figures
    std::string message;
    profile::Measurements values; ///< of the best rung that could be had, with opcodes where asked for
    device::FunctionFacts function;
    std::string noCounters; ///< why values holds no counters; empty where it does
    std::string chip;
    std::size_t passes = 0;
    double seconds = 0;
};

/// The worker that reads hardware counters: a process beside the device worker, without a user namespace, because the counters need
/// a privilege that one takes away. It gets none but candidates that have passed verification. Replaces itself after a death or a
/// deadline (a kernel that cannot be replayed may hang). Engine thread only.
class ProfileClient {
public:
    struct Options {
        sandbox::WorkerOptions worker; ///< device "cuda:N"; role and level are set here
        std::stop_token stop;
    };
    /// Errors: EnvironmentMissing (no such device), WorkerFailed, Cancelled.
    [[nodiscard]] static Result<std::unique_ptr<ProfileClient>> start(const Options& options);
    virtual ~ProfileClient() = default;

    /// Why this machine gives no counters, with the remedy: found out once, by counting a kernel of our own. Empty: it gives them.
    [[nodiscard]] virtual const std::string& noCounters() const = 0;
    [[nodiscard]] virtual const std::string& chip() const = 0;
    /// Passes of the trial's set on this chip; 0 without counters.
    [[nodiscard]] virtual std::size_t trialPasses() const = 0;
    /// Whether the worker kept root for the counters' sake; stored with the session.
    [[nodiscard]] virtual bool privileged() const = 0;

    /// Loads, launches on buffers filled from `seed`, counts, unloads. Errors: Cancelled, WorkerFailed.
    [[nodiscard]] virtual Result<ProfileAnswer> profile(const compile::CompileResult& object, const spec::ResolvedLaunch& launch,
                                                        std::uint64_t seed, profile::MetricSet set, std::chrono::nanoseconds deadline) = 0;
};

} // namespace ww::worker
