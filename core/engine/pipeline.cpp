// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/units.h"
#include "engine/bencher.h"
#include "engine/log_excerpt.h"
#include "engine/verifier.h"

namespace ww::engine {
namespace {

using std::chrono::nanoseconds;

class WorkerPipeline final : public Pipeline {
public:
    WorkerPipeline(std::shared_ptr<const Task> task, Options options, std::unique_ptr<GpuWatch> watch, std::unique_ptr<Workers> workers)
        : m_task(std::move(task)), m_options(std::move(options)), m_watch(std::move(watch)), m_workers(std::move(workers)),
          m_verifier(m_task, *m_workers, m_options.seed), m_bencher(m_task, *m_workers, m_options.seed, m_watch.get(), m_options.stop),
          m_notes(m_watch->warnings()) {}

    Result<InFlight> submit(const space::Configuration& configuration) override;
    void drop(const InFlight& inFlight) override { m_workers->compilers().cancel(inFlight.job); }
    std::size_t lookahead() const override { return static_cast<std::size_t>(m_workers->compileWorkers()) + 1; }
    Result<store::TrialRecord> runBaseline(const InFlight& inFlight) override;
    Result<store::TrialRecord> runTrial(const InFlight& inFlight, double incumbentNs) override;
    Result<void> restoreBaseline(const InFlight& inFlight, double noiseFloor) override;
    void remember(const store::TrialRecord& trial) override;
    Result<std::vector<store::MeasuredRecord>> measureTogether(const std::vector<space::Configuration>& configurations, int samples,
                                                               bool verifyFirst) override;
    double noiseFloor() const override { return m_bencher.noiseFloor(); }
    sandbox::Level sandboxLevel() const override { return m_workers->level(); }
    Json environment() const override;
    double deviceSeconds() const override { return m_bencher.deviceSeconds(); }
    std::vector<std::string> takeNotes() override {
        auto notes = std::exchange(m_notes, {});
        for (auto& note : m_verifier.takeNotes()) notes.push_back(std::move(note));
        return notes;
    }
    std::vector<BenchEvent> takeEvents() override { return m_bencher.takeEvents(); }
    std::optional<double> takeIncumbentNs() override { return std::exchange(m_incumbentNs, {}); }

private:
    void stage(Stage which) const { if (m_options.onStage) m_options.onStage(which); }
    store::TrialRecord begin(const InFlight& inFlight);
    void startClock() { m_deadlineNs = monotonicNs() + static_cast<std::int64_t>(m_task->spec.limits.trialSeconds * 1e9); }
    nanoseconds remaining() const { return nanoseconds(std::max<std::int64_t>(m_deadlineNs - monotonicNs(), 1)); }

    // The stages. False: the candidate ended here, and the record says how.
    Result<bool> compile(const InFlight& inFlight, store::TrialRecord& record, Program& program);
    Result<bool> load(Program& program, store::TrialRecord& record);
    Result<bool> verify(Program& program, store::TrialRecord& record, int round, bool baseline = false);
    template <typename Measure>
    Result<bool> timed(store::TrialRecord& record, Measure&& measure);
    Result<void> runDeviceStages(Program& program, store::TrialRecord& record, double incumbentNs);
    Result<bool> renewNoiseFloor();
    Result<bool> controlDrift();

    Result<std::vector<Program>> compileAll(const std::vector<space::Configuration>& configurations);
    Result<void> qualify(Program& program, bool verifyFirst);
    void keepMeasurement(const store::TrialRecord& record, int number, const spec::ResolvedLaunch& launch);
    bool shareMeasurement(store::TrialRecord& record, const spec::ResolvedLaunch& launch) const;

