// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "policy/feasibility_model.h"

namespace ww::policy {

/// Any strategy, with what would likely fail to compile or launch put last. Never refuses: what was put last is proposed when
/// the model comes to think better of it, when the strategy has nothing better, and every now and then as a probe, so that a
/// wrong model meets the trials that correct it.
///
/// A draw that is put last is forgotten by the inner strategy at once: it was never tried, has no outcome and teaches
/// nothing. It is hidden from the strategy as if it had been tried. When the model changes its mind it is hidden no longer, and
/// the strategy draws it again, or not, with the log-probability of that time; a probe or last resort is ours (id 0, origin
/// "deferred"). So every log-probability that is learned from is that of the draw that made the trial. Engine thread only.
class ScreenedStrategy final : public Strategy {
public:
    ScreenedStrategy(std::unique_ptr<Strategy> inner, FeasibilityModel model);

    [[nodiscard]] std::string_view name() const noexcept override { return m_inner->name(); }
    [[nodiscard]] Result<std::vector<Proposal>> propose(int n, const ProposalContext& context) override;
    [[nodiscard]] Result<void> observe(const Observation& observation) override;
    void recall(const Observation& observation) override;
    void forget(std::uint64_t proposalId) override;
    [[nodiscard]] std::optional<Probabilities> probabilities(const ProposalContext& context) override { return m_inner->probabilities(context); }
    /// The inner strategy's figures and ours: screen/deferred, screen/put_last, screen/probes, screen/last_resorts, screen/model_trials.
    [[nodiscard]] Json diagnostics() const override;
    /// The inner strategy's alone: the model is a function of the trials (recall).
    [[nodiscard]] Result<std::string> checkpoint() const override { return m_inner->checkpoint(); }
    [[nodiscard]] Result<void> restore(std::string_view bytes) override { return m_inner->restore(bytes); }

    /// Whether a forecast is bad enough to be put last.
    [[nodiscard]] static bool likelyFails(const Forecast& forecast) noexcept;

private:
    struct Deferred {
        space::Configuration configuration;
        Forecast forecast;
    };
    void review(const ProposalContext& context);
    void defer(space::Configuration configuration, const Forecast& forecast);
    [[nodiscard]] std::optional<Proposal> takeLeastBad();
    [[nodiscard]] Result<void> askInner(std::size_t wanted, const ProposalContext& context, std::vector<Proposal>& accepted);

    std::unique_ptr<Strategy> m_inner;
    FeasibilityModel m_model;
    std::deque<Deferred> m_deferred;   ///< oldest first, bounded
    std::size_t m_reviewedAt = 0;      ///< fittedTrials() of the forecasts in m_deferred
    std::uint64_t m_proposed = 0, m_putLast = 0, m_probes = 0, m_lastResorts = 0;
};

}  // namespace ww::policy
