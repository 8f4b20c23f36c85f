// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/rng.h"
#include "policy/strategy.h"
#include "space/search_space.h"

namespace ww::policy {

/// A uniform draw from the valid configurations that the mask allows and `tried` lacks; nullopt where none is left.
/// Draws with rejection while that is likely to succeed. A run of refusals means that few are left: they are then
/// enumerated, so the last ones are found too.
[[nodiscard]] std::optional<space::Configuration> sampleUntried(const space::SearchSpace& space, const space::ValueMask& mask,
                                                                const TriedSet& tried, SplitMix64& rng);

}  // namespace ww::policy
