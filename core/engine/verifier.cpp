// SPDX-License-Identifier: Apache-2.0
#include "engine/verifier.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/hash.h"
#include "base/units.h"
#include "engine/candidate.h"
#include "engine/degenerate.h"
#include "engine/gradient.h"
#include "verify/compare.h"

namespace ww::engine {
namespace {

/// Optional checks are left out once this share of the time until the deadline is spent.
constexpr double kOptionalShare = 0.25;
/// Launches that differ by more than this (relative L2) are no rounding in another order, whatever the original does.
constexpr double kLargestSpread = 0.1;

std::chrono::nanoseconds untilDeadline(std::int64_t deadlineNs) {
    return std::chrono::nanoseconds(std::max<std::int64_t>(deadlineNs - monotonicNs(), 1));
}

std::string figure(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/// " (workload edge-odd with M = 33, N = 35; heavy-tailed inputs of seed 17)"
std::string placeOf(const Check& check) {
    std::string place = " (workload " + check.workload.name;
    std::string sizes;
    for (const auto& [name, size] : check.workload.sizes) sizes += (sizes.empty() ? " with " : ", ") + name + " = " + std::to_string(size);
    place += sizes;
    place += "; " + std::string(toString(check.inputs.family)) + " inputs of seed " + std::to_string(check.inputs.seed);
    if (check.hidden) place += "; this shape was drawn after the compile, and every shape known before was right";
    return place + ")";
}

std::uint64_t digestOf(const worker::RunResult& run) {
    std::uint64_t digest = 0;
    for (const auto& bytes : run.outputs) digest = digest64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, digest);
    return digest;
}

}  // namespace

Verifier::Verifier(std::shared_ptr<const Task> task, Workers& workers, std::uint64_t seed)
    : m_task(std::move(task)), m_workers(workers), m_seed(seed), m_planner(m_task, seed), m_referenceProgram(m_task, workers, true),
      m_original(m_task, workers, false), m_reference(m_task, [this](const auto& workload, const auto& inputs) {
          return m_referenceProgram.outputs(workload, inputs, untilDeadline(m_occasion.deadlineNs));
      }) {}

void Verifier::standIn(const space::Configuration& configuration) {
    m_referenceProgram.standIn(configuration);
    m_original.standIn(configuration);
}

Result<Flaw> Verifier::verify(Program& program, const Occasion& occasion, Json& report) {
    m_occasion = occasion;
    m_earlier.clear();
    const auto begin = monotonicNs();
    const auto share = static_cast<std::int64_t>(kOptionalShare * static_cast<double>(occasion.deadlineNs - begin));
    for (const auto& check : m_planner.plan(program.configuration, occasion)) {
        if (m_planner.dropped(check) || (check.optional && monotonicNs() - begin > share)) continue;
        const auto start = monotonicNs();
        auto found = perform(program, check, report);
        if (check.workload.name == m_task->workload.name) m_planner.setTunedSeconds(static_cast<double>(monotonicNs() - start) * 1e-9);
        const bool known = check.workload.name == m_task->workload.name || m_task->spec.findWorkload(check.workload.name) != nullptr;
        const bool asGiven = known && check.inputs.family == spec::InputFamily::Uniform && !check.offset;
        const bool failed = !found ? found.error().code == ErrorCode::InvalidSpec : found->status != TrialStatus::Ok;
        if (failed && !asGiven && (occasion.baseline || !found || originalFails(check))) {
            dropFor(check, found ? found->message : found.error().message);
            report.erase(report.size() - 1);
            continue;
        }
        if (!found || found->status != TrialStatus::Ok) return found;
    }
    if (occasion.baseline) WW_CHECK(checkTask(program.configuration));
    return Flaw{};
}

Result<Flaw> Verifier::perform(Program& program, const Check& check, Json& report) {
    Json entry{{"workload", check.workload.name},
               {"seed", check.inputs.seed},
               {"family", toString(check.inputs.family)},
               {"launches", check.launches},
               {"poison", check.poison},
               {"passed", false}};
    for (const auto& [name, size] : check.workload.sizes) entry["sizes"][name] = size;
    if (check.hidden) entry["hidden"] = true;
    if (check.offset) entry["offset"] = true;
    auto found = [&]() -> Result<Flaw> {
        auto resolved = launchFor(*m_task, program.configuration, check.workload);
        if (!resolved) return Flaw{TrialStatus::LaunchError, resolved.error().toString()};
        if (resolved->empty) return Flaw{};
        const auto launch = prepared(std::move(*resolved), check);
        verify::RunOptions options{check.inputs.seed, check.poison, check.launches};
        options.wholeInputs = check.wholeInputs;
        WW_TRY(run, m_workers.run(program, launch, options, untilDeadline(m_occasion.deadlineNs)));
        auto flaw = judgeRun(run);
        if (flaw.status != TrialStatus::Ok) {
            flaw.message += placeOf(check);
            return flaw;
        }
        // Running a reference program overwrites the arena that the outputs lie in.
        std::vector<std::vector<std::byte>> kept;
        if (m_reference.usesDevice()) {
            for (auto& view : run.outputs) view = kept.emplace_back(view.begin(), view.end());
        }
        WW_TRY(expected, m_reference.expected(launch, check.workload, check.inputs));
        if (check.workload.name == m_task->workload.name) m_planner.setReferenceSeconds(expected->seconds);
        return compare(launch, run, *expected, check, entry);
    }();
    entry["passed"] = found && found->status == TrialStatus::Ok;
    if (found && found->status != TrialStatus::Ok) entry["reason"] = found->message;
    report.push_back(std::move(entry));
    return found;
}

spec::ResolvedLaunch Verifier::prepared(spec::ResolvedLaunch launch, const Check& check) const {
    launch = withInputs(std::move(launch), check.inputs);
    if (!check.offset) return launch;
    for (auto& argument : launch.arguments) {
        const auto* given = m_task->spec.findArgument(argument.name);
        if (given != nullptr && argument.memory == spec::MemoryKind::Vector) argument.alignment = given->alignment;
    }
    return launch;
}

Result<Flaw> Verifier::compare(const spec::ResolvedLaunch& launch, const worker::RunResult& run, const Expected& expected, const Check& check,
                               Json& entry) {
    Flaw flaw;
    if (m_occasion.baseline && run.repeats.differing > 0 && judgeRepeats(launch, run.repeats, expected).status != TrialStatus::Ok && !m_varies) {
        m_varies = true;
        m_notes.push_back("the original itself gives another \"" + run.repeats.output +
                          "\" each time on the same inputs: it counts as nondeterministic by design, and tolerances widen to 3 times each kernel's own spread");
    }
    std::size_t at = 0;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        auto settings = verify::makeCheck(argument, m_task->spec.tolerance);
        settings.poison = verify::poisonByte(check.poison);
        const auto spread = std::ranges::find(run.repeats.spreads, argument.name, [](const auto& one) { return one.first; });
        if (m_varies && spread != run.repeats.spreads.end() && spread->second.relative <= kLargestSpread) {
            settings.relativeSpread = spread->second.relative;
            settings.absoluteSpread = spread->second.absolute;
        }
        WW_TRY(compared, verify::compareOutput(settings, run.outputs[at], std::span<const double>(expected.outputs[at])));
        entry["outputs"].push_back(compared.toJson());
        if (!compared.pass && flaw.status == TrialStatus::Ok) {
            flaw = {TrialStatus::WrongResult, "\"" + argument.name + "\" is wrong: " + compared.reason + placeOf(check)};
            for (const auto& unwritten : run.unwrittenOutputs) flaw.message += "; " + unwritten;
        }
        ++at;
    }
    if (run.repeats.launches > 1) entry["repeats"] = run.repeats.toJson();
    const auto known = recognise(run, check);
    if (flaw.status != TrialStatus::Ok) return known.value_or(flaw);
    flaw = judgeRepeats(launch, run.repeats, expected);
    if (flaw.status != TrialStatus::Ok) flaw.message += placeOf(check);
    return flaw;
}

