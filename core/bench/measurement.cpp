// SPDX-License-Identifier: Apache-2.0
#include "bench/measurement.h"

namespace ww::bench {

namespace {

/// Reads a member when it is there and of the right kind; a message between our own processes may lack newer keys.
template <typename T> void readInto(const Json& json, std::string_view key, T& value) {
    const Json* found = member(json, key);
    if (found == nullptr) return;
    if constexpr (std::is_same_v<T, bool>) {
        if (found->is_boolean()) value = found->get<bool>();
    } else if constexpr (std::is_arithmetic_v<T>) {
        if (found->is_number()) value = found->get<T>();
    } else {
        if (!found->is_array()) return;
        value.clear();
        for (const Json& item : *found)
            if (item.is_number()) value.push_back(item.get<double>());
    }
}

} // namespace

Json BenchOptions::toJson() const {
    return Json{{"cold", cold},
                {"min_samples", minSamples},
                {"max_samples", maxSamples},
                {"max_device_seconds", maxDeviceSeconds},
                {"max_wall_seconds", maxWallSeconds},
                {"target_half_width", targetHalfWidth},
                {"warmup_seconds", warmupSeconds},
                {"max_warmup_seconds", maxWarmupSeconds},
                {"warmup_launches", warmupLaunches},
                {"batch_below_ns", batchBelowNs},
                {"session_clock_mhz", sessionClockMHz},
                {"data_seed", dataSeed},
                {"reject_above_ns", rejectAboveNs},
                {"reject_factor", rejectFactor}};
}

BenchOptions BenchOptions::fromJson(const Json& json) {
    BenchOptions options;
    readInto(json, "cold", options.cold);
    readInto(json, "min_samples", options.minSamples);
    readInto(json, "max_samples", options.maxSamples);
    readInto(json, "max_device_seconds", options.maxDeviceSeconds);
    readInto(json, "max_wall_seconds", options.maxWallSeconds);
    readInto(json, "target_half_width", options.targetHalfWidth);
    readInto(json, "warmup_seconds", options.warmupSeconds);
    readInto(json, "max_warmup_seconds", options.maxWarmupSeconds);
    readInto(json, "warmup_launches", options.warmupLaunches);
    readInto(json, "batch_below_ns", options.batchBelowNs);
    readInto(json, "session_clock_mhz", options.sessionClockMHz);
    readInto(json, "data_seed", options.dataSeed);
    readInto(json, "reject_above_ns", options.rejectAboveNs);
    readInto(json, "reject_factor", options.rejectFactor);
    return options;
}

Json PairedSamples::toJson() const {
    return Json{{"reference_ns", referenceNs},
                {"candidate_ns", candidateNs},
                {"launches_per_sample", launchesPerSample},
                {"cold", cold},
                {"rejected_early", rejectedEarly},
                {"unstable", unstable},
                {"throttled", throttled},
                {"reference_clock_mhz", referenceClockMHz},
                {"candidate_clock_mhz", candidateClockMHz},
                {"discarded_ns", discardedNs},
                {"median_clock_mhz", medianClockMHz},
                {"device_seconds", deviceSeconds},
                {"wall_seconds", wallSeconds}};
}

PairedSamples PairedSamples::fromJson(const Json& json) {
    PairedSamples samples;
    readInto(json, "reference_ns", samples.referenceNs);
    readInto(json, "candidate_ns", samples.candidateNs);
    readInto(json, "launches_per_sample", samples.launchesPerSample);
    readInto(json, "cold", samples.cold);
    readInto(json, "rejected_early", samples.rejectedEarly);
    readInto(json, "unstable", samples.unstable);
    readInto(json, "throttled", samples.throttled);
    readInto(json, "reference_clock_mhz", samples.referenceClockMHz);
    readInto(json, "candidate_clock_mhz", samples.candidateClockMHz);
    readInto(json, "discarded_ns", samples.discardedNs);
    readInto(json, "median_clock_mhz", samples.medianClockMHz);
    readInto(json, "device_seconds", samples.deviceSeconds);
    readInto(json, "wall_seconds", samples.wallSeconds);
    return samples;
}

} // namespace ww::bench
