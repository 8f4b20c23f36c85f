// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "expr/value.h"

namespace ww::expr {

/// Python literals as they stand in the text. Errors carry no place: the parser adds it.
[[nodiscard]] Result<Value> integerLiteral(std::string_view text);
[[nodiscard]] Result<Value> floatLiteral(std::string_view text);
/// With prefix and quotes; formatted and bytes literals are refused.
[[nodiscard]] Result<std::string> stringLiteral(std::string_view text);

}  // namespace ww::expr