std::optional<Flaw> Verifier::recognise(const worker::RunResult& run, const Check& check) {
    const auto digest = digestOf(run);
    const auto earlier = std::ranges::find_if(m_earlier, [&](const Earlier& one) { return one.digest == digest && one.seed != check.inputs.seed; });
    const bool found = earlier != m_earlier.end();
    const auto seed = found ? earlier->seed : 0;
    m_earlier.push_back({digest, check.inputs.seed});
    if (!found) return std::nullopt;
    return Flaw{TrialStatus::CheatSuspected, "the outputs are, bit for bit, those it gave for other inputs (seed " + std::to_string(seed) +
                                                 "): it returns an earlier result, or constants" + placeOf(check)};
}

Flaw Verifier::judgeRepeats(const spec::ResolvedLaunch& launch, const verify::Repeats& repeats, const Expected& expected) const {
    if (repeats.differing == 0) return {};
    if (repeats.unwritten > 0) {
        return {TrialStatus::CheatSuspected, "launch " + std::to_string(repeats.firstDiffering) + " on the same inputs left " +
                                                 std::to_string(repeats.unwritten) + " elements of \"" + repeats.output +
                                                 "\" unwritten that the first one wrote: it does not do its work each time"};
    }
    std::size_t at = 0;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        const auto& want = expected.outputs[at++];
        const auto spread = std::ranges::find(repeats.spreads, argument.name, [](const auto& one) { return one.first; });
        if (spread == repeats.spreads.end()) continue;
        const auto settings = verify::makeCheck(argument, m_task->spec.tolerance);
        const double allowed = settings.tolerance.relative.value_or(verify::defaultRelativeTolerance(argument.type));
        double largest = 0;
        for (const double value : want) largest = std::isfinite(value) ? std::max(largest, std::fabs(value)) : largest;
        const auto [relative, absolute] = spread->second;
        // Sums in another order differ by rounding; that is told, and no fault.
        const bool rounding = isFloating(argument.type) && relative <= allowed && absolute <= std::max(10 * allowed * largest, settings.tolerance.absolute.value_or(0.0));
        if (rounding || (m_varies && relative <= kLargestSpread)) continue;
        return {TrialStatus::Nondeterministic, std::to_string(repeats.differing) + " of " + std::to_string(repeats.launches - 1) +
                                                   " further launches on the same inputs gave another \"" + argument.name + "\", first in launch " +
                                                   std::to_string(repeats.firstDiffering) + " (" + std::to_string(repeats.elements) +
                                                   " elements of \"" + repeats.output + "\", first at [" + std::to_string(repeats.index) +
                                                   "]); they are " + figure(relative) + " apart in relative L2 where " + figure(allowed) +
                                                   " is rounding: look for a race, a missing barrier, or state kept between launches"};
    }
    return {};
}

