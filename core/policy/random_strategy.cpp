// SPDX-License-Identifier: Apache-2.0
#include "policy/random_strategy.h"

#include "base/hash.h"
#include "policy/untried.h"

namespace ww::policy {

RandomStrategy::RandomStrategy(space::SearchSpace space, const StrategyOptions& options)
    : m_space(std::move(space)), m_rng(deriveSeed(options.seed, nameHash("policy/random"))) {}

Result<std::vector<Proposal>> RandomStrategy::propose(int n, const ProposalContext& context) {
    std::vector<Proposal> proposals;
    TriedSet taken = context.tried;
    while (static_cast<int>(proposals.size()) < n) {
        std::optional<space::Configuration> drawn = sampleUntried(m_space, context.mask, taken, m_rng);
        if (!drawn) break;
        taken.insert(*drawn);
        proposals.push_back({++m_lastId, std::move(*drawn), "random", Json{}});
    }
    return proposals;
}

Result<void> RandomStrategy::observe(const Observation&) {
    return {};
}

}  // namespace ww::policy
