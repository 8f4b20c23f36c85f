// SPDX-License-Identifier: Apache-2.0
#include "policy/untried.h"

namespace ww::policy {

namespace {

/// 64 refusals in a row: with 95 % confidence less than 5 % of the valid configurations are untried.
constexpr int kRejectionAttempts = 64;

}  // namespace

std::optional<space::Configuration> sampleUntried(const space::SearchSpace& space, const space::ValueMask& mask, const TriedSet& tried,
                                                  SplitMix64& rng) {
    for (int attempt = 0; attempt < kRejectionAttempts; ++attempt) {
        std::optional<space::Configuration> drawn = space.sample(rng, &mask);
        if (!drawn) return std::nullopt;
        if (!tried.contains(*drawn)) return drawn;
    }
    // Reservoir sampling: one pass, uniform, and only one configuration in memory.
    std::optional<space::Configuration> chosen;
    std::uint64_t seen = 0;
    space.forEachValid(
        [&](const space::Configuration& configuration) {
            if (!tried.contains(configuration) && rng.below(++seen) == 0) chosen = configuration;
            return true;
        },
        &mask);
    return chosen;
}

}  // namespace ww::policy
