// SPDX-License-Identifier: Apache-2.0
#include "policy/exhaustive_strategy.h"

namespace ww::policy {

namespace {

constexpr std::size_t kChunk = 8192;

}  // namespace

ExhaustiveStrategy::ExhaustiveStrategy(space::SearchSpace space) : m_space(std::move(space)) {}

void ExhaustiveStrategy::restart() {
    m_ahead.clear();
    m_last.reset();
}

void ExhaustiveStrategy::fill(const ProposalContext& context) {
    m_space.forEachValid(
        [&](const space::Configuration& configuration) {
            if (m_last && configuration <= *m_last) return true;
            if (!context.tried.contains(configuration)) m_ahead.push_back(configuration);
            return m_ahead.size() < kChunk;
        },
        &context.mask);
    if (!m_ahead.empty()) m_last = m_ahead.back();
}

Result<std::vector<Proposal>> ExhaustiveStrategy::propose(int n, const ProposalContext& context) {
    // A lifted pin or ban lets in configurations that lie before the cursor.
    if (m_mask != context.mask) {
        restart();
        m_mask = context.mask;
    }
    std::vector<Proposal> proposals;
    while (static_cast<int>(proposals.size()) < n) {
        if (m_ahead.empty()) fill(context);
        if (m_ahead.empty()) break;
        space::Configuration next = std::move(m_ahead.front());
        m_ahead.pop_front();
        if (context.tried.contains(next)) continue;
        proposals.push_back({++m_lastId, std::move(next), "exhaustive", Json{}});
    }
    return proposals;
}

Result<void> ExhaustiveStrategy::observe(const Observation&) {
    return {};
}

void ExhaustiveStrategy::forget(std::uint64_t) {
    // What was forgotten is due again once the mask lets it in; `tried` keeps the rest from coming twice.
    restart();
}

}  // namespace ww::policy
