// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/node.h"

namespace ww::expr {

struct Parsed {
    Node root;
    std::vector<std::string> names;  ///< free names, first use first
};

/// Reads and checks an expression. Errors: InvalidExpression with the column.
[[nodiscard]] Result<Parsed> parseExpression(std::string_view text);

/// "column 5", or "line 2, column 5" in a text of several lines.
[[nodiscard]] std::string placeOf(std::string_view text, std::size_t offset);

/// An InvalidExpression error at a place of `text`.
[[nodiscard]] Unexpected expressionError(std::string_view text, std::size_t offset, const std::string& message);

}  // namespace ww::expr
