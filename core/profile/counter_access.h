// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ww::profile {

/// What to do about a refusal of CUPTI's (a CUptiResult): permission, virtual GPU, confidential computing, MIG, WSL, another
/// profiler at work. Empty for results that are no matter of permission or set-up.
[[nodiscard]] std::string remedyFor(int cuptiResult);

} // namespace ww::profile
