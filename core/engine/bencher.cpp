// SPDX-License-Identifier: Apache-2.0
#include "engine/bencher.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/comparison.h"
#include "bench/summary.h"
#include "engine/declared_work.h"

namespace ww::engine {
namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t kRenewFloorNs = std::int64_t{30} * 60 * 1'000'000'000;
constexpr int kFloorSamples = 100;              ///< of an A/A run
constexpr int kControlEvery = 10;               ///< measured trials
constexpr std::size_t kClocksKept = 9;          ///< trials whose clocks make the session's: a lasting change is taken for the rule
constexpr double kSmallestDrift = 0.005;
constexpr nanoseconds kOwnDeadline = std::chrono::seconds(60);

// Labels of the seeds, apart from trial numbers.
constexpr std::uint64_t kDataLabel = 0xda7a, kFloorLabel = std::uint64_t{0xaa} << 32, kControlLabel = std::uint64_t{0xd1} << 32;

}  // namespace

bench::BenchOptions Bencher::options() const {
    bench::BenchOptions options;
    options.targetHalfWidth = std::max(0.003, m_noiseFloor / 2);
    options.dataSeed = deriveSeed(m_seed, kDataLabel);
    options.sessionClockMHz = sessionClockMHz();
    if (m_task->device.kind == device::DeviceKind::Cpu) options.maxWallSeconds = 4.0;
    return options;
}

bench::BenchOptions Bencher::floorOptions() const {
    auto chosen = options();
    chosen.minSamples = kFloorSamples;
    chosen.maxDeviceSeconds = 2.0;
    // The device is cold at a session's start: the whole warm-up time, however short the launches.
    chosen.warmupLaunches = std::numeric_limits<int>::max();
    return chosen;
}

double Bencher::sessionClockMHz() const { return bench::median({m_clocksMHz.begin(), m_clocksMHz.end()}); }

Result<Bencher::Measured> Bencher::pair(Program& reference, Program& program, std::uint64_t label, const bench::BenchOptions& options,
                                        nanoseconds deadline) {
    if (m_watch != nullptr) {
        if (const auto waited = m_watch->coolDown(m_stop)) {
            m_events.push_back({"cool_down", {{"seconds", *waited}, {"text", "the GPU was about to slow down for heat; measuring waited"}}});
        }
        m_watch->beginReading();
    }
    WW_TRY(measured, m_workers.bench(reference, program, deriveSeed(m_seed, label), options, deadline));
    if (m_watch != nullptr) m_reading = m_watch->endReading();
    m_deviceSeconds += measured.second.deviceSeconds;
    if (measured.second.medianClockMHz > 0) {
        m_clocksMHz.push_back(measured.second.medianClockMHz);
        if (m_clocksMHz.size() > kClocksKept) m_clocksMHz.pop_front();
    }
    return std::move(measured);
}

Result<bool> Bencher::take(Program& reference, Program& program, int trial, const bench::BenchOptions& options, nanoseconds deadline,
                           store::TrialRecord& record, bench::PairedSamples& samples) {
    WW_TRY(measured, pair(reference, program, static_cast<std::uint64_t>(trial), options, deadline));
    samples = std::move(measured.second);
    record.baselineSamplesNs = samples.referenceNs;
    record.samplesNs = samples.candidateNs;
    addMetrics(record, samples);
    if (measured.first.status != TrialStatus::Ok) {
        record.status = measured.first.status;
        record.message = measured.first.message;
        return false;
    }
    if (samples.candidateNs.empty()) {
        record.status = TrialStatus::Unstable;
        record.message = samples.throttled ? "the device throttled in every sample; let it cool, or lower its power limit"
                                           : "no sample could be taken within the limits";
        return false;
    }
    return true;
}

