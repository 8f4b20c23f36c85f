// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace ww::bench {

/// Tells throttled samples by their clock: below 90 % of the session's median (of the run's own while the session has none).
/// It never refuses for ever: after `kMaxDiscards` it is exhausted, and the run ends as unstable.
class ClockGuard {
public:
    static constexpr int kMaxDiscards = 20;

    explicit ClockGuard(double sessionMHz) : m_sessionMHz(sessionMHz) {}

    /// False for a sample to be discarded; 0 MHz (no clock to read) always passes.
    [[nodiscard]] bool accept(double clockMHz);
    [[nodiscard]] bool exhausted() const noexcept { return m_discards >= kMaxDiscards; }
    [[nodiscard]] int discards() const noexcept { return m_discards; }
    /// How long to let the device rest after the last discard; grows with each.
    [[nodiscard]] double pauseSeconds() const noexcept;
    /// Of everything seen, discarded or not; 0: nothing.
    [[nodiscard]] double medianMHz() const;

private:
    double m_sessionMHz;
    std::vector<double> m_seen;
    int m_discards = 0;
};

}  // namespace ww::bench
