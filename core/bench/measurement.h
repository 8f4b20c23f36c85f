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
    int minSamples = 30;
    int maxSamples = 200;
    double maxDeviceSeconds = 1.0; ///< of timed launches, both sides together
    double maxWallSeconds = 10.0;
    double targetHalfWidth = 0.003; ///< of the ratio's 95 % interval
    double warmupSeconds = 0.2, maxWarmupSeconds = 3.0; ///< at least one of `warmupSeconds` and `warmupLaunches` is spent
    int warmupLaunches = 10;
    double batchBelowNs = 20000; ///< shorter launches are timed in batches
    /// Stop after 5 samples when the candidate's median is above this (ns); 0: never.
    double rejectAboveNs = 0;
    double rejectFactor = 1.5; ///< of rejectAboveNs
    /// Median clock of the session so far (MHz), which throttled samples are told by; 0: that of the run itself.
    double sessionClockMHz = 0;
    std::uint64_t dataSeed = 0; ///< of the buffers' contents; one for a whole session, so that they are made once
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
    bool throttled = false; ///< too many samples were discarded for their clock
    std::vector<double> referenceClockMHz, candidateClockMHz; ///< beside each sample; empty where the device has no clock to read
    std::vector<double> discardedNs; ///< samples of pairs in which the device had throttled
    double medianClockMHz = 0; ///< of all samples, the discarded ones too; 0: not known
    double deviceSeconds = 0, wallSeconds = 0;
    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static PairedSamples fromJson(const Json& json);
};

/// Median with a bootstrap interval.
struct Estimate {
    double value = 0;
    Interval ci; ///< 95 %
};

/// Quantile of a sample, linear between order statistics; `fraction` in [0, 1]. 0 for an empty one.
[[nodiscard]] double quantile(std::vector<double> values, double fraction);
[[nodiscard]] double median(std::vector<double> values);

/// Percentile bootstrap (2,000 resamples at 95 %, block length 1 + n^(1/3) for drift), deterministic for one `seed`.
/// Source: Efron and Tibshirani 1993, ch. 13; moving blocks after Künsch 1989.
[[nodiscard]] Estimate bootstrapMedian(const std::vector<double>& samples, std::uint64_t seed);
/// Ratio of medians reference/candidate; pairs are resampled together.
[[nodiscard]] Estimate bootstrapRatio(const std::vector<double>& reference, const std::vector<double>& candidate, std::uint64_t seed,
                                      double confidence = 0.95);

/// SPEC.md's rule with d = max(noiseFloor, 0.005).
[[nodiscard]] Verdict judge(const Interval& ratio, double noiseFloor) noexcept;

/// F: 95th percentile of |ratio - 1| over sub-blocks of an A/A run, as a fraction.
[[nodiscard]] double noiseFloor(const PairedSamples& sameAgainstSame);

} // namespace ww::bench
