// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "device/device.h"
#include "profile/measurements.h"
#include "profile/metrics.h"

namespace ww::profile {

/// What one collection gave: the launch's own outcome, and the figures where it was Ok.
struct Collected {
    device::Outcome outcome;
    Measurements values;
    std::size_t passes = 0;
    double seconds = 0;
};

/// Reads the hardware counters of single launches on one device, through CUPTI's range profiler: one range per kernel, replayed by
/// CUPTI as often as the set needs, with the memory that the kernel changes put back between passes. Lives on the thread that has
/// the device's context current (the profile worker's). Nothing is timed while it lives: replay serialises.
class RangeProfiler {
public:
    /// `device`: CUDA ordinal whose primary context is current. Errors: EnvironmentMissing where CUPTI is missing or refuses
    /// (permission, virtual GPU, ...), with the remedy; WorkerFailed with CUPTI's own words.
    [[nodiscard]] static Result<std::unique_ptr<RangeProfiler>> open(int device);
    virtual ~RangeProfiler() = default;

    [[nodiscard]] virtual const std::string& chip() const = 0;
    /// Counts during `launch`, whose last kernel is the one of interest. Multi-pass sets are taken in two goes, the trial's first:
    /// in a single pass nothing has been restored before the kernel, so its DRAM traffic is that of a real launch.
    /// `prepare` runs before each go, outside of the counting (inputs restored, caches emptied).
    [[nodiscard]] virtual Result<Collected> collect(MetricSet set, const std::function<Result<void>()>& prepare,
                                                    const std::function<device::Outcome()>& launch) = 0;
};

} // namespace ww::profile
