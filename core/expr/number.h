// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <cstring>

#include "expr/node.h"
#include "expr/value.h"

namespace ww::expr {

/// A plain number in 16 bytes: what constraints compute with. Object stands for a string, tuple or None held elsewhere,
/// Error for a value that could not be computed.
struct Number {
    enum class Type : std::uint8_t { Bool, Int, Float, Object, Error };
    Type type = Type::Error;
    union {
        std::int64_t integer = 0;  ///< Bool, Int; Object: its index
        double real;               ///< Float
    };

    [[nodiscard]] static Number ofBool(bool value) noexcept { return make(Type::Bool, value ? 1 : 0); }
    [[nodiscard]] static Number ofInt(std::int64_t value) noexcept { return make(Type::Int, value); }
    [[nodiscard]] static Number ofFloat(double value) noexcept {
        Number number;
        number.type = Type::Float;
        number.real = value;
        return number;
    }
    [[nodiscard]] static Number ofObject(std::int64_t index) noexcept { return make(Type::Object, index); }
    [[nodiscard]] static Number error() noexcept { return make(Type::Error, 0); }

    [[nodiscard]] bool isNumber() const noexcept { return type <= Type::Float; }
    [[nodiscard]] bool isFloat() const noexcept { return type == Type::Float; }
    [[nodiscard]] double asDouble() const noexcept { return isFloat() ? real : static_cast<double>(integer); }
    [[nodiscard]] bool truthy() const noexcept { return isFloat() ? real != 0.0 : integer != 0; }
    [[nodiscard]] std::uint64_t bits() const noexcept {
        std::uint64_t raw;
        std::memcpy(&raw, &integer, sizeof raw);
        return raw;
    }
    /// Same type and same bits.
    bool operator==(const Number& other) const noexcept { return type == other.type && bits() == other.bits(); }

private:
    static Number make(Type type, std::int64_t value) noexcept {
        Number number;
        number.type = type;
        number.integer = value;
        return number;
    }
};

/// Why an operation has no result; nullptr in Outcome::problem means that it has one.
struct Outcome {
    Number value;
    const char* problem = nullptr;
};

/// Python's operators on numbers. Both sides must be numbers.
[[nodiscard]] Outcome applyUnary(Op op, const Number& operand) noexcept;
[[nodiscard]] Outcome applyBinary(Op op, const Number& left, const Number& right) noexcept;
/// Python compares int with float exactly, without rounding the int. Unordered where one is NaN.
[[nodiscard]] std::partial_ordering compareNumbers(const Number& left, const Number& right) noexcept;
[[nodiscard]] bool applyComparison(Op op, const Number& left, const Number& right) noexcept;
/// Python's functions of one number: abs, int, float, bool, round, ceil, floor, log2, sqrt.
[[nodiscard]] Outcome applyFunction(Function function, const Number& operand) noexcept;
/// round(number, digits).
[[nodiscard]] Outcome roundTo(const Number& operand, std::int64_t digits) noexcept;

/// The number in a Value; the value must be one.
[[nodiscard]] Number numberOf(const Value& value);
[[nodiscard]] Value valueOf(const Number& number);

}  // namespace ww::expr
