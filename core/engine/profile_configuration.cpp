// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"
#include "engine/bencher.h"
#include "engine/candidate.h"
#include "engine/log_excerpt.h"
#include "engine/profiler.h"
#include "engine/session_record.h"
#include "engine/verifier.h"

namespace ww::engine {
namespace {

constexpr int kSamples = 50;

Result<Program> compileProgram(const Task& task, Workers& workers, const space::Configuration& configuration) {
    WW_TRY(candidate, makeCandidate(task, configuration));
    WW_TRY(job, workers.compilers().waitFor(workers.compilers().submit(candidate.request)));
    if (job.result.status != TrialStatus::Ok) {
        return fail(ErrorCode::Unsupported, "this configuration does not compile: " + firstProblem(job.result.log),
                    task.space.display(configuration));
    }
    Program program;
    program.configuration = configuration;
    program.object = std::move(job.result);
    WW_TRY(launch, launchFor(task, configuration, task.workload));
    if (launch.empty)
        return fail(ErrorCode::InvalidArgument,
                    "the grid of workload " + task.workload.name + " has no block: there is nothing to profile");
    program.launch = std::move(launch);
    return program;
}

Result<device::FunctionFacts> loadProgram(const Task& task, Workers& workers, Program& program) {
    WW_TRY(loaded, workers.load(program));
    if (loaded.first.status == TrialStatus::Ok) return loaded.second;
    return fail(ErrorCode::Unsupported,
                "this configuration cannot be loaded (" + std::string(toString(loaded.first.status)) + "): " + loaded.first.message,
                task.space.display(program.configuration));
}

} // namespace

Result<Json> profileConfiguration(const SessionOptions& options, const std::string& text, profile::MetricSet set) {
    WW_TRY(device, findDevice(options.device));
    WW_TRY(loaded, loadTask(options.specPath, device, options.workload));
    const auto task = std::make_shared<const Task>(std::move(loaded));
    WW_TRY(configuration, task->space.parse(text, task->space.defaultConfiguration()));
    const auto seed = options.seed.value_or(drawSeed());
    WW_TRY(workers, Workers::start(*task, options.allowNoSandbox, {}));
    WW_TRY(program, compileProgram(*task, *workers, configuration));
    WW_TRY(function, loadProgram(*task, *workers, program));
    // The profile worker is not sandboxed as the device worker is: nothing unverified may reach it.
    Verifier verifier(task, *workers, seed);
    Json checks = Json::array();
    const auto deadline = monotonicNs() + static_cast<std::int64_t>(task->spec.limits.trialSeconds * 1e9);
    WW_TRY(flaw, verifier.verify(program, {1, 0, false, deadline}, checks));
    if (flaw.status != TrialStatus::Ok) {
        return fail(ErrorCode::Unsupported,
                    "this configuration is not profiled, since it is not correct (" + std::string(toString(flaw.status)) +
                        "): " + flaw.message,
                    task->space.display(configuration));
    }
    Bencher bencher(task, *workers, seed);
    std::vector<Program> programs{std::move(program)};
    WW_TRY(measured, bencher.measureTogether(programs, kSamples));
    Profiler profiler(task, seed, {});
    WW_TRY(found, profiler.profile(programs.front(), {function, static_cast<double>(measured.front().timeNs)}, set));
    const auto& reason = profiler.noCounters();
    return Json{{"kernel", task->spec.name},
                {"workload", task->workload.name},
                {"device", {{"name", device.name}, {"uuid", device.uuid}, {"kind", device::toString(device.kind)}}},
                {"config", task->space.toJson(configuration)},
                {"time_ns", measured.front().timeNs},
                {"sandbox", sandbox::toString(workers->level())},
                {"profile_sandbox", profiler.level()},
                {"counters", {{"available", reason.empty()}, {"reason", reason}}},
                {"profile", found.toJson()}};
}

} // namespace ww::engine