void Bencher::addMetrics(store::TrialRecord& record, const bench::PairedSamples& samples) const {
    const auto put = [&](const char* name, double value, const char* source = "samples") {
        record.metrics.push_back({std::string("bench/") + name, value, source});
    };
    const auto summary = bench::summarize(samples.candidateNs);
    put("n", static_cast<double>(summary.count));
    put("mad_ns", summary.mad);
    put("iqr_ns", summary.iqr);
    put("p5_ns", summary.p5);
    put("p95_ns", summary.p95);
    put("min_ns", summary.min);
    put("outliers", static_cast<double>(summary.outliers));
    put("min_detectable", bench::minimumDetectable(bench::summarize(samples.referenceNs), summary));
    put("launches_per_sample", samples.launchesPerSample);
    put("cold", samples.cold ? 1 : 0);
    put("discarded", static_cast<double>(samples.discardedNs.size()));
    if (!samples.candidateClockMHz.empty()) put("clock_mhz", bench::summarize(samples.candidateClockMHz).median, "clock");
    if (!m_reading) return;
    const auto& after = m_reading->after;
    if (after.temperatureC) put("temperature_c", *after.temperatureC, "nvml");
    if (after.throttleReasons) put("throttle_reasons", static_cast<double>(*after.throttleReasons), "nvml");
    if (m_reading->meanWatts) {
        put("power_watts", *m_reading->meanWatts, "nvml");
        put("joules_per_launch", *m_reading->meanWatts * summary.median * 1e-9, "estimate");
    }
}

void Bencher::settle(store::TrialRecord& record, const bench::PairedSamples& samples, const Program& program, int trial) const {
    const auto seed = deriveSeed(m_seed, static_cast<std::uint64_t>(trial));
    const auto time = bench::bootstrapMedian(samples.candidateNs, seed);
    if (const double floorNs = physicalFloorNs(*m_task, program.configuration); bench::isImpossible(time.value, floorNs)) {
        record.status = TrialStatus::CheatSuspected;
        record.message = "impossible: " + formatTimeNs(time.value) + " a launch, where the declared work takes this device " + formatTimeNs(floorNs) +
                         " at the least; the work was not done, was not timed, or is declared too large";
        return;
    }
    const auto ratio = bench::bootstrapRatio(samples.referenceNs, samples.candidateNs, seed);
    record.timeNs = std::llround(time.value);
    record.timeCi = time.ci;
    record.ratio = ratio.value;
    record.ratioCi = ratio.ci;
    record.verdict = bench::judge(ratio.ci, m_noiseFloor);
    record.status = TrialStatus::Ok;
    // A wide interval that still lies wholly on one side of the baseline settles the verdict; only an undecided one is unstable.
    const bool settled = record.verdict == Verdict::Faster || record.verdict == Verdict::Slower;
    if (samples.throttled) {
        record.status = TrialStatus::Unstable;
        record.message = "the device throttled: " + std::to_string(samples.discardedNs.size()) + " samples ran below 90 % of the session's clock";
    } else if (samples.unstable && !settled) {
        record.status = TrialStatus::Unstable;
        record.message = "the samples scatter too much for a verdict; something else may be using this device";
    } else if (samples.rejectedEarly) {
        record.message = "stopped after " + std::to_string(samples.candidateNs.size()) + " samples: clearly slower than the best so far";
    }
}

Result<bool> Bencher::measureBaseline(Program program, int trial, nanoseconds deadline, store::TrialRecord& record) {
    bench::PairedSamples samples;
    WW_TRY(measured, take(program, program, trial, floorOptions(), deadline, record, samples));
    if (!measured) return false;
    settle(record, samples, program, trial);
    if (record.status == TrialStatus::CheatSuspected) return false;
    adoptBaseline(std::move(program), bench::noiseFloor(samples));
    // By definition the baseline compares with itself.
    record.ratio = 1.0;
    record.verdict = Verdict::Same;
    record.status = TrialStatus::Ok;
    return true;
}

void Bencher::adoptBaseline(Program program, double noiseFloor) {
    m_baseline = std::move(program);
    m_noiseFloor = noiseFloor;
    m_floorAtNs = monotonicNs();
}

Result<bool> Bencher::measure(Program& program, int trial, double incumbentNs, nanoseconds deadline, store::TrialRecord& record) {
    if (!m_baseline) return fail(ErrorCode::Internal, "a trial was measured before there was a baseline");
    auto chosen = options();
    chosen.rejectAboveNs = incumbentNs;
    bench::PairedSamples samples;
    WW_TRY(measured, take(*m_baseline, program, trial, chosen, deadline, record, samples));
    ++m_sinceControl;
    if (measured) settle(record, samples, program, trial);
    return measured && record.status != TrialStatus::CheatSuspected;
}

