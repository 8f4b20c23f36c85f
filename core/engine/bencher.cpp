// SPDX-License-Identifier: Apache-2.0
#include "engine/bencher.h"

#include <algorithm>
#include <cmath>

namespace ww::engine {

using std::chrono::nanoseconds;

bench::BenchOptions Bencher::options() const {
    bench::BenchOptions options;
    options.targetHalfWidth = std::max(0.003, m_noiseFloor / 2);
    if (m_task->device.kind == device::DeviceKind::Cpu) options.maxWallSeconds = 4.0;
    return options;
}

Result<bool> Bencher::take(Program& reference, Program& program, int trial, double incumbentNs, nanoseconds deadline,
                           store::TrialRecord& record, bench::PairedSamples& samples) {
    auto chosen = options();
    chosen.rejectAboveNs = incumbentNs;
    WW_TRY(measured, m_workers.bench(reference, program, deriveSeed(m_seed, static_cast<std::uint64_t>(trial)), chosen, deadline));
    samples = std::move(measured.second);
    m_deviceSeconds += samples.deviceSeconds;
    record.baselineSamplesNs = samples.referenceNs;
    record.samplesNs = samples.candidateNs;
    if (measured.first.status != TrialStatus::Ok) {
        record.status = measured.first.status;
        record.message = measured.first.message;
        return false;
    }
    if (samples.candidateNs.empty()) {
        record.status = TrialStatus::Unstable;
        record.message = "no sample could be taken within the limits";
        return false;
    }
    return true;
}

void Bencher::settle(store::TrialRecord& record, const bench::PairedSamples& samples, int trial) const {
    const auto seed = deriveSeed(m_seed, static_cast<std::uint64_t>(trial));
    const auto time = bench::bootstrapMedian(samples.candidateNs, seed);
    const auto ratio = bench::bootstrapRatio(samples.referenceNs, samples.candidateNs, seed);
    record.timeNs = std::llround(time.value);
    record.timeCi = time.ci;
    record.ratio = ratio.value;
    record.ratioCi = ratio.ci;
    record.verdict = bench::judge(ratio.ci, m_noiseFloor);
    record.status = TrialStatus::Ok;
    // A wide interval that still lies wholly on one side of the baseline settles the verdict; only an undecided one is unstable.
    const bool settled = record.verdict == Verdict::Faster || record.verdict == Verdict::Slower;
    if (samples.unstable && !settled) {
        record.status = TrialStatus::Unstable;
        record.message = "the samples scatter too much for a verdict; something else may be using this device";
    } else if (samples.rejectedEarly) {
        record.message = "stopped after " + std::to_string(samples.candidateNs.size()) + " samples: clearly slower than the best so far";
    }
}

Result<bool> Bencher::measureBaseline(Program program, int trial, nanoseconds deadline, store::TrialRecord& record) {
    bench::PairedSamples samples;
    WW_TRY(measured, take(program, program, trial, 0, deadline, record, samples));
    if (!measured) return false;
    m_noiseFloor = bench::noiseFloor(samples);
    settle(record, samples, trial);
    // By definition the baseline compares with itself.
    record.ratio = 1.0;
    record.verdict = Verdict::Same;
    record.status = TrialStatus::Ok;
    m_baseline = std::move(program);
    return true;
}

void Bencher::adoptBaseline(Program program, double noiseFloor) {
    m_baseline = std::move(program);
    m_noiseFloor = noiseFloor;
}

Result<bool> Bencher::measure(Program& program, int trial, double incumbentNs, nanoseconds deadline, store::TrialRecord& record) {
    if (!m_baseline) return fail(ErrorCode::Internal, "a trial was measured before there was a baseline");
    bench::PairedSamples samples;
    WW_TRY(measured, take(*m_baseline, program, trial, incumbentNs, deadline, record, samples));
    if (measured) settle(record, samples, trial);
    return measured;
}

Result<std::vector<store::MeasuredRecord>> Bencher::measureTogether(std::vector<Program>& programs, int samples) {
    auto chosen = options();
    chosen.minSamples = std::min(samples, 30);
    chosen.maxSamples = samples;
    chosen.maxDeviceSeconds = 2.0;
    chosen.maxWallSeconds = 20.0;
    const auto limit = nanoseconds(static_cast<std::int64_t>((chosen.maxWallSeconds * static_cast<double>(programs.size()) + 60) * 1e9));
    WW_TRY(measured, m_workers.benchMany(programs, deriveSeed(m_seed, 0xf1a1), chosen, limit));
    const auto& [outcome, all] = measured;
    if (outcome.status != TrialStatus::Ok) {
        return fail(ErrorCode::WorkerFailed, "measuring again ended with " + std::string(toString(outcome.status)) + ": " + outcome.message);
    }
    std::vector<store::MeasuredRecord> records;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto seed = deriveSeed(m_seed, 0xf1a2 + i);
        const auto time = bench::bootstrapMedian(all[i], seed);
        const auto ratio = bench::bootstrapRatio(all.front(), all[i], seed);
        store::MeasuredRecord record;
        record.config = m_task->space.toJson(programs[i].configuration);
        record.timeNs = std::llround(time.value);
        record.timeCi = time.ci;
        record.ratio = i == 0 ? 1.0 : ratio.value;
        record.ratioCi = i == 0 ? Interval{1.0, 1.0} : ratio.ci;
        record.verdict = i == 0 ? Verdict::Same : bench::judge(ratio.ci, m_noiseFloor);
        record.samplesNs = all[i];
        for (const double ns : all[i]) m_deviceSeconds += ns * 1e-9;
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace ww::engine
