// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "engine/workers.h"
#include "store/records.h"

namespace ww::engine {

/// Times programs and says what the times mean: noise floor, paired ratio with its interval, verdict. Engine thread only.
class Bencher {
public:
    Bencher(std::shared_ptr<const Task> task, Workers& workers, std::uint64_t seed) : m_task(std::move(task)), m_workers(workers), m_seed(seed) {}

    /// Measures the baseline against itself and keeps it as the reference of all later trials; sets the noise floor from that.
    /// False: it could not be measured, and the record says why.
    [[nodiscard]] Result<bool> measureBaseline(Program program, int trial, std::chrono::nanoseconds deadline, store::TrialRecord& record);
    /// Takes a baseline of an earlier run of this session; its noise floor comes from the log.
    void adoptBaseline(Program program, double noiseFloor);
    /// Paired against the baseline; `incumbentNs`: best median so far, for early rejection (0: none). False: as above.
    [[nodiscard]] Result<bool> measure(Program& program, int trial, double incumbentNs, std::chrono::nanoseconds deadline,
                                       store::TrialRecord& record);
    /// Interleaved, the first is the reference of the ratios; at most `samples` each.
    [[nodiscard]] Result<std::vector<store::MeasuredRecord>> measureTogether(std::vector<Program>& programs, int samples);

    [[nodiscard]] double noiseFloor() const noexcept { return m_noiseFloor; }
    [[nodiscard]] double deviceSeconds() const noexcept { return m_deviceSeconds; }  ///< spent in timed launches

private:
    [[nodiscard]] bench::BenchOptions options() const;
    [[nodiscard]] Result<bool> take(Program& reference, Program& program, int trial, double incumbentNs, std::chrono::nanoseconds deadline,
                                    store::TrialRecord& record, bench::PairedSamples& samples);
    void settle(store::TrialRecord& record, const bench::PairedSamples& samples, int trial) const;

    std::shared_ptr<const Task> m_task;
    Workers& m_workers;
    std::uint64_t m_seed;
    std::optional<Program> m_baseline;
    double m_noiseFloor = 0.01;
    double m_deviceSeconds = 0;
};

}  // namespace ww::engine
