// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "expr/value.h"

namespace ww::source {

/// Folds C++ arithmetic over literals: integers of any base, suffix and digit separators, floats, true and false, + - * / % << >>
/// & | ^ ~ ! comparisons, && || ?: and parentheses. nullopt for anything else: names, casts, overflow, division by zero.
/// Integer arithmetic is 64 bits wide; a value that C++ would wrap at 32 bits is folded as written.
[[nodiscard]] std::optional<expr::Value> foldLiteral(std::string_view text);

}  // namespace ww::source
