// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "policy/strategy.h"

namespace ww::policy {

/// Uniform over the valid configurations, without repeats: the baseline that any other strategy has to beat.
class RandomStrategy final : public Strategy {
public:
    RandomStrategy(space::SearchSpace space, const StrategyOptions& options);

    [[nodiscard]] std::string_view name() const noexcept override { return "random"; }
    [[nodiscard]] Result<std::vector<Proposal>> propose(int n, const ProposalContext& context) override;
    [[nodiscard]] Result<void> observe(const Observation& observation) override;

private:
    space::SearchSpace m_space;
    SplitMix64 m_rng;
    std::uint64_t m_lastId = 0;
};

}  // namespace ww::policy
