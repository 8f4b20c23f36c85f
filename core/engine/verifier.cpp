// SPDX-License-Identifier: Apache-2.0
#include "engine/verifier.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/hash.h"
#include "base/units.h"
#include "engine/candidate.h"
#include "verify/compare.h"

namespace ww::engine {
namespace {

/// References quicker than this are computed for fresh inputs in every trial; slower ones for two sets of inputs, in turn.
constexpr double kCheapReferenceSeconds = 0.25;

std::chrono::nanoseconds untilDeadline(std::int64_t deadlineNs) {
    return std::chrono::nanoseconds(std::max<std::int64_t>(deadlineNs - monotonicNs(), 1));
}

}  // namespace

Verifier::Verifier(std::shared_ptr<const Task> task, Workers& workers, std::uint64_t seed)
    : m_task(std::move(task)), m_workers(workers), m_seed(seed), m_original(m_task, workers),
      m_reference(m_task, [this](const auto& workload, auto inputs) { return m_original.run(workload, inputs, untilDeadline(m_deadlineNs)); }) {}

std::uint64_t Verifier::seedFor(const spec::WorkloadSpec& workload, const Occasion& occasion) const {
    const bool fresh = workload.name != m_task->workload.name || m_referenceSeconds < kCheapReferenceSeconds;
    const auto draw = static_cast<std::uint64_t>(fresh ? 2 * occasion.trial + occasion.round : (occasion.trial + occasion.round) % 2);
    return deriveSeed(m_seed ^ nameHash(workload.name), draw);
}

Result<Flaw> Verifier::verify(Program& program, const Occasion& occasion, Json& report) {
    m_deadlineNs = occasion.deadlineNs;
    std::vector<spec::WorkloadSpec> workloads;
    if (occasion.round == 0) {
        // Small edge shapes first: they are cheap and find most bugs.
        workloads = spec::edgeWorkloads(m_task->spec, m_task->workload, m_task->space.scopeFor(program.configuration));
    }
    workloads.push_back(m_task->workload);
    for (const auto& workload : workloads) {
        if (m_droppedEdges.contains(workload.name)) continue;
        auto found = check(program, workload, occasion, report);
        const bool derived = m_task->spec.findWorkload(workload.name) == nullptr;
        if (occasion.baseline && derived && (!found ? found.error().code == ErrorCode::InvalidSpec : found->status != TrialStatus::Ok)) {
            // A shape of our own making that the original cannot do, or the reference cannot: it proves nothing about candidates.
            m_droppedEdges.insert(workload.name);
            m_notes.push_back("the edge shape " + workload.name + " is not checked: the original kernel or the reference fails there (" +
                              (found ? found->message : found.error().message) + ")");
            continue;
        }
        if (!found || found->status != TrialStatus::Ok) return found;
    }
    return Flaw{};
}

Result<Flaw> Verifier::check(Program& program, const spec::WorkloadSpec& workload, const Occasion& occasion, Json& report) {
    auto launch = launchFor(*m_task, program.configuration, workload);
    if (!launch) return Flaw{TrialStatus::LaunchError, launch.error().toString()};
    if (launch->empty) return Flaw{};
    const auto seed = seedFor(workload, occasion);
    WW_TRY(run, m_workers.run(program, *launch, seed, (occasion.trial + occasion.round) % 2, untilDeadline(m_deadlineNs)));
    auto flaw = judgeRun(run);
    Json entry{{"workload", workload.name}, {"seed", seed}};
    for (const auto& [name, size] : workload.sizes) entry["sizes"][name] = size;
    if (flaw.status == TrialStatus::Ok) {
        // The candidate's outputs are copied before anything else uses the arena, the reference kernel included.
        std::vector<std::vector<std::byte>> outputs;
        for (auto& view : run.outputs) {
            outputs.emplace_back(view.begin(), view.end());
            view = outputs.back();
        }
        WW_TRY(expected, m_reference.expected(*launch, workload, seed));
        if (workload.name == m_task->workload.name) m_referenceSeconds = expected->seconds;
        WW_TRY(compared, compare(*launch, run, *expected, workload.name, entry));
        flaw = std::move(compared);
    } else {
        entry["reason"] = flaw.message;
    }
    entry["passed"] = flaw.status == TrialStatus::Ok;
    report.push_back(std::move(entry));
    return flaw;
}

Result<Flaw> Verifier::compare(const spec::ResolvedLaunch& launch, const worker::RunResult& run, const Expected& expected,
                               const std::string& workload, Json& entry) const {
    Flaw flaw;
    std::size_t at = 0;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        const auto check = verify::makeCheck(argument, m_task->spec.tolerance);
        WW_TRY(compared, verify::compareOutput(check, run.outputs[at], std::span<const double>(expected.outputs[at])));
        entry["outputs"].push_back(compared.toJson());
        if (!compared.pass && flaw.status == TrialStatus::Ok) {
            flaw = {TrialStatus::WrongResult, "\"" + argument.name + "\" is wrong: " + compared.reason + " (workload " + workload + ")"};
            for (const auto& unwritten : run.unwrittenOutputs) flaw.message += "; " + unwritten;
        }
        ++at;
    }
    return flaw;
}

}  // namespace ww::engine
