// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "bench/measurement.h"
#include "device/device.h"

namespace ww::bench {

/// What the caller does around timed launches; all outside the timed window. Called on the thread that measures.
struct RunHooks {
    /// Before every launch of `which` (0: the reference, 1: the candidate; runMany: the index): restores buffers that the
    /// kernel changes in place. While it is set samples are single launches, since nothing can be restored inside a batch.
    std::function<Result<void>(std::size_t which)> restore;
    /// Before sample `sample`: may put other buffers of the same contents into the launch.
    std::function<void(std::size_t which, int sample, device::Launch& launch)> rotate;
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
};

/// Times a candidate against a reference in one process: warm-up, batches for short launches, pairs in random ABBA order,
/// caches flushed before each sample, as many samples as the interval needs. Runs in the device worker.
/// Errors: those of a hook; a candidate's fault is the Outcome.
[[nodiscard]] Result<PairedRun> runPaired(device::Device& device, const device::Launch& reference, const device::Launch& candidate,
                                          const BenchOptions& options, std::uint64_t seed, const RunHooks& hooks = {});

/// Times several launches interleaved, in a new random order each round. Stops when the ratio of each to the first is precise
/// enough or the budget (per pair, so it grows with the number of launches) is spent.
[[nodiscard]] Result<ManyRun> runMany(device::Device& device, const std::vector<device::Launch>& launches, const BenchOptions& options,
                                      std::uint64_t seed, const RunHooks& hooks = {});

} // namespace ww::bench
