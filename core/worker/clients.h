// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/trial_status.h"
#include "bench/measurement.h"
#include "compile/compile.h"
#include "device/device.h"
#include "sandbox/worker_process.h"
#include "spec/spec.h"
#include "verify/checked_run.h"

namespace ww::worker {

/// A job's number in a CompilePool.
using JobId = std::uint64_t;

struct CompiledJob {
    JobId id = 0;
    compile::CompileResult result;
};

/// N compile workers with a queue. A worker that dies or outlives its deadline is replaced; its job ends as compile_timeout
/// or compile_error (with what the process said). Time suspended does not count against a deadline. Engine thread only.
class CompilePool {
public:
    struct Options {
        int workers = 1;
        sandbox::WorkerOptions worker;
        std::stop_token stop;
        std::filesystem::path cacheFolder = defaultCacheFolder();  ///< of compiled objects; empty: kept in memory only
    };
    /// $XDG_CACHE_HOME/warpwright/objects, else ~/.cache/warpwright/objects.
    [[nodiscard]] static std::filesystem::path defaultCacheFolder();
    [[nodiscard]] static Result<std::unique_ptr<CompilePool>> start(const Options& options);
    virtual ~CompilePool() = default;

    [[nodiscard]] virtual JobId submit(const compile::CompileRequest& request) = 0;
    /// Drops a queued job, or lets a running one finish unheard.
    virtual void cancel(JobId job) = 0;
    /// Handles what has arrived without waiting; returns finished jobs.
    [[nodiscard]] virtual std::vector<CompiledJob> poll() = 0;
    /// Waits until job `job` is finished (others that finish meanwhile come with the next poll()). Errors: Cancelled.
    [[nodiscard]] virtual Result<CompiledJob> waitFor(JobId job) = 0;
    virtual void suspend() = 0;
    virtual void resume() = 0;
    [[nodiscard]] virtual std::size_t inFlight() const = 0;
    /// Of the front ends found, "; " between them.
    [[nodiscard]] virtual std::string compilerVersion() const = 0;
    /// Of one front end; empty where it is missing.
    [[nodiscard]] virtual std::string compilerVersion(compile::Target target) const = 0;
};

/// A loaded module in the device worker.
struct LoadedModule {
    std::uint32_t id = 0;
    device::FunctionFacts facts;
};

/// How a request to the device worker ended: the candidate's own outcome. `workerReplaced` tells that the process had to be
/// replaced and that modules and buffers are gone.
struct DeviceOutcome {
    TrialStatus status = TrialStatus::Ok;
    std::string message;
    bool workerReplaced = false;
};

/// What verification launches left behind.
struct RunResult {
    DeviceOutcome outcome;
    std::int64_t timeNs = 0;
    std::vector<std::string> guardViolations;    ///< "y: 12 bytes after the end were overwritten, first at +4"
    std::vector<std::string> changedInputs;      ///< names of read-only buffers whose contents changed
    std::vector<std::string> unwrittenOutputs;   ///< "y: 3 of 1024 elements still hold the poison, first at [1021]"
    /// Bytes of each output argument in spec order; views into the arena, valid until the next call.
    std::vector<std::span<const std::byte>> outputs;
    verify::Repeats repeats;
    std::string printed;                         ///< what the kernel printed, cut at 64 KiB
};

/// The exclusive device worker. Replaces itself after a sticky error, a crash or a deadline. Engine thread only.
class DeviceClient {
public:
    struct Options {
        sandbox::WorkerOptions worker;
        std::stop_token stop;
        std::int64_t memoryGrowthBytes = std::int64_t{200} << 20;
    };
    [[nodiscard]] static Result<std::unique_ptr<DeviceClient>> start(const Options& options);
    virtual ~DeviceClient() = default;

    [[nodiscard]] virtual const device::DeviceFacts& facts() const = 0;
    /// A fresh process (finalists).
    [[nodiscard]] virtual Result<void> restart() = 0;

    /// Loads a compiled object; the result's status is resource_error when the device refuses it.
    [[nodiscard]] virtual Result<std::pair<DeviceOutcome, LoadedModule>> load(const compile::CompileResult& object,
                                                                              const device::LaunchShape& shape) = 0;
    virtual void unload(std::uint32_t module) = 0;

    /// One checked launch: inputs filled from `seed`, outputs poisoned with `poison` (0 or 1 picks the pattern), guard zones
    /// around every buffer, inputs compared after. Errors: Cancelled, WorkerFailed (no worker can be had at all).
    [[nodiscard]] virtual Result<RunResult> run(std::uint32_t module, const spec::ResolvedLaunch& launch, const verify::RunOptions& options,
                                                std::chrono::nanoseconds deadline) = 0;

    /// Paired timing of a candidate against a reference module. Errors as run().
    [[nodiscard]] virtual Result<std::pair<DeviceOutcome, bench::PairedSamples>> bench(
        std::uint32_t referenceModule, const spec::ResolvedLaunch& referenceLaunch, std::uint32_t module,
        const spec::ResolvedLaunch& launch, std::uint64_t seed, const bench::BenchOptions& options,
        std::chrono::nanoseconds deadline) = 0;

    /// Interleaved timing of several modules against the first (finalists, CLI bench): samples[i] belong to modules[i].
    [[nodiscard]] virtual Result<std::pair<DeviceOutcome, std::vector<std::vector<double>>>> benchMany(
        const std::vector<std::uint32_t>& modules, const std::vector<spec::ResolvedLaunch>& launches, std::uint64_t seed,
        const bench::BenchOptions& options, std::chrono::nanoseconds deadline) = 0;
};

}  // namespace ww::worker
