// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "policy/strategy.h"

namespace ww::policy {

/// Every valid configuration once, in lexicographic order of the domains.
class ExhaustiveStrategy final : public Strategy {
public:
    explicit ExhaustiveStrategy(space::SearchSpace space);

    [[nodiscard]] std::string_view name() const noexcept override { return "exhaustive"; }
    [[nodiscard]] Result<std::vector<Proposal>> propose(int n, const ProposalContext& context) override;
    [[nodiscard]] Result<void> observe(const Observation& observation) override;
    void forget(std::uint64_t proposalId) override;

private:
    void fill(const ProposalContext& context);
    void restart();

    space::SearchSpace m_space;
    /// The next configurations in order. Enumeration can only start at the front of the space, so it is done in large chunks.
    std::deque<space::Configuration> m_ahead;
    std::optional<space::Configuration> m_last;  ///< the last one that went into m_ahead
    space::ValueMask m_mask;                     ///< the mask that m_ahead was filled under
    std::uint64_t m_lastId = 0;
};

}  // namespace ww::policy
