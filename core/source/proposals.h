// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expr/value.h"

namespace ww::source {

/// A domain for a parameter of a bare source, or why there is none.
struct Proposal {
    std::vector<expr::Value> values;  ///< ascending, default included; empty where none is sensible
    std::string whyNot;
    bool tunable = true;              ///< false where changing the value would be wrong, not merely unguided
};

/// Judged from name, value and spelling alone; `text` tells 0xffffffff from 4294967295.
[[nodiscard]] Proposal propose(std::string_view name, const expr::Value& value, std::string_view text);

}  // namespace ww::source
