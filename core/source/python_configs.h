// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "source/source_model.h"
#include "source/syntax_tree.h"

namespace ww::source {

/// Reads the value of autotune's `configs` without running Python: lists, sums of lists, comprehensions over literal lists and
/// ranges, module variables and functions that return one of these. What cannot be read is left out; at most 4096 configurations.
[[nodiscard]] std::vector<AutotuneConfig> readConfigs(TSNode configs, TSNode module, std::string_view text);

}  // namespace ww::source
