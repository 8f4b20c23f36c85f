// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/reference.h"

namespace ww::engine {

/// Why a task proves nothing: its outputs are the same for two sets of random inputs, or have next to no variance, so that a
/// kernel which writes constants would pass. Nothing where it is sound, or where it cannot be told (one element, no random input).
[[nodiscard]] std::optional<std::string> findDegenerate(const spec::ResolvedLaunch& launch, const Expected& first, const Expected& second,
                                                        const spec::ToleranceSpec& tolerance);

}  // namespace ww::engine
