// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/trial_status.h"
#include "store/records.h"

namespace ww::reward {

/// How a trial's figures become one number (DESIGN.md section 6).
///  - Composite: 0.7 s + 0.2 b + 0.1 c, or (0.7 s + 0.1 c) / 0.8 where the session has no roof figures.
///  - Literal: 0.7 throughput ratio + 0.2 (1 - DRAM utilisation) + 0.1 (1 or -5), as first published; kept for comparison.
///  - Latency: baseline time / candidate time, one launch at a time. Throughput: ratio of items per second.
enum class Objective { Composite, Literal, Latency, Throughput };

[[nodiscard]] std::string_view toString(Objective objective) noexcept; ///< "composite", ...
/// Errors: InvalidArgument naming the objectives there are.
[[nodiscard]] Result<Objective> objectiveFrom(std::string_view word);
[[nodiscard]] std::vector<std::string> objectiveNames();

/// What is known of a trial. Unset figures were not measured; none is ever guessed.
struct RewardInput {
    TrialStatus status = TrialStatus::Ok;
    std::optional<Verdict> verdict;
    std::optional<double> ratio;           ///< paired baseline time / candidate time
    std::optional<double> floorRatio;      ///< baseline time / physical floor: no honest ratio is above it
    std::optional<double> dramFraction;    ///< DRAM bandwidth used, 0 to 1 of the peak
    std::optional<double> issueFraction;   ///< issue-active, 0 to 1
    std::optional<double> throughputRatio; ///< items per second, candidate / baseline
    bool rejectedEarly = false;            ///< clearly worse: its profile was not taken
    std::optional<double> gradientError;   ///< relative error of the gradient check, where one was asked for
    double gradientTolerance = 1e-3;       ///< c falls linearly from 1 at this error to 0 at 10 times it
};

/// Rewards of one session: the objective and whether roof figures exist are fixed at its start, so that trials compare.
class RewardFunction {
public:
    RewardFunction(Objective objective, bool hasRoof) : m_objective(objective), m_hasRoof(hasRoof) {}

    /// The reward with its parts apart; `total` is unset where the policy must not learn from the trial (unstable,
    /// worker_lost, cancelled). Errors: InvalidArgument naming the figure that the objective needs and the trial lacks.
    [[nodiscard]] Result<store::RewardRecord> evaluate(const RewardInput& input) const;

    /// What PPO learns from: log s in place of s, gates divided by 10. nullopt where `record.total` is unset.
    [[nodiscard]] std::optional<double> learning(const store::RewardRecord& record, TrialStatus status) const;

    /// "composite/1", "composite/1 without roof", ...: name and version of the formula.
    [[nodiscard]] std::string formula(bool withRoof) const;

private:
    Objective m_objective;
    bool m_hasRoof;
};

/// The gate of a status: -10, -8 or -5; nullopt where the trial gets the formula (ok) or no reward at all.
[[nodiscard]] std::optional<double> gateFor(TrialStatus status) noexcept;

} // namespace ww::reward