    std::shared_ptr<const Task> m_task;
    Options m_options;
    std::unique_ptr<GpuWatch> m_watch;
    std::unique_ptr<Workers> m_workers;
    Verifier m_verifier;
    Bencher m_bencher;
    std::vector<std::string> m_notes;
    std::optional<double> m_incumbentNs;    ///< as a drift control found it
    std::unordered_map<std::string, store::TrialRecord> m_measured;  ///< by measurementKey, without logs
    std::int64_t m_deadlineNs = 0;          ///< of the running trial's device stages
    int m_trial = 0;
};

Json WorkerPipeline::environment() const {
    auto environment = m_workers->environment();
    environment["driver"] = m_task->device.driver;
    environment["reference"] = m_verifier.describe();
    environment["version"] = WW_VERSION;
    if (auto gpu = m_watch->record(); !gpu.is_null()) environment["gpu"] = std::move(gpu);
    return environment;
}

Result<InFlight> WorkerPipeline::submit(const space::Configuration& configuration) {
    WW_TRY(candidate, makeCandidate(*m_task, configuration));
    const auto job = m_workers->compilers().submit(candidate.request);
    return InFlight{std::move(candidate), job, 0};
}

store::TrialRecord WorkerPipeline::begin(const InFlight& inFlight) {
    store::TrialRecord record;
    record.config = m_task->space.toJson(inFlight.candidate.configuration);
    record.startedAt = utcNow();
    record.stages.proposeNs = inFlight.proposeNs;
    ++m_trial;
    return record;
}

Result<bool> WorkerPipeline::compile(const InFlight& inFlight, store::TrialRecord& record, Program& program) {
    stage(Stage::Compiling);
    WW_TRY(job, m_workers->compilers().waitFor(inFlight.job));
    record.stages.compileNs = static_cast<std::int64_t>(job.result.seconds * 1e9);
    record.compileFacts = job.result.facts.toJson();
    record.objectHash = job.result.objectHash;
    record.log = job.result.log;
    program.configuration = inFlight.candidate.configuration;
    program.object = std::move(job.result);
    if (program.object.status != TrialStatus::Ok) {
        record.status = program.object.status;
        record.message = firstProblem(program.object.log);
        if (record.message.empty()) record.message = "the compiler gave no reason";
        return false;
    }
    auto launch = launchFor(*m_task, program.configuration, m_task->workload);
    if (!launch) {
        record.status = TrialStatus::LaunchError;
        record.message = launch.error().toString();
        return false;
    }
    program.launch = std::move(*launch);
    if (program.launch.empty) {
        record.status = TrialStatus::LaunchError;
        record.message = "the grid of workload " + m_task->workload.name + " has no block: nothing would be launched; give it a size above 0";
        return false;
    }
    return true;
}

Result<bool> WorkerPipeline::load(Program& program, store::TrialRecord& record) {
    WW_TRY(loaded, m_workers->load(program));
    const auto& [outcome, facts] = loaded;
    if (outcome.status != TrialStatus::Ok) {
        record.status = outcome.status;
        record.message = outcome.message;
        return false;
    }
    const auto put = [&](const char* name, std::int64_t value) { if (value >= 0) record.compileFacts[name] = value; };
    put("registers", facts.registers);
    put("local_bytes", facts.localBytes);
    put("static_shared_bytes", facts.staticSharedBytes);
    put("active_blocks", facts.activeBlocksPerProcessor);
    if (facts.activeBlocksPerProcessor == 0) {
        record.status = TrialStatus::ResourceError;
        record.message = "not even one block of " + std::to_string(program.launch.block[0] * program.launch.block[1] * program.launch.block[2]) +
                         " threads fits on a multiprocessor (" + std::to_string(facts.registers) + " registers per thread, " +
                         formatBytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, facts.staticSharedBytes)) + program.launch.dynamicSharedBytes) +
                         " of shared memory per block)";
        return false;
    }
    return true;
}

