// SPDX-License-Identifier: Apache-2.0
#include "policy/ppo/gae.h"

namespace ww::policy {

std::vector<double> gae(std::span<const GaeStep> steps, double gamma, double lambda) {
    std::vector<double> advantages(steps.size());
    double trace = 0;
    for (std::size_t i = steps.size(); i-- > 0;) {
        const GaeStep& step = steps[i];
        const double error = step.reward + gamma * step.nextValue - step.value;
        trace = error + (step.last ? 0.0 : gamma * lambda * trace);
        advantages[i] = trace;
    }
    return advantages;
}

}  // namespace ww::policy
