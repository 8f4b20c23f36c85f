// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "space/search_space.h"

namespace ww::space {

/// The built-in rules that keep a launch within the device's limits. `localSize` holds up to three expression texts for block
/// x, y, z; `dynamicSharedBytes` may be empty. The expressions use the spec's names; the limits are the device facts
/// (max_threads_per_block, max_block_x/y/z, smem_per_block_optin), which must be among Options::constants.
/// Ids: rule:block_positive_{x,y,z}, rule:block_{x,y,z}, rule:block_threads, rule:shared_memory.
/// Errors: InvalidArgument for more than three sizes; those of Expression::parse.
[[nodiscard]] Result<std::vector<Constraint>> deviceRules(const std::vector<std::string>& localSize, const std::string& dynamicSharedBytes);

}  // namespace ww::space