Result<void> Bencher::renewNoiseFloor(int trial) {
    if (!m_baseline || monotonicNs() - m_floorAtNs < kRenewFloorNs) return {};
    WW_TRY(measured, pair(*m_baseline, *m_baseline, kFloorLabel + static_cast<std::uint64_t>(trial), floorOptions(), kOwnDeadline));
    m_floorAtNs = monotonicNs();
    const double before = m_noiseFloor;
    const bool usable = measured.first.status == TrialStatus::Ok && !measured.second.throttled && !measured.second.candidateNs.empty();
    if (usable) m_noiseFloor = bench::noiseFloor(measured.second);
    m_events.push_back({"noise_floor", {{"before", before}, {"now", m_noiseFloor}, {"usable", usable}}});
    return {};
}

void Bencher::adoptIncumbent(const Program& program, int trial, const store::TrialRecord& record) {
    m_incumbent = Incumbent{program, trial, static_cast<double>(record.timeNs.value_or(0)), record.ratio.value_or(1)};
    m_incumbent->program.module.reset();  // the trial's own copy is unloaded
}

Result<std::optional<double>> Bencher::controlDrift(int trial) {
    if (m_sinceControl < kControlEvery || !m_incumbent || !m_baseline) return std::optional<double>();
    m_sinceControl = 0;
    auto& held = *m_incumbent;
    const auto label = kControlLabel + static_cast<std::uint64_t>(trial);
    auto measured = pair(*m_baseline, held.program, label, options(), kOwnDeadline);
    m_workers.unload(held.program);
    if (!measured) return Unexpected{std::move(measured).error()};
    const auto& samples = measured->second;
    if (measured->first.status != TrialStatus::Ok || samples.candidateNs.empty()) {
        m_events.push_back({"drift_control", {{"trial", held.trial}, {"flagged", true}, {"text", "the best so far could not be measured again: " + measured->first.message}}});
        return std::optional<double>();
    }
    const auto now = bench::bootstrapRatio(samples.referenceNs, samples.candidateNs, deriveSeed(m_seed, label));
    const double timeNs = bench::median(samples.candidateNs);
    const double allowed = std::max(m_noiseFloor, kSmallestDrift);
    // The ratio is paired, so a slower machine alone does not move it; where it moved all the same, verdicts since then are doubtful.
    const bool flagged = now.ci.low > held.ratio * (1 + allowed) || now.ci.high < held.ratio * (1 - allowed);
    Json data{{"trial", held.trial},      {"ratio_then", held.ratio}, {"ratio_now", now.value}, {"ratio_ci", {now.ci.low, now.ci.high}},
              {"time_then_ns", held.timeNs}, {"time_now_ns", timeNs},    {"flagged", flagged}};
    if (flagged) data["text"] = "the best so far measures otherwise than it did; trials since the last control are less sure than their intervals say";
    m_events.push_back({"drift_control", std::move(data)});
    held.timeNs = timeNs;
    held.ratio = now.value;
    return std::optional(timeNs);
}

Result<std::vector<store::MeasuredRecord>> Bencher::measureTogether(std::vector<Program>& programs, int samples) {
    auto chosen = options();
    chosen.minSamples = chosen.maxSamples = samples;
    chosen.maxDeviceSeconds = 2.0;
    chosen.maxWallSeconds = 20.0;
    const auto limit = nanoseconds(static_cast<std::int64_t>((chosen.maxWallSeconds * static_cast<double>(programs.size()) + 60) * 1e9));
    WW_TRY(measured, m_workers.benchMany(programs, deriveSeed(m_seed, 0xf1a1), chosen, limit));
    const auto& [outcome, all] = measured;
    if (outcome.status != TrialStatus::Ok) {
        return fail(ErrorCode::WorkerFailed, "measuring again ended with " + std::string(toString(outcome.status)) + ": " + outcome.message);
    }
    const auto compared = bench::compareTogether(all, m_noiseFloor, deriveSeed(m_seed, 0xf1a3));
    std::vector<store::MeasuredRecord> records;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto seed = deriveSeed(m_seed, 0xf1a2 + i);
        const auto time = bench::bootstrapMedian(all[i], seed);
        store::MeasuredRecord record;
        record.config = m_task->space.toJson(programs[i].configuration);
        record.timeNs = std::llround(time.value);
        record.timeCi = time.ci;
        record.ratio = compared[i].ratio.value;
        record.ratioCi = compared[i].ratio.ci;
        record.verdict = compared[i].verdict;
        record.samplesNs = all[i];
        for (const double ns : all[i]) m_deviceSeconds += ns * 1e-9;
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace ww::engine
