// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/value.h"

namespace ww::expr {

enum class Kind : std::uint8_t {
    Literal,
    Name,           ///< free name, looked up in the Scope
    Local,          ///< variable of the enclosing comprehension, by `slot`
    Slot,           ///< input of a Program, by `slot`
    Tuple,
    Unary,
    Binary,
    Compare,        ///< chain: children a, b, c with ops between them
    And,
    Or,
    Conditional,    ///< children: condition, then, else
    Subscript,
    Comprehension,  ///< children: element, source, conditions...; `slot` variables are unpacked
    Call,
};

enum class Op : std::uint8_t {
    Plus, Minus, Not, Invert,                                       // unary
    Add, Sub, Mul, Div, FloorDiv, Mod, Pow, And, Or, Xor, Shl, Shr,  // binary
    Eq, Ne, Lt, Le, Gt, Ge, In, NotIn,                              // comparison
};

enum class Function : std::uint8_t {
    Range, List, Tuple, Min, Max, Abs, Len, Sum, Int, Float, Bool, Round, Str, All, Any, Pow, Ceil, Floor, Log2, Sqrt,
};

/// Operator as written: "//", "not in".
[[nodiscard]] const char* toString(Op op) noexcept;

/// Node of a checked expression tree. Immutable once the parser or a rewriting pass has returned it.
struct Node {
    Kind kind = Kind::Literal;
    Op op = Op::Plus;
    Function function = Function::Range;
    std::uint32_t offset = 0;   ///< first byte in the text
    std::uint32_t length = 0;   ///< bytes in the text
    std::uint32_t slot = 0;     ///< Local, Slot: index; Comprehension: number of variables
    Value value;                ///< Literal
    std::string name;           ///< Name
    std::vector<Node> children;
    std::vector<Op> ops;        ///< Compare
};

}  // namespace ww::expr
