// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "spec/pragma_cursor.h"

namespace ww::spec {

/// What a C++ expression of a pragma is in our own language, and what is known of its value without evaluating it.
struct PragmaValue {
    enum class Type { Bool, Int, Float, Text, None };
    std::string text;
    Type type = Type::Int;
    bool negative = false;  ///< may be below zero: then C++'s division, which truncates, is not Python's, which floors
    int precedence = 0;     ///< of the outermost operator; an atom by default in atom()

    [[nodiscard]] static PragmaValue atom(std::string text, Type type, bool negative = false);
};

/// What a name stands for. Errors: InvalidExpression for an unknown one.
using PragmaNames = std::function<Result<PragmaValue>(const source::Token& name)>;

/// Reads one expression of C++: integers, floats, strings, true, false, null; ! ~ + - * / % << >> < <= > >= == != & ^ | &&
/// || ?:; round, ceil, floor, div_ceil, float, min, max, abs. The result means the same in our language: whole division truncates,
/// a remainder has the dividend's sign, && and || are true or false. Errors: ParseError, InvalidExpression, each with line and column.
[[nodiscard]] Result<PragmaValue> readPragmaExpression(PragmaCursor& cursor, const PragmaNames& names);

}  // namespace ww::spec
