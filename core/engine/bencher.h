// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/units.h"
#include "engine/gpu_watch.h"
#include "engine/workers.h"
#include "store/records.h"

namespace ww::engine {

/// Something that the measuring itself has to say between trials: kind and data of an EventRecord.
struct BenchEvent {
    std::string kind;
    Json data;
};

/// Times programs and says what the times mean: noise floor, paired ratio with its interval, verdict. Repeats the A/A run every
/// half hour, and the best program so far after every tenth trial. Engine thread only.
class Bencher {
public:
    /// `watch` may be null; it must outlive this.
    Bencher(std::shared_ptr<const Task> task, Workers& workers, std::uint64_t seed, GpuWatch* watch = nullptr, std::stop_token stop = {})
        : m_task(std::move(task)), m_workers(workers), m_seed(seed), m_watch(watch), m_stop(std::move(stop)) {}

    /// Measures the baseline against itself and keeps it as the reference of all later trials; sets the noise floor from that.
    /// False: it could not be measured, and the record says why.
    [[nodiscard]] Result<bool> measureBaseline(Program program, int trial, std::chrono::nanoseconds deadline, store::TrialRecord& record);
    /// Takes a baseline of an earlier run of this session; its noise floor comes from the log.
    void adoptBaseline(Program program, double noiseFloor);
    /// Paired against the baseline; `incumbentNs`: best median so far, for early rejection (0: none). False: as above.
    [[nodiscard]] Result<bool> measure(Program& program, int trial, double incumbentNs, std::chrono::nanoseconds deadline,
                                       store::TrialRecord& record);
    /// Before a trial: the A/A run again where the last one is old.
    [[nodiscard]] Result<void> renewNoiseFloor(int trial);
    /// The best so far from now on: what trial `trial` was, as its record says.
    void adoptIncumbent(const Program& program, int trial, const store::TrialRecord& record);
    /// After a trial: measures the best so far again where its turn has come. Its time now, to be used in place of the older one.
    [[nodiscard]] Result<std::optional<double>> controlDrift(int trial);
    /// Interleaved, the first is the reference of the ratios; `samples` each, as far as the budget goes. FASTER after Holm's correction.
    [[nodiscard]] Result<std::vector<store::MeasuredRecord>> measureTogether(std::vector<Program>& programs, int samples);

    [[nodiscard]] std::vector<BenchEvent> takeEvents() { return std::exchange(m_events, {}); }
    [[nodiscard]] double noiseFloor() const noexcept { return m_noiseFloor; }
    [[nodiscard]] double deviceSeconds() const noexcept { return m_deviceSeconds; }  ///< spent in timed launches

private:
    struct Incumbent {
        Program program;
        int trial = 0;
        double timeNs = 0, ratio = 1;
    };
    using Measured = std::pair<worker::DeviceOutcome, bench::PairedSamples>;

    [[nodiscard]] bench::BenchOptions options() const;
    [[nodiscard]] bench::BenchOptions floorOptions() const;
    [[nodiscard]] Result<Measured> pair(Program& reference, Program& program, std::uint64_t label, const bench::BenchOptions& options,
                                        std::chrono::nanoseconds deadline);
    [[nodiscard]] Result<bool> take(Program& reference, Program& program, int trial, const bench::BenchOptions& options,
                                    std::chrono::nanoseconds deadline, store::TrialRecord& record, bench::PairedSamples& samples);
    void settle(store::TrialRecord& record, const bench::PairedSamples& samples, const Program& program, int trial) const;
    void addMetrics(store::TrialRecord& record, const bench::PairedSamples& samples) const;
    [[nodiscard]] double sessionClockMHz() const;

    std::shared_ptr<const Task> m_task;
    Workers& m_workers;
    std::uint64_t m_seed;
    GpuWatch* m_watch;
    std::stop_token m_stop;
    std::optional<Program> m_baseline;
    std::optional<Incumbent> m_incumbent;
    std::optional<GpuReading> m_reading;    ///< of the last measurement
    std::deque<double> m_clocksMHz;         ///< medians of the last trials
    std::vector<BenchEvent> m_events;
    double m_noiseFloor = 0.01;
    std::int64_t m_floorAtNs = monotonicNs();
    int m_sinceControl = 0;                 ///< trials measured
    double m_deviceSeconds = 0;
};

}  // namespace ww::engine
