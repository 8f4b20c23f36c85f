// SPDX-License-Identifier: Apache-2.0
#include "engine/finalists.h"

#include <algorithm>

namespace ww::engine {
namespace {

store::MeasuredRecord asMeasured(const store::TrialRecord& trial) {
    store::MeasuredRecord measured;
    measured.trialNumber = trial.number;
    measured.config = trial.config;
    measured.timeNs = trial.timeNs.value_or(0);
    measured.timeCi = trial.timeCi.value_or(Interval{});
    measured.ratio = trial.ratio.value_or(1.0);
    measured.ratioCi = trial.ratioCi.value_or(Interval{1.0, 1.0});
    measured.verdict = trial.verdict.value_or(Verdict::Ambiguous);
    return measured;
}

}  // namespace

std::vector<const store::TrialRecord*> chooseFinalists(const std::vector<store::TrialRecord>& trials, const space::SearchSpace& space,
                                                       std::size_t count) {
    const int baseline = baselineNumber(trials);
    std::vector<const store::TrialRecord*> chosen;
    for (const auto& trial : trials) {
        if (trial.number == baseline || trial.status != TrialStatus::Ok || !trial.timeNs || trial.sharedWith) continue;
        const auto configuration = space.fromJson(trial.config);
        if (configuration && space.isValid(*configuration)) chosen.push_back(&trial);
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) { return *a->timeNs < *b->timeNs; });
    if (chosen.size() > count) {
        // What the user asked for is measured with the best, however it did.
        const auto rest = chosen.begin() + static_cast<std::ptrdiff_t>(count);
        chosen.erase(std::remove_if(rest, chosen.end(), [](const auto* trial) { return trial->origin != "user"; }), chosen.end());
    }
    return chosen;
}

int baselineNumber(const std::vector<store::TrialRecord>& trials) {
    const auto found = std::find_if(trials.begin(), trials.end(),
                                    [](const auto& trial) { return trial.origin == "baseline" && trial.status == TrialStatus::Ok; });
    return found == trials.end() ? 0 : found->number;
}

std::vector<store::MeasuredRecord> rankFinalists(std::vector<store::MeasuredRecord> measured) {
    if (measured.size() < 2) return measured;
    std::rotate(measured.begin(), measured.begin() + 1, measured.end());
    std::stable_sort(measured.begin(), measured.end() - 1, [](const auto& a, const auto& b) { return a.timeNs < b.timeNs; });
    return measured;
}

std::optional<store::MeasuredRecord> bestOf(const std::vector<store::TrialRecord>& trials, const std::vector<store::MeasuredRecord>& ranked) {
    if (ranked.size() >= 2) {
        return ranked.front().timeNs <= ranked.back().timeNs ? ranked.front() : ranked.back();
    }
    const store::TrialRecord* best = nullptr;
    for (const auto& trial : trials) {
        if (trial.status == TrialStatus::Ok && trial.timeNs && (best == nullptr || *trial.timeNs < *best->timeNs)) best = &trial;
    }
    if (best == nullptr) return std::nullopt;
    return asMeasured(*best);
}

}  // namespace ww::engine