Result<bool> WorkerPipeline::verify(Program& program, store::TrialRecord& record, int round, bool baseline) {
    stage(Stage::Verifying);
    const auto begin = monotonicNs();
    if (record.correctness.is_null()) record.correctness = {{"reference", m_verifier.describe()}, {"checks", Json::array()}};
    WW_TRY(flaw, m_verifier.verify(program, {m_trial, round, baseline, m_deadlineNs}, record.correctness["checks"]));
    if (flaw.status == TrialStatus::Ok && round == 0) {
        WW_TRY(gradient, m_verifier.checkGradient(program, {m_trial, round, baseline, m_deadlineNs}));
        if (!gradient.is_null()) record.correctness["gradient"] = std::move(gradient);
    }
    record.stages.verifyNs += monotonicNs() - begin;
    if (flaw.status == TrialStatus::Ok) return true;
    record.status = flaw.status;
    record.message = flaw.message;
    return false;
}

template <typename Measure>
Result<bool> WorkerPipeline::timed(store::TrialRecord& record, Measure&& measure) {
    stage(Stage::Benchmarking);
    const auto begin = monotonicNs();
    auto measured = measure();
    record.stages.benchNs += monotonicNs() - begin;
    return measured;
}

void WorkerPipeline::keepMeasurement(const store::TrialRecord& record, int number, const spec::ResolvedLaunch& launch) {
    if (record.objectHash.empty() || record.sharedWith) return;
    auto& kept = m_measured[measurementKey(record.objectHash, launch)];
    kept = record;
    kept.number = number;
    kept.log.clear();
}

bool WorkerPipeline::shareMeasurement(store::TrialRecord& record, const spec::ResolvedLaunch& launch) const {
    const auto same = m_measured.find(measurementKey(record.objectHash, launch));
    if (!m_options.shareResults || same == m_measured.end()) return false;
    auto shared = same->second;
    shared.sharedWith = same->second.number;
    shared.config = std::move(record.config);
    shared.stages = record.stages;
    shared.startedAt = std::move(record.startedAt);
    shared.log = std::move(record.log);
    shared.message = "the same program as trial " + std::to_string(same->second.number) + ", whose measurement it shares";
    shared.samplesNs.clear();
    shared.baselineSamplesNs.clear();
    record = std::move(shared);
    return true;
}

Result<store::TrialRecord> WorkerPipeline::runBaseline(const InFlight& inFlight) {
    m_verifier.standIn(inFlight.candidate.configuration);
    auto record = begin(inFlight);
    Program program;
    WW_TRY(compiled, compile(inFlight, record, program));
    if (!compiled) return record;
    startClock();
    WW_TRY(loaded, load(program, record));
    if (!loaded) return record;
    WW_TRY(correct, verify(program, record, 0, true));
    if (!correct) return record;
    const auto launch = program.launch;
    WW_TRY(measured, timed(record, [&] { return m_bencher.measureBaseline(std::move(program), m_trial, remaining(), record); }));
    if (measured) keepMeasurement(record, m_trial, launch);
    return record;
}

Result<void> WorkerPipeline::runDeviceStages(Program& program, store::TrialRecord& record, double incumbentNs) {
    WW_TRY(loaded, load(program, record));
    if (!loaded) return {};
    WW_TRY(correct, verify(program, record, 0));
    if (!correct) return {};
    WW_TRY(measured, timed(record, [&] { return m_bencher.measure(program, m_trial, incumbentNs, remaining(), record); }));
    if (!measured) return {};
    const bool newBest = record.status == TrialStatus::Ok && (incumbentNs <= 0 || static_cast<double>(*record.timeNs) < incumbentNs);
    if (!newBest) return {};
    // A new best is checked again with other inputs before it is believed.
    WW_TRY(again, verify(program, record, 1));
    if (again) {
        m_bencher.adoptIncumbent(program, m_trial, record);
    } else {
        record.timeNs.reset();
        record.timeCi.reset();
        record.ratio.reset();
        record.ratioCi.reset();
        record.verdict.reset();
    }
    return {};
}

Result<bool> WorkerPipeline::renewNoiseFloor() {
    WW_CHECK(m_bencher.renewNoiseFloor(m_trial));
    return true;
}

Result<bool> WorkerPipeline::controlDrift() {
    WW_TRY(nowNs, m_bencher.controlDrift(m_trial));
    if (nowNs) m_incumbentNs = nowNs;
    return true;
}

