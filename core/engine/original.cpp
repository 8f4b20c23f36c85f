// SPDX-License-Identifier: Apache-2.0
#include "engine/original.h"

#include <algorithm>

#include "base/dtype.h"
#include "engine/candidate.h"
#include "engine/log_excerpt.h"

namespace ww::engine {
namespace {

/// Reads one launch size of the reference kernel; leaves `into` alone where the spec gives none.
Result<void> readExtent(const std::optional<expr::Expression>& expression, const expr::Scope& constants, std::uint32_t& into) {
    if (!expression) return {};
    WW_TRY(value, expression->evaluate(constants));
    if (!value.isInt() || value.asInt() < 1) {
        return fail(ErrorCode::InvalidSpec, "\"" + expression->text() + "\" gives " + value.repr() + ", no launch size", "Reference.Kernel");
    }
    into = static_cast<std::uint32_t>(value.asInt());
    return {};
}

/// Makes `request` compile the spec's reference kernel instead of the tuned one.
Result<void> useReferenceKernel(const spec::Spec& spec, compile::CompileRequest& request) {
    const auto file = spec.folder / spec.reference.kernel.file;
    WW_TRY(model, source::loadCuda(file));
    const auto* entry = model.findEntry(spec.reference.kernel.name);
    if (entry == nullptr) {
        return fail(ErrorCode::InvalidSpec, "the reference kernel \"" + spec.reference.kernel.name + "\" is not in this file", file.string());
    }
    request.source = source::separateHostCode(model.text, [](std::string_view) { return false; }).text;
    request.fileName = file.filename().string();
    request.entry = entry->qualifiedName;
    // Only what its own file declares; the others are filled in the tuned kernel alone.
    std::erase_if(request.symbols, [&](const std::string& symbol) {
        const auto colon = symbol.rfind(':');
        return !model.declared.contains(colon == std::string::npos ? symbol : symbol.substr(colon + 1));
    });
    request.templateArguments.clear();
    request.defines.clear();
    return {};
}

}  // namespace

Flaw judgeRun(const worker::RunResult& run) {
    if (run.outcome.status != TrialStatus::Ok) return {run.outcome.status, run.outcome.message};
    if (!run.guardViolations.empty()) return {TrialStatus::WrongResult, "the kernel wrote outside its buffers: " + run.guardViolations.front()};
    if (!run.changedInputs.empty()) {
        return {TrialStatus::CheatSuspected, "the kernel changed its read-only input \"" + run.changedInputs.front() + "\""};
    }
    return {};
}

void OriginalProgram::standIn(const space::Configuration& configuration) {
    m_standIn = configuration;
    m_program.reset();
}

Result<void> OriginalProgram::compile() {
    if (m_program) return {};
    Program program;
    program.configuration = m_standIn.value_or(m_task->space.defaultConfiguration());
    WW_TRY(candidate, makeCandidate(*m_task, program.configuration));
    if (m_referenceKernel) WW_CHECK(useReferenceKernel(m_task->spec, candidate.request));
    WW_TRY(job, m_workers.compilers().waitFor(m_workers.compilers().submit(candidate.request)));
    if (job.result.status != TrialStatus::Ok) {
        return fail(ErrorCode::InvalidSpec, "the reference does not compile: " + firstProblem(job.result.log), m_task->spec.file.string());
    }
    program.object = std::move(job.result);
    m_program = std::move(program);
    return {};
}

Result<spec::ResolvedLaunch> OriginalProgram::launchOn(const spec::WorkloadSpec& workload) const {
    WW_TRY(launch, launchFor(*m_task, m_program->configuration, workload));
    const auto& reference = m_task->spec.reference;
    if (!m_referenceKernel) return launch;
    expr::Scope facts;
    m_task->device.addTo(facts);
    WW_TRY(constants, spec::constantsFor(m_task->spec, workload, &facts));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        WW_CHECK(readExtent(reference.kernel.localSize[axis], constants, launch.block[axis]));
        WW_CHECK(readExtent(reference.kernel.globalSize[axis], constants, launch.grid[axis]));
    }
    launch.dynamicSharedBytes = 0;
    std::erase_if(launch.arguments, [&](const spec::ResolvedArgument& argument) {
        const auto& known = m_program->object.symbols;
        return argument.memory == spec::MemoryKind::Symbol && !argument.output &&
               std::none_of(known.begin(), known.end(), [&](const auto& symbol) { return symbol.first == argument.name; });
    });
    return launch;
}

Result<worker::RunResult> OriginalProgram::run(const spec::WorkloadSpec& workload, const Inputs& inputs, std::chrono::nanoseconds deadline) {
    WW_CHECK(compile());
    WW_TRY(launch, launchOn(workload));
    m_program->launch = withInputs(std::move(launch), inputs);
    verify::RunOptions options;
    options.seed = inputs.seed;
    options.wholeInputs = false;
    WW_TRY(run, m_workers.run(*m_program, m_program->launch, options, deadline));
    if (const auto flaw = judgeRun(run); flaw.status != TrialStatus::Ok) {
        return fail(ErrorCode::InvalidSpec, "the reference itself fails with " + std::string(toString(flaw.status)) + ": " + flaw.message,
                    m_task->spec.file.string());
    }
    return std::move(run);
}

Result<std::vector<std::vector<double>>> OriginalProgram::outputs(const spec::WorkloadSpec& workload, const Inputs& inputs,
                                                                  std::chrono::nanoseconds deadline) {
    WW_TRY(done, run(workload, inputs, deadline));
    std::vector<std::vector<double>> outputs;
    std::size_t at = 0;
    for (const auto& argument : m_program->launch.arguments) {
        if (!argument.output) continue;
        const auto bytes = done.outputs[at++];
        std::vector<double> values(argument.elements);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = loadAsDouble(argument.type, bytes.data() + i * sizeOf(argument.type));
        outputs.push_back(std::move(values));
    }
    return outputs;
}

}  // namespace ww::engine
