// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/trial_status.h"
#include "encode/state_vector.h"
#include "space/search_space.h"

namespace ww::policy {

using encode::StateVector;

using TriedSet = std::unordered_set<space::Configuration, space::ConfigurationHash>;

/// What a strategy may look at when it proposes. References stay valid for the call only.
struct ProposalContext {
    const StateVector& state;
    const space::ValueMask& mask;       ///< pins and bans, effective now
    const TriedSet& tried;              ///< configurations that already have a trial or are in flight
    int trialsDone = 0;
    int trialsBudget = 0;
    /// The best correct configuration so far, if any.
    std::optional<space::Configuration> incumbent;
};

struct Proposal {
    std::uint64_t id = 0;               ///< echoed in the Observation
    space::Configuration configuration;
    std::string origin;                 ///< "init", "policy", "random", "exhaustive", "deferred"
    Json note;                          ///< kept with the trial: log_prob, entropy, ...
};

struct Observation {
    std::uint64_t proposalId = 0;       ///< 0: not ours (baseline, the user's own configuration, history on resume)
    space::Configuration configuration;
    TrialStatus status = TrialStatus::Ok;
    std::optional<double> timeNs;
    std::optional<double> ratio;        ///< baseline / candidate
    std::optional<Verdict> verdict;
    std::optional<double> reward;       ///< R with s; nullopt: no update
    std::optional<double> learningReward;  ///< R with log s, gates / 10; what PPO's GAE uses
    StateVector state{};                ///< the state after this trial
    std::optional<double> registers;    ///< per thread, where the compile said so
    std::optional<double> sharedBytes;  ///< static, per block
};

/// probability[p][v], rows sum to 1; what the window draws under the chips.
using Probabilities = std::vector<std::vector<float>>;

/// Proposes configurations and learns from outcomes. Owned and used by the engine thread alone.
class Strategy {
public:
    virtual ~Strategy() = default;
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    /// Up to n new configurations: valid, allowed by the mask, not in `tried`, pairwise different. Fewer (or none) when the
    /// space is used up.
    [[nodiscard]] virtual Result<std::vector<Proposal>> propose(int n, const ProposalContext& context) = 0;
    [[nodiscard]] virtual Result<void> observe(const Observation& observation) = 0;
    /// A trial that a restored checkpoint has learned from already: for what is a function of the trials and in no checkpoint.
    virtual void recall(const Observation& observation) { (void)observation; }
    /// A proposal that will never run (dropped because of a pin or a stop).
    virtual void forget(std::uint64_t proposalId) { (void)proposalId; }
    /// The marginal probabilities at this state; nullopt where a strategy has none.
    [[nodiscard]] virtual std::optional<Probabilities> probabilities(const ProposalContext& context) { (void)context; return std::nullopt; }
    /// Figures for the curves: losses/approx_kl, losses/clipfrac, losses/entropy, ...; empty object where there are none.
    [[nodiscard]] virtual Json diagnostics() const { return Json::object(); }
    /// Bytes that restore() takes back; empty where there is no state worth keeping.
    [[nodiscard]] virtual Result<std::string> checkpoint() const { return std::string{}; }
    [[nodiscard]] virtual Result<void> restore(std::string_view bytes) { (void)bytes; return {}; }
};

struct StrategyOptions {
    std::uint64_t seed = 0;
    int initBudget = 20;
    double temperature = 0.7;
};

/// `name`: random, exhaustive, ppo, warp. Errors: InvalidArgument with the known names; EnvironmentMissing where the
/// LibTorch module cannot be opened (ppo, warp).
[[nodiscard]] Result<std::unique_ptr<Strategy>> makeStrategy(std::string_view name, const space::SearchSpace& space,
                                                             const StrategyOptions& options);
[[nodiscard]] std::vector<std::string> strategyNames();

}  // namespace ww::policy
