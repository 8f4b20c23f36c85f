// SPDX-License-Identifier: Apache-2.0
#include "policy/screened_strategy.h"

#include <algorithm>
#include <utility>

namespace ww::policy {

namespace {

/// Above this probability of failing a configuration is put last. Low: another draw costs less than a failed trial.
constexpr double kLimit = 0.2;
/// The same for one that would be among the better ones: the best often lie beside the border, and losing one costs more.
constexpr double kPromisingLimit = 0.6;
/// Draws asked of the strategy per proposal; with all of them put last, the least bad is proposed.
constexpr std::size_t kDrawsPerProposal = 32;
/// One proposal in so many is the least bad of those put last.
constexpr std::uint64_t kProbeEvery = 64;
/// Configurations kept as put last; beyond, the oldest may be drawn (and put last) again.
constexpr std::size_t kCapacity = 1024;

bool allowed(const space::ValueMask& mask, const space::Configuration& configuration) {
    for (std::size_t p = 0; p < mask.size(); ++p)
        if (!mask[p][configuration.index[p]]) return false;
    return true;
}

}  // namespace

ScreenedStrategy::ScreenedStrategy(std::unique_ptr<Strategy> inner, FeasibilityModel model)
    : m_inner(std::move(inner)), m_model(std::move(model)) {}

bool ScreenedStrategy::likelyFails(const Forecast& forecast) noexcept {
    return forecast.failure > (forecast.promising ? kPromisingLimit : kLimit);
}

/// Lets go of what was tried meanwhile, of what a pin or ban excludes, and of what the model now thinks better of.
void ScreenedStrategy::review(const ProposalContext& context) {
    const auto fitted = m_model.fittedTrials();
    const bool changed = std::exchange(m_reviewedAt, fitted) != fitted;
    std::erase_if(m_deferred, [&](Deferred& one) {
        if (context.tried.contains(one.configuration) || !allowed(context.mask, one.configuration)) return true;
        if (!changed) return false;
        const auto forecast = m_model.forecast(one.configuration);
        if (forecast) one.forecast = *forecast;
        return !forecast || !likelyFails(one.forecast);
    });
}

void ScreenedStrategy::defer(space::Configuration configuration, const Forecast& forecast) {
    ++m_putLast;
    m_deferred.push_back({std::move(configuration), forecast});
    if (m_deferred.size() > kCapacity) m_deferred.pop_front();
}

std::optional<Proposal> ScreenedStrategy::takeLeastBad() {
    const auto least = std::ranges::min_element(m_deferred, {}, [](const Deferred& one) { return one.forecast.failure; });
    if (least == m_deferred.end()) return std::nullopt;
    Proposal proposal{0, std::move(least->configuration), "deferred", Json{{"forecast", least->forecast.toJson()}}};
    m_deferred.erase(least);
    return proposal;
}

Result<void> ScreenedStrategy::askInner(std::size_t wanted, const ProposalContext& context, std::vector<Proposal>& accepted) {
    TriedSet hidden = context.tried;
    for (const auto& one : m_deferred) hidden.insert(one.configuration);
    for (const auto& one : accepted) hidden.insert(one.configuration);
    const ProposalContext narrowed{context.state, context.mask, hidden, context.trialsDone, context.trialsBudget, context.incumbent};
    for (std::size_t draws = wanted * kDrawsPerProposal; accepted.size() < wanted && draws > 0;) {
        WW_TRY(proposals, m_inner->propose(static_cast<int>(std::min(wanted - accepted.size(), draws)), narrowed));
        if (proposals.empty()) break;
        for (auto& proposal : proposals) {
            --draws;
            hidden.insert(proposal.configuration);
            const auto forecast = m_model.forecast(proposal.configuration);
            if (forecast && likelyFails(*forecast)) {
                m_inner->forget(proposal.id);
                defer(std::move(proposal.configuration), *forecast);
                continue;
            }
            if (forecast) proposal.note["forecast"] = forecast->toJson();
            accepted.push_back(std::move(proposal));
        }
    }
    return {};
}

Result<std::vector<Proposal>> ScreenedStrategy::propose(int n, const ProposalContext& context) {
    std::vector<Proposal> accepted;
    if (n <= 0) return accepted;
    review(context);
    const auto wanted = static_cast<std::size_t>(n);
    const bool probe = m_reviewedAt > 0 && m_proposed / kProbeEvery != (m_proposed + wanted) / kProbeEvery;
    if (probe) {
        if (auto one = takeLeastBad()) {
            accepted.push_back(std::move(*one));
            ++m_probes;
        }
    }
    WW_CHECK(askInner(wanted, context, accepted));
    while (accepted.size() < wanted) {
        auto one = takeLeastBad();
        if (!one) break;
        accepted.push_back(std::move(*one));
        ++m_lastResorts;
    }
    m_proposed += accepted.size();
    return accepted;
}

Result<void> ScreenedStrategy::observe(const Observation& observation) {
    m_model.observe(observation);
    return m_inner->observe(observation);
}

void ScreenedStrategy::recall(const Observation& observation) {
    m_model.observe(observation);
    m_inner->recall(observation);
}

void ScreenedStrategy::forget(std::uint64_t proposalId) {
    if (proposalId != 0) m_inner->forget(proposalId);
}

Json ScreenedStrategy::diagnostics() const {
    Json figures = m_inner->diagnostics();
    figures["screen/model_trials"] = m_reviewedAt;
    figures["screen/deferred"] = m_deferred.size();
    figures["screen/put_last"] = m_putLast;
    figures["screen/probes"] = m_probes;
    figures["screen/last_resorts"] = m_lastResorts;
    return figures;
}

}  // namespace ww::policy
