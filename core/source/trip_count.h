// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "source/lanes.h"

namespace ww::source {

struct TripCount {
    std::string_view variable;
    Term trips;  ///< if nothing leaves the loop early
};

/// Iterations of `for (i = a; i < b; i += c)` and its kin, where a, b and c are made of parameters.
[[nodiscard]] std::optional<TripCount> tripCount(TSNode forStatement, const LaneAnalysis& lanes);

}  // namespace ww::source
