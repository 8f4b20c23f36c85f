// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "base/rng.h"
#include "policy/ppo/actor_critic.h"
#include "policy/ppo/descriptors.h"
#include "policy/ppo/ppo_parameters.h"
#include "policy/ppo/transition.h"
#include "policy/ppo/value_statistics.h"
#include "policy/strategy.h"

namespace ww::policy {

/// Proximal policy optimisation over configurations, online. docs/policy.md describes the algorithm and each of its details.
/// The network behind ActorCritic is the only part that knows LibTorch.
class PpoStrategy final : public Strategy {
public:
    PpoStrategy(std::string name, space::SearchSpace space, const StrategyOptions& options, const PpoParameters& parameters,
                std::unique_ptr<ActorCritic> network);

    [[nodiscard]] std::string_view name() const noexcept override { return m_name; }
    [[nodiscard]] Result<std::vector<Proposal>> propose(int n, const ProposalContext& context) override;
    [[nodiscard]] Result<void> observe(const Observation& observation) override;
    void forget(std::uint64_t proposalId) override { m_memory.pending.erase(proposalId); }
    [[nodiscard]] std::optional<Probabilities> probabilities(const ProposalContext& context) override;
    [[nodiscard]] Json diagnostics() const override;
    [[nodiscard]] Result<std::string> checkpoint() const override;
    /// Errors: ParseError (damaged, truncated, no checkpoint), DatabaseVersion (of a newer version), InvalidArgument (of
    /// another space). A refused checkpoint changes nothing.
    [[nodiscard]] Result<void> restore(std::string_view bytes) override;

private:
    /// A configuration drawn from the policy and what is needed to learn from it.
    struct Draw {
        space::Configuration configuration;
        Transition transition;
        double entropy = 0;       ///< mean over parameters with a choice, as a share of the highest possible
        double maskedShare = 0;   ///< share of the values that the masks ruled out
    };
    /// What checkpoint() keeps beside the weights.
    struct Memory {
        ValueStatistics statistics;
        std::deque<Transition> window;              ///< oldest first
        std::map<std::uint64_t, Transition> pending;///< proposed, not yet observed
        space::Configuration anchor;                ///< incumbent of the episode; no index: none
        std::uint64_t lastId = 0, draws = 0, episode = 0, updates = 0, duplicates = 0, fallbacks = 0;
        std::uint32_t episodeTrials = 0, sinceUpdate = 0;
    };

    [[nodiscard]] Result<std::vector<float>> scores(const ProposalContext& context, const DescriptorTable& table);
    [[nodiscard]] std::optional<Draw> draw(const ProposalContext& context, const DescriptorTable& table, const std::vector<float>& scores,
                                           SplitMix64& rng) const;
    [[nodiscard]] std::optional<Proposal> proposeOne(const ProposalContext& context, const TriedSet& taken, const DescriptorTable& table,
                                                     const std::vector<float>& scores);
    [[nodiscard]] Proposal finish(space::Configuration configuration, Transition transition, std::string origin, Json note);
    void followIncumbent(const std::optional<space::Configuration>& incumbent);
    [[nodiscard]] Result<void> update();
    [[nodiscard]] std::uint64_t spaceDigest() const;
    [[nodiscard]] static bool readMemory(ByteReader& in, const space::SearchSpace& space, Memory& memory);

    std::string m_name;
    space::SearchSpace m_space;
    StrategyOptions m_options;
    PpoParameters m_parameters;
    std::unique_ptr<ActorCritic> m_network;
    Memory m_memory;
    UpdateFigures m_figures;
    double m_maskedShare = 0;    ///< of the last draw
    double m_entropy = 0;        ///< of the last draw
};

}  // namespace ww::policy
