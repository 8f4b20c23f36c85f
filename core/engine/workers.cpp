// SPDX-License-Identifier: Apache-2.0
#include "engine/workers.h"

#include "engine/candidate.h"

namespace ww::engine {
namespace {

/// Compilers stand still while this lives, where the plan asks for it.
class QuietCompilers {
public:
    QuietCompilers(worker::CompilePool& pool, bool pause) : m_pool(pause ? &pool : nullptr) {
        if (m_pool != nullptr) m_pool->suspend();
    }
    ~QuietCompilers() {
        if (m_pool != nullptr) m_pool->resume();
    }
    QuietCompilers(const QuietCompilers&) = delete;
    QuietCompilers& operator=(const QuietCompilers&) = delete;

private:
    worker::CompilePool* m_pool;
};

/// Bytes that a CPU device worker may map for this task.
std::uint64_t cpuMemoryBytes(const Task& task) {
    std::uint64_t declared = 0;
    if (auto launch = launchFor(task, task.space.defaultConfiguration(), task.workload)) {
        for (const auto& argument : launch->arguments) declared += argument.bytes();
    }
    const auto growth = static_cast<std::uint64_t>(task.spec.limits.deviceMemoryGrowthMiB) << 20;
    // For verification a pristine copy, a working copy and the arena; for timing two sets of values and one to work on, each of
    // these on the device and what it was filled from. Small sets are more, within the 3 GiB; fiber and thread stacks are
    // address space, not memory.
    return 10 * declared + growth + (std::uint64_t{3} << 30);
}

}  // namespace

Result<std::unique_ptr<Workers>> Workers::start(const Task& task, bool allowNoSandbox, std::stop_token stop) {
    const auto& available = sandbox::availability();
    if (available.level == sandbox::Level::None && !allowNoSandbox) {
        return fail(ErrorCode::SandboxUnavailable,
                    "candidates cannot be isolated here: " + available.reason + "; mend that, or consent with --no-sandbox to run them without isolation");
    }
    std::unique_ptr<Workers> workers(new Workers);
    workers->m_level = available.level;
    workers->m_plan = planWorkers(task.device.kind, usableCores());
    sandbox::WorkerOptions base;
    base.level = available.level;
    base.readable.push_back(task.spec.kernelFile.parent_path());
    for (const auto& folder : task.spec.includeFolders) base.readable.push_back(folder);
    WW_CHECK(workers->startCompilers(task, base, stop));
    WW_CHECK(workers->startDevice(task, base, stop));
    return workers;
}

Result<void> Workers::startCompilers(const Task& task, const sandbox::WorkerOptions& base, std::stop_token stop) {
    worker::CompilePool::Options options;
    options.workers = m_plan.compileWorkers;
    options.worker = base;
    options.worker.role = sandbox::Role::Compile;
    options.worker.cores = m_plan.compileCores;
    options.worker.memoryBytes = std::uint64_t{4} << 30;
    options.stop = stop;
    WW_TRY(pool, worker::CompilePool::start(options));
    m_compilers = std::move(pool);
    const bool cuda = task.device.kind == device::DeviceKind::Cuda;
    if (m_compilers->compilerVersion(cuda ? compile::Target::Cuda : compile::Target::Cpu).empty()) {
        return fail(ErrorCode::EnvironmentMissing,
                    cuda ? "NVRTC was not found, so CUDA kernels cannot be compiled: install the CUDA Toolkit (12.6 or newer), or set CUDA_HOME"
                         : "no C++ compiler was found, so the CPU device cannot compile kernels: install g++, or name one with CXX");
    }
    return {};
}

Result<void> Workers::startDevice(const Task& task, const sandbox::WorkerOptions& base, std::stop_token stop) {
    worker::DeviceClient::Options options;
    options.worker = base;
    options.worker.role = sandbox::Role::Device;
    options.worker.cores = m_plan.deviceCores;
    options.stop = stop;
    options.memoryGrowthBytes = task.spec.limits.deviceMemoryGrowthMiB << 20;
    if (task.device.kind == device::DeviceKind::Cuda) {
        options.worker.device = "cuda:" + std::to_string(task.device.index);
    } else {
        options.worker.memoryBytes = cpuMemoryBytes(task);
    }
    WW_TRY(client, worker::DeviceClient::start(options));
    m_device = std::move(client);
    return {};
}

Json Workers::environment() const {
    const auto& sandbox = sandbox::availability();
    return {{"compiler", m_compilers->compilerVersion()},
            {"sandbox", sandbox.version.empty() ? sandbox.reason : sandbox.version},
            {"compile_workers", m_plan.compileWorkers}};
}

Result<std::pair<worker::DeviceOutcome, device::FunctionFacts>> Workers::load(Program& program) {
    WW_TRY(loaded, m_device->load(program.object, shapeOf(program.launch)));
    note(loaded.first);
    program.module.reset();
    if (loaded.first.status == TrialStatus::Ok) {
        program.module = loaded.second.id;
        program.generation = m_generation;
    }
    return std::pair{std::move(loaded.first), loaded.second.facts};
}

Result<std::uint32_t> Workers::moduleOf(Program& program) {
    if (!program.module || program.generation != m_generation) {
        WW_TRY(loaded, load(program));
        if (loaded.first.status != TrialStatus::Ok) {
            return fail(ErrorCode::WorkerFailed, "a program that ran before cannot be loaded any more: " + loaded.first.message);
        }
    }
    return *program.module;
}

void Workers::unload(Program& program) {
    if (program.module && program.generation == m_generation) m_device->unload(*program.module);
    program.module.reset();
}

Result<void> Workers::restart() {
    WW_CHECK(m_device->restart());
    ++m_generation;
    return {};
}

Result<worker::RunResult> Workers::run(Program& program, const spec::ResolvedLaunch& launch, const verify::RunOptions& options,
                                       std::chrono::nanoseconds deadline) {
    WW_TRY(module, moduleOf(program));
    auto run = m_device->run(module, launch, options, deadline);
    if (run) note(run->outcome);
    return run;
}

Result<std::pair<worker::DeviceOutcome, bench::PairedSamples>> Workers::bench(Program& reference, Program& candidate, std::uint64_t seed,
                                                                              const bench::BenchOptions& options,
                                                                              std::chrono::nanoseconds deadline) {
    WW_CHECK(moduleOf(reference));
    WW_CHECK(moduleOf(candidate));
    WW_TRY(module, moduleOf(reference));  // loading the candidate may have replaced the process
    const QuietCompilers quiet(*m_compilers, m_plan.pauseCompilers);
    auto measured = m_device->bench(module, reference.launch, *candidate.module, candidate.launch, seed, options, deadline);
    if (measured) note(measured->first);
    return measured;
}

Result<std::pair<worker::DeviceOutcome, std::vector<std::vector<double>>>> Workers::benchMany(std::vector<Program>& programs, std::uint64_t seed,
                                                                                             const bench::BenchOptions& options,
                                                                                             std::chrono::nanoseconds deadline) {
    std::vector<std::uint32_t> modules;
    std::vector<spec::ResolvedLaunch> launches;
    for (auto& program : programs) WW_CHECK(moduleOf(program));  // one that is refused replaces the process under the others
    for (auto& program : programs) {
        WW_TRY(module, moduleOf(program));
        modules.push_back(module);
        launches.push_back(program.launch);
    }
    const QuietCompilers quiet(*m_compilers, m_plan.pauseCompilers);
    auto measured = m_device->benchMany(modules, launches, seed, options, deadline);
    if (measured) note(measured->first);
    return measured;
}

}  // namespace ww::engine
