// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "source/functions.h"
#include "source/source_model.h"
#include "source/tokens.h"

namespace ww::source {

/// Constructs that some device may lack, in document order: at most one per id and line, and 16 per id. Judged by tokens, so
/// that syntax errors hide nothing; device-only ones count in device functions and macro bodies, never in host code.
[[nodiscard]] std::vector<Feature> findFeatures(const Tokens& tokens, const Declarations& declarations);

/// Every __shared__ declaration.
[[nodiscard]] std::vector<SharedArray> findSharedArrays(TSNode root, std::string_view text);

}  // namespace ww::source
