// SPDX-License-Identifier: Apache-2.0
#include "engine/session_record.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "engine/finalists.h"

namespace ww::engine {

store::SessionRecord describeSession(const Task& task, const SessionOptions& options) {
    store::SessionRecord record;
    record.kernel = task.spec.name;
    record.title = task.spec.title.empty() ? task.spec.name : task.spec.title;
    std::error_code failed;
    const auto opened = std::filesystem::absolute(options.specPath, failed);
    record.specPath = (failed ? options.specPath : opened.lexically_normal()).string();
    record.device = task.device.toJson();
    record.workload = task.workload.name;
    record.strategy = options.strategy;
    record.objective = options.objective.empty() ? task.spec.objective : options.objective;
    record.seed = options.seed.value_or(0);
    record.budgetTrials = options.trials;
    record.budgetSeconds = options.seconds;
    record.startedAt = utcNow();
    record.sourceText = task.source.text;
    record.sourcePath = task.spec.kernelFile.string();
    record.entry = task.spec.kernelName;
    record.specJson = spec::toT1(task.spec);
    for (const auto& parameter : task.space.parameters()) {
        store::ParameterRecord row;
        row.name = parameter.name;
        row.site = space::toString(parameter.site);
        row.scale = space::toString(parameter.scale);
        row.label = parameter.label;
        row.effect = parameter.effect;
        row.values = Json::array();
        for (const auto& value : parameter.values) row.values.push_back(value.toJson());
        row.defaultValue = parameter.values[parameter.defaultIndex].toJson();
        record.parameters.push_back(std::move(row));
    }
    const auto refusals = task.space.rejectedBy();
    record.constraints = Json::array();
    for (const auto& constraint : task.space.constraints()) {
        Json entry{{"id", constraint.id}, {"sentence", constraint.sentence}, {"text", constraint.expression.text()}};
        if (const auto found = refusals.find(constraint.id); found != refusals.end()) entry["refuses"] = found->second.value;
        record.constraints.push_back(std::move(entry));
    }
    const auto valid = task.space.countValid();
    record.facts = {{"cartesian", task.space.cartesianSize()}, {"valid", valid.value}, {"valid_exact", valid.exact}};
    return record;
}

void fillProgress(encode::Inputs& inputs, const std::vector<store::TrialRecord>& trials, int bestTrial) {
    auto& progress = inputs.progress;
    double rewards = 0;
    int rewarded = 0;
    std::optional<std::int64_t> bestNs;
    for (const auto& trial : trials) {
        switch (trial.status) {
        case TrialStatus::Ok:
            if (trial.timeNs && (!bestNs || *trial.timeNs < *bestNs)) {
                bestNs = trial.timeNs;
                ++progress.improvements;
            }
            break;
        case TrialStatus::CompileError:
        case TrialStatus::CompileTimeout: ++progress.failedCompile; break;
        case TrialStatus::WrongResult:
        case TrialStatus::Nondeterministic:
        case TrialStatus::CheatSuspected: ++progress.failedCheck; break;
        default: ++progress.failedRun;
        }
        if (trial.reward.total) {
            rewards += *trial.reward.total;
            ++rewarded;
        }
        if (trial.number == bestTrial) progress.bestRatio = trial.ratio;
    }
    progress.trials = static_cast<int>(trials.size());
    progress.failed = progress.failedCompile + progress.failedCheck + progress.failedRun;
    progress.sinceImprovement = bestTrial > 0 ? progress.trials - bestTrial : progress.trials;
    if (rewarded > 0) progress.meanReward = rewards / rewarded;
    if (!trials.empty()) {
        progress.lastRatio = trials.back().ratio;
        progress.lastReward = trials.back().reward.total;
        progress.lastStatus = trials.back().status;
    }
}

Json toJson(const store::MeasuredRecord& measured) {
    return {{"config", measured.config},
            {"time_ns", measured.timeNs},
            {"ci", {measured.timeCi.low, measured.timeCi.high}},
            {"ratio", measured.ratio},
            {"ratio_ci", {measured.ratioCi.low, measured.ratioCi.high}},
            {"verdict", toString(measured.verdict)}};
}

Json summaryDocument(const store::SessionRecord& session, const std::vector<store::TrialRecord>& trials,
                     const std::vector<store::MeasuredRecord>& finalists, const store::StageTimes& total, double deviceSeconds,
                     double wallSeconds) {
    Json byStatus = Json::object();
    for (const auto status : kAllTrialStatuses) {
        const auto count = std::count_if(trials.begin(), trials.end(), [&](const auto& trial) { return trial.status == status; });
        if (count > 0) byStatus[std::string(toString(status))] = count;
    }
    Json baseline;
    const int baselineTrial = baselineNumber(trials);
    if (finalists.size() >= 2) {
        baseline = toJson(finalists.back());
    } else if (baselineTrial > 0) {
        const auto& trial = trials[static_cast<std::size_t>(baselineTrial - 1)];
        const auto ci = trial.timeCi.value_or(Interval{});
        baseline = {{"config", trial.config}, {"time_ns", trial.timeNs.value_or(0)}, {"ci", {ci.low, ci.high}}};
    }
    const auto best = bestOf(trials, finalists);
    const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
    const double busy = seconds(total.proposeNs + total.compileNs + total.verifyNs + total.benchNs + total.profileNs + total.storeNs);
    const double savedNs = best && baseline.is_object() ? baseline.value("time_ns", 0.0) - static_cast<double>(best->timeNs) : 0.0;
    const Json breakEven = savedNs > 0 ? Json(std::ceil(deviceSeconds * 1e9 / savedNs)) : Json();
    return {{"session", session.id},
            {"kernel", session.kernel},
            {"workload", session.workload},
            {"strategy", session.strategy},
            {"seed", session.seed},
            {"device", {{"name", session.device.value("name", "")}, {"uuid", session.device.value("uuid", "")}, {"kind", session.device.value("kind", "")}}},
            {"trials", trials.size()},
            {"by_status", byStatus},
            {"noise_floor", session.noiseFloor},
            {"baseline", baseline},
            {"best", best ? toJson(*best) : Json()},
            {"stage_seconds",
             {{"propose", seconds(total.proposeNs)},
              {"compile", seconds(total.compileNs)},
              {"verify", seconds(total.verifyNs)},
              {"bench", seconds(total.benchNs)},
              {"profile", seconds(total.profileNs)},
              {"store", seconds(total.storeNs)},
              {"idle", std::max(0.0, wallSeconds - busy)}}},
            {"gpu_seconds", deviceSeconds},
            {"compile_seconds", seconds(total.compileNs)},
            {"break_even_launches", breakEven},
            {"wall_seconds", wallSeconds},
            {"sandbox", session.sandbox}};
}

}  // namespace ww::engine
