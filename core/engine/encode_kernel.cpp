// SPDX-License-Identifier: Apache-2.0
#include "engine/encode_kernel.h"

#include "engine/candidate.h"
#include "engine/log_excerpt.h"
#include "worker/clients.h"

namespace ww::engine {
namespace {

/// A GPU that need not be there: enough for the rules and the compiler.
device::DeviceFacts assumedGpu(const std::string& architecture) {
    constexpr std::int64_t kOptIn = 227 * 1024;  // compute capability 9.0
    device::DeviceFacts facts;
    facts.kind = device::DeviceKind::Cuda;
    facts.name = architecture;
    facts.architecture = architecture;
    facts.ccMajor = 9;
    facts.sharedPerBlockOptin = kOptIn;
    facts.sharedPerProcessor = kOptIn + 1024;
    return facts;
}

Result<compile::CompileFacts> compileDefault(const Task& task, bool allowNoSandbox) {
    const auto& available = sandbox::availability();
    if (available.level == sandbox::Level::None && !allowNoSandbox) {
        return fail(ErrorCode::SandboxUnavailable, "nothing is compiled, since a compiler cannot be isolated here: " + available.reason);
    }
    worker::CompilePool::Options options;
    options.worker.level = available.level;
    options.worker.role = sandbox::Role::Compile;
    options.worker.readable.push_back(task.spec.kernelFile.parent_path());
    for (const auto& folder : task.spec.includeFolders) options.worker.readable.push_back(folder);
    WW_TRY(pool, worker::CompilePool::start(options));
    if (pool->compilerVersion(compile::Target::Cuda).empty()) {
        return fail(ErrorCode::EnvironmentMissing, "NVRTC was not found: install the CUDA Toolkit (12.6 or newer), or set CUDA_HOME");
    }
    WW_TRY(candidate, makeCandidate(task, task.space.defaultConfiguration()));
    WW_TRY(job, pool->waitFor(pool->submit(candidate.request)));
    if (job.result.status != TrialStatus::Ok) {
        return fail(ErrorCode::Unsupported, "the default configuration does not compile for " + task.device.architecture + ": " + firstProblem(job.result.log));
    }
    return job.result.facts;
}

}  // namespace

std::optional<encode::Launch> encodedLaunch(const Task& task, const space::Configuration& configuration) {
    const auto launch = launchFor(task, configuration, task.workload);
    if (!launch) return std::nullopt;
    const auto volume = [](const std::array<std::uint32_t, 3>& extents) {
        return static_cast<std::int64_t>(extents[0]) * extents[1] * extents[2];
    };
    return encode::Launch{volume(launch->block), volume(launch->grid), static_cast<std::int64_t>(launch->dynamicSharedBytes)};
}

Result<EncodedKernel> encodeKernel(const std::filesystem::path& specPath, const device::DeviceFacts& device, const std::string& architecture,
                                   bool allowNoSandbox) {
    WW_TRY(spec, spec::load(specPath));
    if (spec.kernelFile.empty()) {
        return fail(ErrorCode::InvalidSpec, "the spec names no kernel file; give KernelSpecification.KernelFile", spec.file.string());
    }
    WW_TRY(model, source::loadCuda(spec.kernelFile));
    EncodedKernel encoded;
    encode::Inputs inputs;
    inputs.source = &model;
    inputs.entry = spec.kernelName;
    inputs.device = &device;
    const bool cuda = device.kind == device::DeviceKind::Cuda;
    const auto compiled = loadTask(specPath, cuda ? device : assumedGpu(architecture), {});
    const auto launched = cuda ? compiled : loadTask(specPath, device, {});
    if (launched) {
        inputs.launch = encodedLaunch(*launched, launched->space.defaultConfiguration());
        inputs.space.parameters = static_cast<int>(launched->space.parameters().size());
        for (const auto& parameter : launched->space.parameters()) inputs.space.values += static_cast<int>(parameter.values.size());
        inputs.space.cartesian = launched->space.cartesianSize();
        inputs.space.valid = launched->space.countValid().value;
    } else {
        encoded.notes.push_back("launch and space are not encoded: " + launched.error().message);
    }
    if (compiled) {
        if (auto facts = compileDefault(*compiled, allowNoSandbox)) inputs.compile = *facts;
        else encoded.notes.push_back("registers, spills and the like are not encoded: " + facts.error().message);
    } else if (launched) {
        encoded.notes.push_back("registers, spills and the like are not encoded: " + compiled.error().message);
    }
    encoded.compiled = inputs.compile;
    encoded.state = encode::encode(inputs);
    return encoded;
}

}  // namespace ww::engine