bool Verifier::originalFails(const Check& check) {
    const auto limit = untilDeadline(m_occasion.deadlineNs);
    auto configuration = m_task->space.defaultConfiguration();
    const auto launch = launchFor(*m_task, configuration, check.workload);
    if (!launch) return true;
    auto run = m_original.run(check.workload, check.inputs, limit);
    if (!run) return run.error().code == ErrorCode::InvalidSpec;
    std::vector<std::vector<std::byte>> kept;
    for (const auto& view : run->outputs) kept.emplace_back(view.begin(), view.end());
    const auto expected = m_reference.expected(withInputs(*launch, check.inputs), check.workload, check.inputs);
    if (!expected) return expected.error().code == ErrorCode::InvalidSpec;
    std::size_t at = 0;
    for (const auto& argument : launch->arguments) {
        if (!argument.output) continue;
        const auto compared = verify::compareOutput(verify::makeCheck(argument, m_task->spec.tolerance), kept[at], std::span<const double>((*expected)->outputs[at]));
        if (!compared || !compared->pass) return true;
        ++at;
    }
    return false;
}

void Verifier::dropFor(const Check& check, const std::string& reason) {
    std::string what = check.workload.name, words = "the shape " + check.workload.name;
    if (check.inputs.family != spec::InputFamily::Uniform) {
        what = toString(check.inputs.family);
        words = what + " inputs";
    } else if (check.hidden) {
        what = "hidden";
        words = "shapes drawn at random";
    } else if (check.offset) {
        what = "offset";
        words = "buffers at their least alignment";
    }
    m_planner.drop(what);
    m_notes.push_back(words + " are not checked in this session, since the original kernel or the reference fails there: " + reason);
}

