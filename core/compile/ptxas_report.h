// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "compile/compile.h"

namespace ww::compile {

/// Reads what `ptxas -v` says of `entry` (its lowered name) in a compile log: registers, stack, spills, shared and constant
/// bytes. Figures it does not find stay -1; a figure the report leaves out because it is zero becomes 0.
[[nodiscard]] CompileFacts readPtxasReport(std::string_view log, std::string_view entry);

/// Whether the log says that a limit of the chip is exceeded (too much shared or constant memory): a resource error.
[[nodiscard]] bool exceedsLimits(std::string_view log);

}  // namespace ww::compile