Result<store::TrialRecord> WorkerPipeline::runTrial(const InFlight& inFlight, double incumbentNs) {
    auto record = begin(inFlight);
    Program program;
    WW_TRY(compiled, compile(inFlight, record, program));
    if (!compiled || shareMeasurement(record, program.launch)) return record;
    WW_CHECK(timed(record, [&] { return renewNoiseFloor(); }));
    startClock();
    auto ran = runDeviceStages(program, record, incumbentNs);
    m_workers->unload(program);
    if (!ran) return Unexpected{std::move(ran).error()};
    WW_CHECK(timed(record, [&] { return controlDrift(); }));
    keepMeasurement(record, m_trial, program.launch);
    return record;
}

Result<void> WorkerPipeline::restoreBaseline(const InFlight& inFlight, double noiseFloor) {
    m_verifier.standIn(inFlight.candidate.configuration);
    store::TrialRecord record;
    Program program;
    WW_TRY(compiled, compile(inFlight, record, program));
    if (!compiled) return fail(ErrorCode::EnvironmentMissing, "the baseline of this session does not compile any more: " + record.message);
    WW_TRY(loaded, load(program, record));
    if (!loaded) return fail(ErrorCode::EnvironmentMissing, "the baseline of this session does not load any more: " + record.message);
    m_bencher.adoptBaseline(std::move(program), noiseFloor);
    return {};
}

void WorkerPipeline::remember(const store::TrialRecord& trial) {
    m_trial = std::max(m_trial, trial.number);
    const auto configuration = m_task->space.fromJson(trial.config);
    if (!configuration) return;
    if (auto launch = launchFor(*m_task, *configuration, m_task->workload)) keepMeasurement(trial, trial.number, *launch);
}

Result<std::vector<Program>> WorkerPipeline::compileAll(const std::vector<space::Configuration>& configurations) {
    std::vector<InFlight> jobs;
    for (const auto& configuration : configurations) {
        WW_TRY(inFlight, submit(configuration));
        jobs.push_back(std::move(inFlight));
    }
    std::vector<Program> programs(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        store::TrialRecord record;
        WW_TRY(compiled, compile(jobs[i], record, programs[i]));
        if (!compiled) {
            return fail(ErrorCode::InvalidArgument, "this configuration does not compile: " + record.message, m_task->space.display(configurations[i]));
        }
    }
    return programs;
}

Result<void> WorkerPipeline::qualify(Program& program, bool verifyFirst) {
    store::TrialRecord record;
    WW_TRY(loaded, load(program, record));
    if (!loaded) {
        return fail(ErrorCode::InvalidArgument, "this configuration cannot be loaded (" + std::string(toString(record.status)) + "): " + record.message,
                    m_task->space.display(program.configuration));
    }
    if (!verifyFirst) return {};
    startClock();
    WW_TRY(correct, verify(program, record, 0));
    if (!correct) {
        return fail(ErrorCode::Unsupported,
                    "this configuration is not measured, since it is not correct (" + std::string(toString(record.status)) + "): " + record.message,
                    m_task->space.display(program.configuration));
    }
    return {};
}

Result<std::vector<store::MeasuredRecord>> WorkerPipeline::measureTogether(const std::vector<space::Configuration>& configurations, int samples,
                                                                           bool verifyFirst) {
    WW_TRY(programs, compileAll(configurations));
    WW_CHECK(m_workers->restart());
    for (auto& program : programs) WW_CHECK(qualify(program, verifyFirst));
    WW_TRY(records, m_bencher.measureTogether(programs, samples));
    for (auto& program : programs) m_workers->unload(program);
    return std::move(records);
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::start(std::shared_ptr<const Task> task, Options options) {
    auto watch = std::make_unique<GpuWatch>(task->device);  // before a process of ours is on the GPU
    WW_TRY(workers, Workers::start(*task, options.allowNoSandbox, options.stop));
    return std::unique_ptr<Pipeline>(std::make_unique<WorkerPipeline>(std::move(task), std::move(options), std::move(watch), std::move(workers)));
}

}  // namespace ww::engine
