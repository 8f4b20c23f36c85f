// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bench/measurement.h"

namespace ww::bench {

/// Warm-up ends when the running median has settled: the last 10 of them within 1 %, after `warmupSeconds` or
/// `warmupLaunches` at least and `maxWarmupSeconds` at most. A kernel so slow that 10 launches outlast `warmupSeconds` needs fewer, but never under 2.
class WarmupRule {
public:
    explicit WarmupRule(const BenchOptions& options) : m_minSeconds(options.warmupSeconds), m_maxSeconds(options.maxWarmupSeconds), m_minLaunches(options.warmupLaunches) {}

    void add(double launchNs);
    [[nodiscard]] bool settled() const;
    [[nodiscard]] bool done(double elapsedSeconds) const;
    [[nodiscard]] std::size_t launches() const noexcept { return m_medians.size(); }
    [[nodiscard]] double medianNs() const { return m_medians.empty() ? 0.0 : m_medians.back(); }

private:
    [[nodiscard]] std::size_t window() const;

    double m_minSeconds, m_maxSeconds;
    int m_minLaunches;
    std::vector<double> m_samples; ///< sorted
    std::vector<double> m_medians; ///< after each launch
};

/// Why sampling ended.
enum class StopReason { None, Precise, SampleLimit, DeviceTime, WallTime };

/// Adaptive stop: the ratio's interval is narrow enough, or a budget is spent. The interval is computed at growing
/// distances, since it costs a millisecond.
class StopRule {
public:
    StopRule(const BenchOptions& options, std::uint64_t seed) : m_options(options), m_seed(seed), m_nextCheck(options.minSamples) {}

    [[nodiscard]] StopReason check(const std::vector<double>& reference, const std::vector<double>& candidate, double deviceSeconds,
                                   double wallSeconds);
    /// Half width of the ratio's 95 % interval.
    [[nodiscard]] double halfWidth(const std::vector<double>& reference, const std::vector<double>& candidate) const;

private:
    BenchOptions m_options;
    std::uint64_t m_seed;
    int m_nextCheck;
};

/// True when the candidate is clearly worse than the incumbent: 5 samples whose median is above rejectFactor x rejectAboveNs.
[[nodiscard]] bool clearlyWorse(const BenchOptions& options, const std::vector<double>& candidateNs);

/// True when so few launches of the warm-up tell that clearlyWorse() will be the end of it: sampling may start at once.
[[nodiscard]] bool plainlyHopeless(const BenchOptions& options, const WarmupRule& candidate);

/// Launches per sample, so that a sample lasts `batchBelowNs` at least; never more than 64.
[[nodiscard]] int launchesPerSample(const BenchOptions& options, double launchNs);

} // namespace ww::bench
