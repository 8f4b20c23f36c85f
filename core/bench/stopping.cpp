// SPDX-License-Identifier: Apache-2.0
#include "bench/stopping.h"

#include <algorithm>
#include <cmath>

namespace ww::bench {

namespace {

constexpr std::size_t kWarmupWindow = 10;
constexpr double kWarmupAgreement = 0.01;
constexpr std::size_t kRejectAfter = 5;
/// Fewer pairs than this say nothing, so a slow kernel may overdraw its device time for them.
constexpr std::size_t kFewestPairs = 6;
constexpr double kMostLaunches = 64;
/// Cold code and a first touch make early launches slow; twice the limit is beyond that.
constexpr std::size_t kHopelessAfter = 3;
constexpr double kHopelessFactor = 2.0;

} // namespace

void WarmupRule::add(double launchNs) {
    m_samples.insert(std::upper_bound(m_samples.begin(), m_samples.end(), launchNs), launchNs);
    const std::size_t middle = m_samples.size() / 2;
    m_medians.push_back(m_samples.size() % 2 == 1 ? m_samples[middle] : 0.5 * (m_samples[middle - 1] + m_samples[middle]));
}

std::size_t WarmupRule::window() const {
    const double launchSeconds = medianNs() * 1e-9;
    if (launchSeconds * static_cast<double>(kWarmupWindow) <= m_minSeconds || m_minSeconds <= 0.0) return kWarmupWindow;
    return std::clamp<std::size_t>(static_cast<std::size_t>(m_minSeconds / launchSeconds), 2, kWarmupWindow);
}

bool WarmupRule::settled() const {
    const std::size_t needed = window();
    if (m_medians.size() < needed) return false;
    const auto [low, high] = std::minmax_element(m_medians.end() - static_cast<std::ptrdiff_t>(needed), m_medians.end());
    return *high - *low <= kWarmupAgreement * *low;
}

bool WarmupRule::done(double elapsedSeconds) const {
    if (m_medians.empty()) return false;
    if (elapsedSeconds >= m_maxSeconds) return true;
    const bool enough = elapsedSeconds >= m_minSeconds || m_medians.size() >= static_cast<std::size_t>(std::max(m_minLaunches, 1));
    return enough && settled();
}

double StopRule::halfWidth(const std::vector<double>& reference, const std::vector<double>& candidate) const {
    const Interval ci = bootstrapRatio(reference, candidate, m_seed).ci;
    return 0.5 * (ci.high - ci.low);
}

StopReason StopRule::check(const std::vector<double>& reference, const std::vector<double>& candidate, double deviceSeconds,
                           double wallSeconds) {
    const std::size_t count = std::min(reference.size(), candidate.size());
    if (count == 0) return StopReason::None;
    if (count >= static_cast<std::size_t>(std::max(m_options.maxSamples, 1))) return StopReason::SampleLimit;
    if (wallSeconds >= m_options.maxWallSeconds) return StopReason::WallTime;
    if (deviceSeconds >= m_options.maxDeviceSeconds && count >= kFewestPairs) return StopReason::DeviceTime;
    if (static_cast<int>(count) < std::max(m_nextCheck, 2)) return StopReason::None;
    m_nextCheck = static_cast<int>(count + std::max<std::size_t>(2, count / 8));
    return halfWidth(reference, candidate) <= m_options.targetHalfWidth ? StopReason::Precise : StopReason::None;
}

bool clearlyWorse(const BenchOptions& options, const std::vector<double>& candidateNs) {
    if (!(options.rejectAboveNs > 0.0) || candidateNs.size() < kRejectAfter) return false;
    return median(candidateNs) > options.rejectFactor * options.rejectAboveNs;
}

bool plainlyHopeless(const BenchOptions& options, const WarmupRule& candidate) {
    if (!(options.rejectAboveNs > 0.0) || candidate.launches() < kHopelessAfter) return false;
    return candidate.medianNs() > kHopelessFactor * options.rejectFactor * options.rejectAboveNs;
}

int launchesPerSample(const BenchOptions& options, double launchNs) {
    if (!(launchNs > 0.0) || launchNs >= options.batchBelowNs) return 1;
    return static_cast<int>(std::min(kMostLaunches, std::ceil(options.batchBelowNs / launchNs)));
}

} // namespace ww::bench
