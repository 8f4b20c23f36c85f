// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/trial_status.h"

namespace ww::bench {

/// How long and how carefully to measure. Times in seconds, sample counts per side.
struct BenchOptions {
    bool cold = true; ///< flush caches before each sample
    int minSamples = 10;
    int maxSamples = 200;
    double maxDeviceSeconds = 1.0; ///< of timed launches, both sides together
    double maxWallSeconds = 10.0;
    double targetHalfWidth = 0.003; ///< of the ratio's 95 % interval
    double warmupSeconds = 0.2, maxWarmupSeconds = 3.0;
    double batchBelowNs = 20000; ///< shorter launches are timed in batches
    /// Stop after 5 samples when the candidate's median is above this (ns); 0: never.
    double rejectAboveNs = 0;
    double rejectFactor = 1.5; ///< of rejectAboveNs
    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static BenchOptions fromJson(const Json& json);
};

/// Raw samples in the order they were taken; reference[i] and candidate[i] form pair i.
struct PairedSamples {
    std::vector<double> referenceNs, candidateNs;
    int launchesPerSample = 1;
    bool cold = true;
    bool rejectedEarly = false;
    bool unstable = false; ///< throttling or a spread that no sample count mends
    double deviceSeconds = 0, wallSeconds = 0;
    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static PairedSamples fromJson(const Json& json);
};

/// Median with a bootstrap interval.
struct Estimate {
    double value = 0;
    Interval ci; ///< 95 %
};

/// Percentile bootstrap (2,000 resamples, block length 1 + n^(1/3) for drift), deterministic for one `seed`.
/// Source: Efron and Tibshirani 1993, ch. 13; moving blocks after Künsch 1989.
[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] Estimate bootstrapMedian(const std::vector<double>& samples, std::uint64_t seed);
/// Ratio of medians reference/candidate; pairs are resampled together.
[[nodiscard]] Estimate bootstrapRatio(const std::vector<double>& reference, const std::vector<double>& candidate, std::uint64_t seed);

/// SPEC.md's rule with d = max(noiseFloor, 0.005).
[[nodiscard]] Verdict judge(const Interval& ratio, double noiseFloor) noexcept;

/// F: 95th percentile of |ratio - 1| over sub-blocks of an A/A run, as a fraction.
[[nodiscard]] double noiseFloor(const PairedSamples& sameAgainstSame);

} // namespace ww::bench
