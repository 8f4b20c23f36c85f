// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "bench/measurement.h"
#include "device/device.h"

namespace ww::bench {

/// What the caller does around timed launches; all outside the timed window, on the thread that measures. `which` is 0 for the
/// reference and 1 for the candidate (runMany: the index); `serial` counts the launches of one `which` from 0.
struct RunHooks {
    /// How many launches may be timed in one sample, at most `wanted`. Unset: one where `prepare` is set, else `wanted`.
    std::function<Result<int>(int wanted)> reserve;
    /// Puts buffers with this launch's values into it, outputs poisoned, buffers that change in place restored.
    std::function<Result<void>(std::size_t which, int serial, device::Launch& launch)> prepare;
    /// After a sample of `count` launches: what gives the candidate away as one that did not do its work, if anything does.
    std::function<Result<std::optional<std::string>>(std::size_t which, int firstSerial, int count)> inspect;
    /// Lets a throttled device rest. Unset: sleeps.
    std::function<void(double seconds)> pause;
    std::function<std::int64_t()> nowNs = monotonicNs;
};

/// Outcome other than Ok: launch `failed` (0: the reference) ended so; the samples up to then are kept.
struct PairedRun {
    device::Outcome outcome;
    std::size_t failed = 0;
    PairedSamples samples;
};

struct ManyRun {
    device::Outcome outcome;
    std::size_t failed = 0;
    std::vector<std::vector<double>> samplesNs; ///< by launch; entry i of every list was taken in round i
    bool unstable = false;
    double deviceSeconds = 0, wallSeconds = 0;
    double medianClockMHz = 0;
};

/// Times a candidate against a reference in one process: warm-up, batches for short launches, pairs in random ABBA order,
/// caches flushed before each sample, as many samples as the interval needs. Pairs in which the device throttled are taken
/// again. Runs in the device worker.
/// Errors: those of a hook; a candidate's fault is the Outcome.
[[nodiscard]] Result<PairedRun> runPaired(device::Device& device, const device::Launch& reference, const device::Launch& candidate,
                                          const BenchOptions& options, std::uint64_t seed, const RunHooks& hooks = {});

/// Times several launches interleaved, in a new random order each round. Stops when the ratio of each to the first is precise
/// enough or the budget (per pair, so it grows with the number of launches) is spent.
[[nodiscard]] Result<ManyRun> runMany(device::Device& device, const std::vector<device::Launch>& launches, const BenchOptions& options,
                                      std::uint64_t seed, const RunHooks& hooks = {});

} // namespace ww::bench
