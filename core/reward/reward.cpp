// SPDX-License-Identifier: Apache-2.0
#include "reward/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ww::reward {

namespace {

constexpr std::array<std::string_view, 4> kNames{"composite", "literal", "latency", "throughput"};
constexpr double kSpeedWeight = 0.7, kRoofWeight = 0.2, kCorrectnessWeight = 0.1;
/// Raised whenever a formula changes; rewards of different versions are not compared.
constexpr std::string_view kVersion = "/1";
constexpr double kGateScaleForLearning = 0.1;
/// exp(-5): a candidate 150 times slower is as bad as any; keeps one slow trial from drowning a batch of advantages.
constexpr double kSlowestSpeed = 0.0067;

Unexpected missing(std::string_view objective, const std::string& figure) {
    return fail(ErrorCode::InvalidArgument, "the objective " + std::string(objective) + " needs " + figure +
                                                ", which this trial does not have; choose another --objective");
}

/// s: capped by the physical floor, and 1 where the difference may be noise.
double speedOf(double ratio, const RewardInput& input) {
    if (input.verdict == Verdict::Same || input.verdict == Verdict::Ambiguous) return 1.0;
    return input.floorRatio ? std::min(ratio, *input.floorRatio) : ratio;
}

double correctnessOf(const RewardInput& input) {
    if (!input.gradientError) return 1.0;
    const double tolerance = std::max(input.gradientTolerance, 1e-300);
    // A NaN error is no correctness.
    if (!(*input.gradientError > tolerance)) return std::isnan(*input.gradientError) ? 0.0 : 1.0;
    return std::clamp(1.0 - (*input.gradientError - tolerance) / (9.0 * tolerance), 0.0, 1.0);
}

std::optional<double> roofOf(const RewardInput& input) {
    if (!input.dramFraction && !input.issueFraction) return std::nullopt;
    return std::clamp(std::max(input.dramFraction.value_or(0.0), input.issueFraction.value_or(0.0)), 0.0, 1.0);
}

double combine(Objective objective, double speed, const std::optional<double>& roof, double correctness) {
    if (objective == Objective::Latency || objective == Objective::Throughput) return speed;
    if (objective == Objective::Literal) return kSpeedWeight * speed + kRoofWeight * roof.value_or(0.0) + kCorrectnessWeight * correctness;
    if (roof) return kSpeedWeight * speed + kRoofWeight * *roof + kCorrectnessWeight * correctness;
    return (kSpeedWeight * speed + kCorrectnessWeight * correctness) / (kSpeedWeight + kCorrectnessWeight);
}

} // namespace

std::string_view toString(Objective objective) noexcept { return kNames[static_cast<std::size_t>(objective)]; }

std::vector<std::string> objectiveNames() { return {kNames.begin(), kNames.end()}; }

Result<Objective> objectiveFrom(std::string_view word) {
    std::string known;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == word) return static_cast<Objective>(i);
        known += (i > 0 ? ", " : "") + std::string(kNames[i]);
    }
    return fail(ErrorCode::InvalidArgument, "there is no objective '" + std::string(word) + "'; choose one of: " + known);
}

std::optional<double> gateFor(TrialStatus status) noexcept {
    switch (status) {
    case TrialStatus::CompileError:
    case TrialStatus::CompileTimeout: return -10.0;
    case TrialStatus::ResourceError:
    case TrialStatus::LaunchError:
    case TrialStatus::RuntimeError:
    case TrialStatus::Timeout:
    case TrialStatus::OutOfMemory: return -8.0;
    case TrialStatus::WrongResult:
    case TrialStatus::Nondeterministic:
    case TrialStatus::CheatSuspected: return -5.0;
    case TrialStatus::Ok:
    case TrialStatus::Unstable:
    case TrialStatus::WorkerLost:
    case TrialStatus::Cancelled: break;
    }
    return std::nullopt;
}

std::string RewardFunction::formula(bool withRoof) const {
    std::string name = std::string(toString(m_objective)) + std::string(kVersion);
    if (m_objective == Objective::Composite && !withRoof) name += " without roof";
    return name;
}

Result<store::RewardRecord> RewardFunction::evaluate(const RewardInput& input) const {
    store::RewardRecord record;
    record.formula = formula(m_hasRoof);
    if (const auto gate = gateFor(input.status)) {
        record.total = *gate;
        // Wrong results keep their part, so that curves of the parts show where correctness was lost.
        if (*gate == -5.0) record.correctness = m_objective == Objective::Literal ? -5.0 : 0.0;
        return record;
    }
    if (input.status != TrialStatus::Ok) return record;

    const std::optional<double>& measured = m_objective == Objective::Throughput ? input.throughputRatio : input.ratio;
    const std::string_view name = toString(m_objective);
    if (!measured) return missing(name, m_objective == Objective::Throughput ? "a throughput figure" : "a time paired with the baseline");
    if (!(*measured > 0.0) || !std::isfinite(*measured)) return missing(name, "a positive, finite time");
    if (m_objective == Objective::Literal) {
        if (!input.dramFraction) return missing(name, "the DRAM utilisation");
        // As published: no dead zone, no cap, and idle memory is paid for. docs/reward.md tells what is wrong with it.
        record.speed = *measured;
        record.roof = 1.0 - std::clamp(*input.dramFraction, 0.0, 1.0);
    } else {
        record.speed = speedOf(*measured, input);
    }
    record.correctness = correctnessOf(input);
    if (m_objective == Objective::Composite && m_hasRoof) {
        // An early-rejected trial has no profile; it is marked by its formula.
        record.roof = input.rejectedEarly ? std::nullopt : roofOf(input);
        if (!record.roof && !input.rejectedEarly) return missing(name, "the one-pass profile set (DRAM % or issue-active %)");
        record.formula = formula(record.roof.has_value());
        if (!record.roof) record.formula += ", rejected early";
    } else if (input.rejectedEarly) {
        record.formula += ", rejected early";
    }
    record.total = combine(m_objective, *record.speed, record.roof, *record.correctness);
    return record;
}

std::optional<double> RewardFunction::learning(const store::RewardRecord& record, TrialStatus status) const {
    if (!record.total) return std::nullopt;
    if (const auto gate = gateFor(status)) return *gate * kGateScaleForLearning;
    if (!record.speed) return std::nullopt;
    return combine(m_objective, std::log(std::max(*record.speed, kSlowestSpeed)), record.roof, record.correctness.value_or(1.0));
}

} // namespace ww::reward
