// SPDX-License-Identifier: Apache-2.0
#include "bench/clock_guard.h"

#include <algorithm>

#include "bench/measurement.h"

namespace ww::bench {
namespace {

constexpr double kLowestShare = 0.9;
constexpr std::size_t kFewestForMedian = 10;
constexpr double kPauseStep = 0.05, kLongestPause = 0.5;  ///< seconds

}  // namespace

bool ClockGuard::accept(double clockMHz) {
    if (!(clockMHz > 0.0)) return true;
    m_seen.push_back(clockMHz);
    double expected = m_sessionMHz;
    if (!(expected > 0.0)) {
        if (m_seen.size() < kFewestForMedian) return true;
        expected = medianMHz();
    }
    if (clockMHz >= kLowestShare * expected) return true;
    ++m_discards;
    return false;
}

double ClockGuard::pauseSeconds() const noexcept { return std::min(kPauseStep * m_discards, kLongestPause); }

double ClockGuard::medianMHz() const { return median(m_seen); }

}  // namespace ww::bench
