// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "source/device_code.h"
#include "source/lanes.h"

namespace ww::source {

/// What a declarator says about the storage it takes.
struct ArrayBytes {
    std::vector<std::string> extents;  ///< as written, outermost first
    std::string bytes;                 ///< expression over parameters; empty where it cannot be told
    std::string whyNot;
};

/// For `type name[a][b]`.
[[nodiscard]] ArrayBytes arrayBytes(std::string_view type, TSNode declarator, const LaneAnalysis& lanes);

/// A `__shared__` declarator with its bytes.
[[nodiscard]] SharedArray sharedArray(TSNode declaration, TSNode declarator, bool dynamic, const LaneAnalysis& lanes);

}  // namespace ww::source
