// SPDX-License-Identifier: Apache-2.0
#include "engine/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "base/hash.h"
#include "base/units.h"
#include "engine/reference.h"
#include "engine/worker_plan.h"
#include "verify/compare.h"

namespace ww::engine {
namespace {

using std::chrono::nanoseconds;

/// References quicker than this are computed for fresh inputs in every trial; slower ones for two sets of inputs, in turn.
constexpr double kCheapReferenceSeconds = 0.25;

/// What a checked launch found wrong; status Ok when nothing.
struct Finding {
    TrialStatus status = TrialStatus::Ok;
    std::string message;
};

class WorkerPipeline final : public Pipeline {
public:
    WorkerPipeline(std::shared_ptr<const Task> task, Options options)
        : m_task(std::move(task)), m_options(std::move(options)),
          m_reference(m_task, [this](const auto& workload, auto seed) { return runOriginal(workload, seed); }) {}

    Result<void> startWorkers();

    Result<InFlight> submit(const space::Configuration& configuration) override;
    void drop(const InFlight& inFlight) override { m_compilers->cancel(inFlight.job); }
    std::size_t lookahead() const override { return static_cast<std::size_t>(m_plan.compileWorkers) + 1; }
    Result<store::TrialRecord> runBaseline(const InFlight& inFlight) override;
    Result<store::TrialRecord> runTrial(const InFlight& inFlight, double incumbentNs) override;
    Result<void> restoreBaseline(const InFlight& inFlight, double noiseFloor) override;
    void remember(const store::TrialRecord& trial) override;
    Result<std::vector<store::MeasuredRecord>> measureTogether(const std::vector<space::Configuration>& configurations, int samples,
                                                               bool verifyFirst) override;
    double noiseFloor() const override { return m_noiseFloor; }
    sandbox::Level sandboxLevel() const override { return m_level; }
    Json environment() const override;
    double deviceSeconds() const override { return m_deviceSeconds; }
    std::vector<std::string> takeNotes() override { return std::exchange(m_notes, {}); }

private:
    /// A program of ours or a candidate's, ready for the device; loaded again where the worker was replaced.
    struct Program {
        space::Configuration configuration;
        compile::CompileResult object;
        spec::ResolvedLaunch launch;        ///< on the tuned workload
        std::optional<std::uint32_t> module;
    };

    void stage(Stage which) const { if (m_options.onStage) m_options.onStage(which); }
    Result<store::TrialRecord> begin(const InFlight& inFlight);
    Result<bool> compile(const InFlight& inFlight, store::TrialRecord& record, Program& program);
    Result<bool> load(Program& program, store::TrialRecord& record);
    Result<void> ensureLoaded(Program& program);
    void unload(Program& program);
    Result<bool> verify(Program& program, store::TrialRecord& record, int round);
    Result<Finding> check(Program& program, const spec::WorkloadSpec& workload, std::uint64_t seed, int poison, Json& report);
    Finding judgeRun(const worker::RunResult& run) const;
    Result<std::vector<std::vector<double>>> runOriginal(const spec::WorkloadSpec& workload, std::uint64_t seed);
    Result<Program*> originalProgram();
    Result<bool> bench(Program& program, store::TrialRecord& record, double incumbentNs, bench::PairedSamples& samples);
    void settle(store::TrialRecord& record, const bench::PairedSamples& samples) const;
    void noteReplacement(const worker::DeviceOutcome& outcome, Program& program);
    std::uint64_t seedFor(const spec::WorkloadSpec& workload, int round);
    nanoseconds remaining() const;
    bench::BenchOptions benchOptions() const;

