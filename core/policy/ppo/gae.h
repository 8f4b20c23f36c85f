// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace ww::policy {

/// One step of a trajectory for gae().
struct GaeStep {
    double reward = 0;
    double value = 0;       ///< V(s_t)
    double nextValue = 0;   ///< V(s_t+1)
    bool last = false;      ///< the trace ends here: of the episode, or of what is known so far
};

/// Generalised advantage estimation (Schulman et al. 2016). An episode of ours ends because its trials are used up, not
/// because the search has reached a final state, so the step after the last is bootstrapped with nextValue and never
/// counted as 0. Empty in, empty out.
[[nodiscard]] std::vector<double> gae(std::span<const GaeStep> steps, double gamma, double lambda);

}  // namespace ww::policy
