// SPDX-License-Identifier: Apache-2.0
#include "engine/verify_configuration.h"

#include "base/rng.h"
#include "base/units.h"
#include "engine/candidate.h"
#include "engine/log_excerpt.h"
#include "engine/verifier.h"

namespace ww::engine {
namespace {

/// A person waits for this, and wants everything: the time limit of a trial counts several times.
constexpr double kPatience = 4;

/// Compiles and loads; a failure is the Flaw.
Result<Flaw> prepare(const Task& task, Workers& workers, Program& program) {
    WW_TRY(candidate, makeCandidate(task, program.configuration));
    WW_TRY(job, workers.compilers().waitFor(workers.compilers().submit(candidate.request)));
    if (job.result.status != TrialStatus::Ok) return Flaw{job.result.status, firstProblem(job.result.log)};
    program.object = std::move(job.result);
    auto launch = launchFor(task, program.configuration, task.workload);
    if (!launch) return Flaw{TrialStatus::LaunchError, launch.error().toString()};
    program.launch = std::move(*launch);
    WW_TRY(loaded, workers.load(program));
    return Flaw{loaded.first.status, loaded.first.message};
}

}  // namespace

Result<Json> verifyConfiguration(const SessionOptions& options, const std::string& text) {
    WW_TRY(device, findDevice(options.device));
    WW_TRY(loaded, loadTask(options.specPath, device, options.workload));
    const auto task = std::make_shared<const Task>(std::move(loaded));
    WW_TRY(configuration, task->space.parse(text, task->space.defaultConfiguration()));
    WW_TRY(workers, Workers::start(*task, options.allowNoSandbox, {}));
    Verifier verifier(task, *workers, options.seed.value_or(drawSeed()));
    Program program;
    program.configuration = configuration;
    Json checks = Json::array(), gradient;
    WW_TRY(flaw, prepare(*task, *workers, program));
    const auto deadline = monotonicNs() + static_cast<std::int64_t>(kPatience * task->spec.limits.trialSeconds * 1e9);
    // The default stands for the original; it may be dropped from shapes that it cannot do, any other configuration may not.
    const bool isDefault = configuration == task->space.defaultConfiguration();
    for (int round = 0; round < 2 && flaw.status == TrialStatus::Ok; ++round) {
        WW_TRY(found, verifier.verify(program, {1, round, isDefault && round == 0, deadline}, checks));
        flaw = std::move(found);
    }
    if (flaw.status == TrialStatus::Ok) {
        WW_TRY(checked, verifier.checkGradient(program, {1, 0, false, deadline}));
        gradient = std::move(checked);
    }
    return Json{{"kernel", task->spec.name},
                {"workload", task->workload.name},
                {"device", {{"name", device.name}, {"uuid", device.uuid}, {"kind", device::toString(device.kind)}}},
                {"config", task->space.toJson(configuration)},
                {"reference", verifier.describe()},
                {"correct", flaw.status == TrialStatus::Ok},
                {"status", toString(flaw.status)},
                {"message", flaw.message},
                {"checks", std::move(checks)},
                {"notes", verifier.takeNotes()},
                {"gradient", std::move(gradient)},
                {"sandbox", sandbox::toString(workers->level())}};
}

}  // namespace ww::engine