    std::shared_ptr<const Task> m_task;
    Options m_options;
    ReferenceProvider m_reference;
    WorkerPlan m_plan;
    sandbox::Level m_level = sandbox::Level::Bubblewrap;
    std::unique_ptr<worker::CompilePool> m_compilers;
    std::unique_ptr<worker::DeviceClient> m_device;
    std::optional<Program> m_baseline;
    /// Whose outputs count as right where the spec has no reference: the default, or the baseline where the default does not run.
    std::optional<space::Configuration> m_referenceConfiguration;
    std::optional<Program> m_original;      ///< the reference kernel, or the original at its defaults
    std::unordered_map<std::string, store::TrialRecord> m_measured;  ///< by measurementKey
    std::set<std::string> m_droppedEdges;   ///< derived shapes that the baseline itself fails
    bool m_judgingBaseline = false;
    std::vector<std::string> m_notes;
    double m_noiseFloor = 0.01;
    double m_deviceSeconds = 0;
    double m_referenceSeconds = 0;          ///< of the tuned workload, last time
    std::int64_t m_deadlineNs = 0;          ///< of the running trial's device stages
    int m_trial = 0;
};

Result<void> WorkerPipeline::startWorkers() {
    const auto& available = sandbox::availability();
    m_level = available.level;
    if (m_level == sandbox::Level::None && !m_options.allowNoSandbox) {
        return fail(ErrorCode::SandboxUnavailable,
                    "candidates cannot be isolated here: " + available.reason + "; mend that, or consent with --no-sandbox to run them without isolation");
    }
    m_plan = planWorkers(m_task->device.kind, usableCores());

    sandbox::WorkerOptions base;
    base.level = m_level;
    base.readable.push_back(m_task->spec.kernelFile.parent_path());
    for (const auto& folder : m_task->spec.includeFolders) base.readable.push_back(folder);

    worker::CompilePool::Options compilers;
    compilers.workers = m_plan.compileWorkers;
    compilers.worker = base;
    compilers.worker.role = sandbox::Role::Compile;
    compilers.worker.cores = m_plan.compileCores;
    compilers.worker.memoryBytes = std::uint64_t{4} << 30;
    compilers.stop = m_options.stop;
    WW_TRY(pool, worker::CompilePool::start(compilers));
    m_compilers = std::move(pool);
    const bool cuda = m_task->device.kind == device::DeviceKind::Cuda;
    if (m_compilers->compilerVersion(cuda ? compile::Target::Cuda : compile::Target::Cpu).empty()) {
        return fail(ErrorCode::EnvironmentMissing,
                    cuda ? "NVRTC was not found, so CUDA kernels cannot be compiled: install the CUDA Toolkit (12.6 or newer), or set CUDA_HOME"
                         : "no C++ compiler was found, so the CPU device cannot compile kernels: install g++, or name one with CXX");
    }

    worker::DeviceClient::Options device;
    device.worker = base;
    device.worker.role = sandbox::Role::Device;
    device.worker.cores = m_plan.deviceCores;
    device.stop = m_options.stop;
    device.memoryGrowthBytes = m_task->spec.limits.deviceMemoryGrowthMiB << 20;
    if (m_task->device.kind == device::DeviceKind::Cuda) {
        device.worker.device = "cuda:" + std::to_string(m_task->device.index);
    } else {
        std::uint64_t declared = 0;
        if (auto launch = launchFor(*m_task, m_task->space.defaultConfiguration(), m_task->workload)) {
            for (const auto& argument : launch->arguments) declared += argument.bytes();
        }
        // Pristine copy, working copy and arena of each buffer; fiber stacks and thread stacks are address space, not memory.
        device.worker.memoryBytes = 4 * declared + static_cast<std::uint64_t>(device.memoryGrowthBytes) + (std::uint64_t{3} << 30);
    }
    WW_TRY(client, worker::DeviceClient::start(device));
    m_device = std::move(client);
    return {};
}

Json WorkerPipeline::environment() const {
    const auto& sandbox = sandbox::availability();
    return {{"compiler", m_compilers->compilerVersion()},
            {"driver", m_task->device.driver},
            {"sandbox", sandbox.version.empty() ? sandbox.reason : sandbox.version},
            {"reference", m_reference.describe()},
            {"compile_workers", m_plan.compileWorkers},
            {"version", WW_VERSION}};
}

Result<InFlight> WorkerPipeline::submit(const space::Configuration& configuration) {
    WW_TRY(candidate, makeCandidate(*m_task, configuration));
    const auto job = m_compilers->submit(candidate.request);
    return InFlight{std::move(candidate), job, 0};
}

Result<store::TrialRecord> WorkerPipeline::begin(const InFlight& inFlight) {
    store::TrialRecord record;
    record.config = m_task->space.toJson(inFlight.candidate.configuration);
    record.startedAt = utcNow();
    record.stages.proposeNs = inFlight.proposeNs;
    ++m_trial;
    return record;
}

Result<bool> WorkerPipeline::compile(const InFlight& inFlight, store::TrialRecord& record, Program& program) {
    stage(Stage::Compiling);
    WW_TRY(job, m_compilers->waitFor(inFlight.job));
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
    WW_TRY(loaded, m_device->load(program.object, shapeOf(program.launch)));
    noteReplacement(loaded.first, program);
    if (loaded.first.status != TrialStatus::Ok) {
        record.status = loaded.first.status;
        record.message = loaded.first.message;
        return false;
    }
    program.module = loaded.second.id;
    const auto& facts = loaded.second.facts;
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

Result<void> WorkerPipeline::ensureLoaded(Program& program) {
    if (program.module) return {};
    WW_TRY(loaded, m_device->load(program.object, shapeOf(program.launch)));
    noteReplacement(loaded.first, program);
    if (loaded.first.status != TrialStatus::Ok) {
        return fail(ErrorCode::WorkerFailed, "a program that ran before cannot be loaded any more: " + loaded.first.message);
    }
    program.module = loaded.second.id;
    return {};
}

void WorkerPipeline::unload(Program& program) {
    if (program.module) m_device->unload(*program.module);
    program.module.reset();
}

void WorkerPipeline::noteReplacement(const worker::DeviceOutcome& outcome, Program& program) {
    if (!outcome.workerReplaced) return;
    program.module.reset();
    if (m_baseline) m_baseline->module.reset();
    if (m_original) m_original->module.reset();
}

nanoseconds WorkerPipeline::remaining() const {
    return nanoseconds(std::max<std::int64_t>(m_deadlineNs - monotonicNs(), 1));
}

std::uint64_t WorkerPipeline::seedFor(const spec::WorkloadSpec& workload, int round) {
    const bool fresh = workload.name != m_task->workload.name || m_referenceSeconds < kCheapReferenceSeconds;
    const auto draw = static_cast<std::uint64_t>(fresh ? 2 * m_trial + round : (m_trial + round) % 2);
    return deriveSeed(m_options.seed ^ nameHash(workload.name), draw);
}

Finding WorkerPipeline::judgeRun(const worker::RunResult& run) const {
    if (run.outcome.status != TrialStatus::Ok) return {run.outcome.status, run.outcome.message};
    if (!run.guardViolations.empty()) return {TrialStatus::WrongResult, "the kernel wrote outside its buffers: " + run.guardViolations.front()};
    if (!run.changedInputs.empty()) {
        return {TrialStatus::CheatSuspected, "the kernel changed its read-only input \"" + run.changedInputs.front() + "\""};
    }
    return {};
}

Result<Finding> WorkerPipeline::check(Program& program, const spec::WorkloadSpec& workload, std::uint64_t seed, int poison, Json& report) {
    auto launch = launchFor(*m_task, program.configuration, workload);
    if (!launch) return Finding{TrialStatus::LaunchError, launch.error().toString()};
    if (launch->empty) return Finding{};
    WW_CHECK(ensureLoaded(program));
    WW_TRY(run, m_device->run(*program.module, *launch, seed, poison, remaining()));
    noteReplacement(run.outcome, program);
    auto finding = judgeRun(run);
    Json entry{{"workload", workload.name}, {"seed", seed}};
    for (const auto& [name, size] : workload.sizes) entry["sizes"][name] = size;
    if (finding.status != TrialStatus::Ok) {
        entry["passed"] = false;
        entry["reason"] = finding.message;
        report.push_back(std::move(entry));
        return finding;
    }
    // The candidate's outputs are copied before anything else uses the arena, the reference kernel included.
    std::vector<std::vector<std::byte>> outputs;
    for (const auto& view : run.outputs) outputs.emplace_back(view.begin(), view.end());
    WW_TRY(expected, m_reference.expected(*launch, workload, seed));
    if (workload.name == m_task->workload.name) m_referenceSeconds = expected->seconds;

    std::size_t at = 0;
    for (const auto& argument : launch->arguments) {
        if (!argument.output) continue;
        const auto check = verify::makeCheck(argument, m_task->spec.tolerance);
        WW_TRY(compared, verify::compareOutput(check, outputs[at], std::span<const double>(expected->outputs[at])));
        entry["outputs"].push_back(compared.toJson());
        if (!compared.pass && finding.status == TrialStatus::Ok) {
            finding = {TrialStatus::WrongResult, "\"" + argument.name + "\" is wrong: " + compared.reason + " (workload " + workload.name + ")"};
            for (const auto& unwritten : run.unwrittenOutputs) finding.message += "; " + unwritten;
        }
        ++at;
    }
    entry["passed"] = finding.status == TrialStatus::Ok;
    report.push_back(std::move(entry));
    return finding;
}

Result<bool> WorkerPipeline::verify(Program& program, store::TrialRecord& record, int round) {
    stage(Stage::Verifying);
    const auto begin = monotonicNs();
    if (record.correctness.is_null()) record.correctness = {{"reference", m_reference.describe()}, {"checks", Json::array()}};
    Json& report = record.correctness["checks"];
    std::vector<spec::WorkloadSpec> workloads;
    if (round == 0) {
        // Small edge shapes first: they are cheap and find most bugs.
        const auto scope = m_task->space.scopeFor(program.configuration);
        workloads = spec::edgeWorkloads(m_task->spec, m_task->workload, scope);
    }
    workloads.push_back(m_task->workload);
    for (const auto& workload : workloads) {
        if (m_droppedEdges.contains(workload.name)) continue;
        auto found = check(program, workload, seedFor(workload, round), (m_trial + round) % 2, report);
        record.stages.verifyNs += monotonicNs() - begin;
        const bool derived = m_task->spec.findWorkload(workload.name) == nullptr;
        if (m_judgingBaseline && derived && (!found ? found.error().code == ErrorCode::InvalidSpec : found->status != TrialStatus::Ok)) {
            // A shape of our own making that the original cannot do, or the reference cannot: it proves nothing about candidates.
            m_droppedEdges.insert(workload.name);
            m_notes.push_back("the edge shape " + workload.name + " is not checked: the original kernel or the reference fails there (" +
                              (found ? found->message : found.error().message) + ")");
            continue;
        }
        if (!found) return Unexpected{std::move(found).error()};
        if (found->status != TrialStatus::Ok) {
            record.status = found->status;
            record.message = found->message;
            return false;
        }
    }
    record.stages.verifyNs = monotonicNs() - begin;
    return true;
}

Result<WorkerPipeline::Program*> WorkerPipeline::originalProgram() {
    if (m_original) return &*m_original;
    const auto& reference = m_task->spec.reference;
    Program program;
    program.configuration = m_referenceConfiguration.value_or(m_task->space.defaultConfiguration());
    WW_TRY(candidate, makeCandidate(*m_task, program.configuration));
    if (reference.kind == spec::ReferenceKind::Kernel) {
        const auto file = m_task->spec.folder / reference.kernel.file;
        WW_TRY(model, source::loadCuda(file));
        const auto* entry = model.findEntry(reference.kernel.name);
        if (entry == nullptr) {
            return fail(ErrorCode::InvalidSpec, "the reference kernel \"" + reference.kernel.name + "\" is not in this file", file.string());
        }
        candidate.request.source = model.text;
        candidate.request.fileName = file.filename().string();
        candidate.request.entry = entry->qualifiedName;
        candidate.request.templateArguments.clear();
        candidate.request.defines.clear();
    }
    WW_TRY(job, m_compilers->waitFor(m_compilers->submit(candidate.request)));
    if (job.result.status != TrialStatus::Ok) {
        return fail(ErrorCode::InvalidSpec, "the reference does not compile: " + firstProblem(job.result.log), m_task->spec.file.string());
    }
    program.object = std::move(job.result);
    m_original = std::move(program);
    return &*m_original;
}

Result<std::vector<std::vector<double>>> WorkerPipeline::runOriginal(const spec::WorkloadSpec& workload, std::uint64_t seed) {
    WW_TRY(program, originalProgram());
    WW_TRY(launch, launchFor(*m_task, program->configuration, workload));
    const auto& reference = m_task->spec.reference;
    if (reference.kind == spec::ReferenceKind::Kernel) {
        expr::Scope facts;
        m_task->device.addTo(facts);
        WW_TRY(constants, spec::constantsFor(m_task->spec, workload, &facts));
        const auto extent = [&](const std::optional<expr::Expression>& expression, std::uint32_t& into) -> Result<void> {
            if (!expression) return {};
            WW_TRY(value, expression->evaluate(constants));
            if (!value.isInt() || value.asInt() < 1) {
                return fail(ErrorCode::InvalidSpec, "\"" + expression->text() + "\" gives " + value.repr() + ", no launch size", "Reference.Kernel");
            }
            into = static_cast<std::uint32_t>(value.asInt());
            return {};
        };
        for (std::size_t axis = 0; axis < 3; ++axis) {
            WW_CHECK(extent(reference.kernel.localSize[axis], launch.block[axis]));
            WW_CHECK(extent(reference.kernel.globalSize[axis], launch.grid[axis]));
        }
        launch.dynamicSharedBytes = 0;
    }
    program->launch = launch;
    WW_CHECK(ensureLoaded(*program));
    WW_TRY(run, m_device->run(*program->module, launch, seed, 0, remaining()));
    noteReplacement(run.outcome, *program);
    if (const auto finding = judgeRun(run); finding.status != TrialStatus::Ok) {
        return fail(ErrorCode::InvalidSpec, "the reference itself fails with " + std::string(toString(finding.status)) + ": " + finding.message,
                    m_task->spec.file.string());
    }
    std::vector<std::vector<double>> outputs;
    std::size_t at = 0;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        const auto bytes = run.outputs[at++];
        std::vector<double> values(argument.elements);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = loadAsDouble(argument.type, bytes.data() + i * sizeOf(argument.type));
        outputs.push_back(std::move(values));
    }
    return outputs;
}

bench::BenchOptions WorkerPipeline::benchOptions() const {
    bench::BenchOptions options;
    options.targetHalfWidth = std::max(0.003, m_noiseFloor / 2);
    if (m_task->device.kind == device::DeviceKind::Cpu) options.maxWallSeconds = 4.0;
    return options;
}

Result<bool> WorkerPipeline::bench(Program& program, store::TrialRecord& record, double incumbentNs, bench::PairedSamples& samples) {
    stage(Stage::Benchmarking);
    const auto begin = monotonicNs();
    auto options = benchOptions();
    options.rejectAboveNs = incumbentNs;
    Program& reference = m_baseline ? *m_baseline : program;
    WW_CHECK(ensureLoaded(reference));
    WW_CHECK(ensureLoaded(program));
    if (m_plan.pauseCompilers) m_compilers->suspend();
    auto measured = m_device->bench(*reference.module, reference.launch, *program.module, program.launch, seedFor(m_task->workload, 0),
                                    options, remaining());
    if (m_plan.pauseCompilers) m_compilers->resume();
    record.stages.benchNs += monotonicNs() - begin;
    if (!measured) return Unexpected{std::move(measured).error()};
    noteReplacement(measured->first, program);
    samples = std::move(measured->second);
    m_deviceSeconds += samples.deviceSeconds;
    record.baselineSamplesNs = samples.referenceNs;
    record.samplesNs = samples.candidateNs;
    if (measured->first.status != TrialStatus::Ok) {
        record.status = measured->first.status;
        record.message = measured->first.message;
        return false;
    }
    if (samples.candidateNs.empty()) {
        record.status = TrialStatus::Unstable;
        record.message = "no sample could be taken within the limits";
        return false;
    }
    return true;
}

void WorkerPipeline::settle(store::TrialRecord& record, const bench::PairedSamples& samples) const {
    const auto seed = deriveSeed(m_options.seed, static_cast<std::uint64_t>(m_trial));
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

Result<store::TrialRecord> WorkerPipeline::runBaseline(const InFlight& inFlight) {
    m_referenceConfiguration = inFlight.candidate.configuration;
    m_original.reset();
    WW_TRY(record, begin(inFlight));
    Program program;
    WW_TRY(compiled, compile(inFlight, record, program));
    if (!compiled) return record;
    m_deadlineNs = monotonicNs() + static_cast<std::int64_t>(m_task->spec.limits.trialSeconds * 1e9);
    WW_TRY(loaded, load(program, record));
    if (!loaded) return record;
    m_judgingBaseline = true;
    auto correct = verify(program, record, 0);
    m_judgingBaseline = false;
    if (!correct) return Unexpected{std::move(correct).error()};
    if (!*correct) return record;
    bench::PairedSamples samples;
    WW_TRY(measured, bench(program, record, 0, samples));
    if (!measured) return record;
    m_noiseFloor = bench::noiseFloor(samples);
    settle(record, samples);
    // By definition the baseline compares with itself.
    record.ratio = 1.0;
    record.verdict = Verdict::Same;
    record.status = TrialStatus::Ok;
    m_measured[measurementKey(record.objectHash, program.launch)] = record;
    m_measured[measurementKey(record.objectHash, program.launch)].number = m_trial;
    m_baseline = std::move(program);
    return record;
}

Result<store::TrialRecord> WorkerPipeline::runTrial(const InFlight& inFlight, double incumbentNs) {
    WW_TRY(record, begin(inFlight));
    Program program;
    WW_TRY(compiled, compile(inFlight, record, program));
    if (!compiled) return record;

    const auto key = measurementKey(record.objectHash, program.launch);
    if (const auto same = m_measured.find(key); m_options.shareResults && same != m_measured.end()) {
        const auto stages = record.stages;
        const auto config = record.config;
        const auto startedAt = record.startedAt;
        record = same->second;
        record.sharedWith = same->second.number;
        record.config = config;
        record.stages = stages;
        record.startedAt = startedAt;
        record.message = "the same program as trial " + std::to_string(same->second.number) + ", whose measurement it shares";
        record.samplesNs.clear();
        record.baselineSamplesNs.clear();
        return record;
    }
    m_deadlineNs = monotonicNs() + static_cast<std::int64_t>(m_task->spec.limits.trialSeconds * 1e9);
    const auto run = [&]() -> Result<void> {
        WW_TRY(loaded, load(program, record));
        if (!loaded) return {};
        WW_TRY(correct, verify(program, record, 0));
        if (!correct) return {};
        bench::PairedSamples samples;
        WW_TRY(measured, bench(program, record, incumbentNs, samples));
        if (!measured) return {};
        settle(record, samples);
        const bool newBest = record.status == TrialStatus::Ok && (incumbentNs <= 0 || static_cast<double>(*record.timeNs) < incumbentNs);
        if (!newBest) return {};
        // A new best is checked again with other inputs before it is believed.
        WW_TRY(again, verify(program, record, 1));
        if (!again) {
            record.timeNs.reset();
            record.timeCi.reset();
            record.ratio.reset();
            record.ratioCi.reset();
            record.verdict.reset();
        }
        return {};
    };
    auto ran = run();
    unload(program);
    if (!ran) return Unexpected{std::move(ran).error()};
    store::TrialRecord kept = record;
    kept.number = m_trial;
    kept.log.clear();
    m_measured[key] = std::move(kept);
    return record;
}

Result<void> WorkerPipeline::restoreBaseline(const InFlight& inFlight, double noiseFloor) {
    m_referenceConfiguration = inFlight.candidate.configuration;
    store::TrialRecord record;
    Program program;
    WW_TRY(compiled, compile(inFlight, record, program));
    if (!compiled) return fail(ErrorCode::EnvironmentMissing, "the baseline of this session does not compile any more: " + record.message);
    WW_TRY(loaded, load(program, record));
    if (!loaded) return fail(ErrorCode::EnvironmentMissing, "the baseline of this session does not load any more: " + record.message);
    m_noiseFloor = noiseFloor;
    m_baseline = std::move(program);
    return {};
}

void WorkerPipeline::remember(const store::TrialRecord& trial) {
    m_trial = std::max(m_trial, trial.number);
    if (trial.objectHash.empty() || trial.sharedWith) return;
    const auto configuration = m_task->space.fromJson(trial.config);
    if (!configuration) return;
    if (auto launch = launchFor(*m_task, *configuration, m_task->workload)) m_measured[measurementKey(trial.objectHash, *launch)] = trial;
}

Result<std::vector<store::MeasuredRecord>> WorkerPipeline::measureTogether(const std::vector<space::Configuration>& configurations, int samples,
                                                                              bool verifyFirst) {
    std::vector<Program> programs;
    std::vector<InFlight> jobs;
    for (const auto& configuration : configurations) {
        WW_TRY(inFlight, submit(configuration));
        jobs.push_back(std::move(inFlight));
    }
    for (const auto& job : jobs) {
        store::TrialRecord record;
        Program program;
        WW_TRY(compiled, compile(job, record, program));
        if (!compiled) return fail(ErrorCode::InvalidArgument, "this configuration does not compile: " + record.message, record.config.dump());
        programs.push_back(std::move(program));
    }
    WW_CHECK(m_device->restart());
    if (m_baseline) m_baseline->module.reset();
    if (m_original) m_original->module.reset();
    std::vector<std::uint32_t> modules;
    std::vector<spec::ResolvedLaunch> launches;
    for (auto& program : programs) {
        store::TrialRecord record;
        WW_TRY(loaded, load(program, record));
        if (!loaded) {
            return fail(ErrorCode::InvalidArgument, "this configuration cannot be loaded (" + std::string(toString(record.status)) + "): " + record.message,
                        m_task->space.display(program.configuration));
        }
        if (verifyFirst) {
            m_deadlineNs = monotonicNs() + static_cast<std::int64_t>(m_task->spec.limits.trialSeconds * 1e9);
            WW_TRY(correct, verify(program, record, 0));
            if (!correct) {
                return fail(ErrorCode::Unsupported,
                            "this configuration is not measured, since it is not correct (" + std::string(toString(record.status)) + "): " + record.message,
                            m_task->space.display(program.configuration));
            }
        }
    }
    for (auto& program : programs) {
        WW_CHECK(ensureLoaded(program));
        modules.push_back(*program.module);
        launches.push_back(program.launch);
    }
    auto options = benchOptions();
    options.minSamples = std::min(samples, 30);
    options.maxSamples = samples;
    options.maxDeviceSeconds = 2.0;
    options.maxWallSeconds = 20.0;
    const auto limit = nanoseconds(static_cast<std::int64_t>((options.maxWallSeconds * static_cast<double>(programs.size()) + 60) * 1e9));
    if (m_plan.pauseCompilers) m_compilers->suspend();
    auto measured = m_device->benchMany(modules, launches, deriveSeed(m_options.seed, 0xf1a1), options, limit);
    if (m_plan.pauseCompilers) m_compilers->resume();
    if (!measured) return Unexpected{std::move(measured).error()};
    if (measured->first.status != TrialStatus::Ok) {
        return fail(ErrorCode::WorkerFailed, "measuring again ended with " + std::string(toString(measured->first.status)) + ": " + measured->first.message);
    }
    const auto& all = measured->second;
    std::vector<store::MeasuredRecord> records;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto seed = deriveSeed(m_options.seed, 0xf1a2 + i);
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
    for (auto& program : programs) unload(program);
    return records;
}

}  // namespace

std::string firstProblem(const std::string& log) {
    constexpr int kLines = 8;
    // Compilers lead with "In file included from ..."; the first line that says error is the one to read.
    const auto word = std::min(log.find("error"), log.find("Error"));
    auto begin = word == std::string::npos ? 0 : log.rfind('\n', word) + 1;
    auto end = begin;
    for (int line = 0; line < kLines && end != std::string::npos; ++line) end = log.find('\n', line == 0 ? begin : end + 1);
    auto text = log.substr(begin, end == std::string::npos ? end : end - begin);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

Result<std::unique_ptr<Pipeline>> Pipeline::start(std::shared_ptr<const Task> task, Options options) {
    auto pipeline = std::make_unique<WorkerPipeline>(std::move(task), std::move(options));
    WW_CHECK(pipeline->startWorkers());
    return std::unique_ptr<Pipeline>(std::move(pipeline));
}

}  // namespace ww::engine