Result<void> Verifier::checkTask(const space::Configuration& configuration) {
    WW_TRY(launch, launchFor(*m_task, configuration, m_task->workload));
    if (launch.empty) return {};
    WW_TRY(first, m_reference.expected(launch, m_task->workload, {m_planner.tunedSeed(0)}));
    WW_TRY(second, m_reference.expected(launch, m_task->workload, {m_planner.tunedSeed(1)}));
    if (const auto reason = findDegenerate(launch, *first, *second, m_task->spec.tolerance)) {
        return fail(ErrorCode::InvalidSpec, *reason, m_task->spec.file.empty() ? m_task->spec.kernelFile.string() : m_task->spec.file.string());
    }
    return m_task->spec.gradientCheck ? canCheckGradient(m_task->spec, launch) : Result<void>{};
}

Result<std::vector<std::vector<double>>> Verifier::outputsOf(Program& program, const spec::WorkloadSpec& workload, const Inputs& inputs, Flaw& flaw) {
    WW_TRY(plain, launchFor(*m_task, program.configuration, workload));
    const auto launch = withInputs(std::move(plain), inputs);
    WW_TRY(run, m_workers.run(program, launch, {inputs.seed}, untilDeadline(m_occasion.deadlineNs)));
    flaw = judgeRun(run);
    std::vector<std::vector<double>> outputs;
    std::size_t at = 0;
    for (const auto& argument : launch.arguments) {
        if (flaw.status != TrialStatus::Ok) break;
        if (!argument.output) continue;
        const auto bytes = run.outputs[at++];
        auto& values = outputs.emplace_back(argument.elements);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = loadAsDouble(argument.type, bytes.data() + i * sizeOf(argument.type));
    }
    return outputs;
}

Result<Json> Verifier::checkGradient(Program& program, const Occasion& occasion) {
    if (!m_task->spec.gradientCheck) return Json();
    m_occasion = occasion;
    const auto shape = gradientShape(*m_task, program.configuration);
    WW_TRY(launch, launchFor(*m_task, program.configuration, shape));
    const double step = gradientStep(launch);
    const auto seed = m_planner.tunedSeed(occasion.trial);
    Flaw flaw;
    Response candidate, reference;
    for (const double nudge : {step, -step}) {
        const Inputs inputs{seed, spec::InputFamily::Uniform, nudge};
        WW_TRY(outputs, outputsOf(program, shape, inputs, flaw));
        if (flaw.status != TrialStatus::Ok) return Json{{"error", nullptr}, {"reason", flaw.message}};
        (nudge > 0 ? candidate.above : candidate.below) = std::move(outputs);
    }
    for (const double nudge : {step, -step}) {
        WW_TRY(expected, m_reference.expected(launch, shape, {seed, spec::InputFamily::Uniform, nudge}));
        (nudge > 0 ? reference.above : reference.below) = expected->outputs;
    }
    return Json{{"error", gradientError(candidate, reference)}, {"tolerance", gradientTolerance(launch)}, {"step", step}, {"workload", shape.name}};
}

}  // namespace ww::engine
