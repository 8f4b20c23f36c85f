// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/clock_guard.h"
#include "bench/paired_run.h"

namespace ww::bench {

/// Nanoseconds per launch, and the clock it ran at (0: not known).
struct Sample {
    double ns = 0;
    double clockMHz = 0;
};

/// Times single samples of a set of launches and keeps the books. The thread that measures.
class Sampler {
public:
    Sampler(device::Device& device, std::vector<device::Launch> launches, const BenchOptions& options, const RunHooks& hooks);

    /// Nothing when the launch failed, or did not do its work: see outcome().
    [[nodiscard]] Result<std::optional<Sample>> sample(std::size_t which);
    /// False when a launch failed. Sets the batch sizes; afterwards device time and wall time start from zero.
    [[nodiscard]] Result<bool> warmUp();
    /// Whether these samples, taken one after another, may be kept; pauses the device where they may not.
    [[nodiscard]] bool keep(const std::vector<Sample>& samples);

    [[nodiscard]] double wallSeconds() const { return static_cast<double>(m_hooks.nowNs() - m_startNs) * 1e-9; }
    [[nodiscard]] double deviceSeconds() const noexcept { return m_deviceSeconds; }
    [[nodiscard]] int batch() const noexcept { return m_batch; }
    [[nodiscard]] const ClockGuard& clocks() const noexcept { return m_clocks; }
    [[nodiscard]] const device::Outcome& outcome() const noexcept { return m_outcome; }
    [[nodiscard]] std::size_t failed() const noexcept { return m_failed; }

private:
    [[nodiscard]] Result<int> batchFor(double launchNs) const;
    std::optional<Sample> endWith(std::size_t which, device::Outcome outcome);

    device::Device& m_device;
    std::vector<device::Launch> m_launches;
    const BenchOptions& m_options;
    const RunHooks& m_hooks;
    std::vector<int> m_taken;             ///< launches so far, by which
    std::vector<device::Launch> m_sequence;
    ClockGuard m_clocks;
    int m_batch = 1;
    std::int64_t m_startNs;
    double m_deviceSeconds = 0;
    device::Outcome m_outcome;
    std::size_t m_failed = 0;
};

} // namespace ww::bench
