// SPDX-License-Identifier: Apache-2.0
#include "expr/number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

namespace ww::expr {

namespace {

constexpr const char* kOverflow = "the result does not fit into a 64-bit integer";
constexpr const char* kDivision = "division by zero";
constexpr double kTwo63 = 9223372036854775808.0;

Outcome problem(const char* text) noexcept { return {Number::error(), text}; }
Outcome ofInt(std::int64_t value) noexcept { return {Number::ofInt(value), nullptr}; }
Outcome ofFloat(double value) noexcept { return {Number::ofFloat(value), nullptr}; }

Outcome integerFrom(double whole) noexcept {
    if (std::isnan(whole)) return problem("NaN has no integer value");
    if (!(whole >= -kTwo63 && whole < kTwo63)) return problem(kOverflow);
    return ofInt(static_cast<std::int64_t>(whole));
}

Outcome floatPower(double base, double exponent) noexcept {
    if (base == 0.0 && exponent < 0.0) return problem("0 cannot be raised to a negative power");
    if (base < 0.0 && std::isfinite(base) && std::isfinite(exponent) && std::floor(exponent) != exponent) {
        return problem("a negative number to a fractional power is complex");
    }
    const double power = std::pow(base, exponent);
    if (std::isinf(power) && std::isfinite(base) && std::isfinite(exponent)) return problem("the result is too large for a float");
    return ofFloat(power);
}

Outcome integerPower(std::int64_t base, std::int64_t exponent) noexcept {
    if (exponent < 0) return floatPower(static_cast<double>(base), static_cast<double>(exponent));
    std::int64_t result = 1;
    for (;;) {
        if (exponent & 1) {
            if (__builtin_mul_overflow(result, base, &result)) return problem(kOverflow);
        }
        exponent >>= 1;
        if (exponent == 0) return ofInt(result);
        // 0, 1 and -1 stay small under any exponent; anything else overflows within 63 squarings.
        if (__builtin_mul_overflow(base, base, &base)) return problem(kOverflow);
    }
}

Outcome shift(Op op, std::int64_t value, std::int64_t count) noexcept {
    if (count < 0) return problem("negative shift count");
    if (op == Op::Shr) return ofInt(value >> std::min<std::int64_t>(count, 63));
    if (value == 0) return ofInt(0);
    if (count > 62) {
        return value == -1 && count == 63 ? ofInt(std::numeric_limits<std::int64_t>::min()) : problem(kOverflow);
    }
    const std::int64_t result = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << count);
    return (result >> count) == value ? ofInt(result) : problem(kOverflow);
}

Outcome integerBinary(Op op, std::int64_t a, std::int64_t b) noexcept {
    std::int64_t result = 0;
    switch (op) {
    case Op::Add: return __builtin_add_overflow(a, b, &result) ? problem(kOverflow) : ofInt(result);
    case Op::Sub: return __builtin_sub_overflow(a, b, &result) ? problem(kOverflow) : ofInt(result);
    case Op::Mul: return __builtin_mul_overflow(a, b, &result) ? problem(kOverflow) : ofInt(result);
    case Op::Div:
        if (b == 0) return problem(kDivision);
        // long double holds every 64-bit int, so that only the quotient is rounded.
        return ofFloat(static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b)));
    case Op::FloorDiv:
        if (b == 0) return problem(kDivision);
        if (b == -1) return __builtin_sub_overflow(std::int64_t{0}, a, &result) ? problem(kOverflow) : ofInt(result);
        return ofInt(a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
    case Op::Mod:
        if (b == 0) return problem("modulo by zero");
        if (b == -1) return ofInt(0);
        result = a % b;
        return ofInt(result != 0 && (result < 0) != (b < 0) ? result + b : result);
    case Op::Pow: return integerPower(a, b);
    case Op::And: return ofInt(a & b);
    case Op::Or: return ofInt(a | b);
    case Op::Xor: return ofInt(a ^ b);
    case Op::Shl:
    case Op::Shr: return shift(op, a, b);
    default: return problem("not an operator of integers");
    }
}

// CPython's float_divmod: the sign of the remainder follows the divisor, the quotient is floored and corrected.
Outcome floatFloor(Op op, double a, double b) noexcept {
    if (b == 0.0) return problem(op == Op::Mod ? "modulo by zero" : kDivision);
    double remainder = std::fmod(a, b);
    double quotient = (a - remainder) / b;
    if (remainder != 0.0) {
        if ((b < 0.0) != (remainder < 0.0)) {
            remainder += b;
            quotient -= 1.0;
        }
    } else {
        remainder = std::copysign(0.0, b);
    }
    if (op == Op::Mod) return ofFloat(remainder);
    if (quotient == 0.0) return ofFloat(std::copysign(0.0, a / b));
    const double floored = std::floor(quotient);
    return ofFloat(quotient - floored > 0.5 ? floored + 1.0 : floored);
}

Outcome floatBinary(Op op, double a, double b) noexcept {
    switch (op) {
    case Op::Add: return ofFloat(a + b);
    case Op::Sub: return ofFloat(a - b);
    case Op::Mul: return ofFloat(a * b);
    case Op::Div: return b == 0.0 ? problem(kDivision) : ofFloat(a / b);
    case Op::FloorDiv:
    case Op::Mod: return floatFloor(op, a, b);
    case Op::Pow: return floatPower(a, b);
    default: return problem("bit operators need integers, not floats");
    }
}

std::partial_ordering compareIntFloat(std::int64_t a, double b) noexcept {
    if (std::isnan(b)) return std::partial_ordering::unordered;
    if (b >= kTwo63) return std::partial_ordering::less;
    if (b < -kTwo63) return std::partial_ordering::greater;
    const double whole = std::floor(b);
    const auto truncated = static_cast<std::int64_t>(whole);
    if (a != truncated) return a < truncated ? std::partial_ordering::less : std::partial_ordering::greater;
    return b > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

// Half to even at a power of ten left of the point; `fraction` says that digits right of the point were cut off.
Outcome roundLeft(std::int64_t value, std::int64_t digits, bool fraction) noexcept {
    if (digits > 18) return ofInt(0);
    std::int64_t power = 1;
    for (std::int64_t i = 0; i < digits; ++i)
        power *= 10;
    const bool negative = value < 0;
    const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const auto unit = static_cast<std::uint64_t>(power);
    std::uint64_t quotient = magnitude / unit;
    const std::uint64_t rest = magnitude % unit;
    const std::uint64_t half = unit / 2;
    if (rest > half || (rest == half && unit > 1 && (fraction || quotient % 2 == 1))) ++quotient;
    std::int64_t result = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(quotient), power, &result)) return problem(kOverflow);
    return ofInt(negative ? -result : result);
}

}  // namespace

Outcome applyUnary(Op op, const Number& operand) noexcept {
    if (op == Op::Not) return {Number::ofBool(!operand.truthy()), nullptr};
    if (operand.isFloat()) {
        if (op == Op::Invert) return problem("bit operators need integers, not floats");
        return ofFloat(op == Op::Minus ? -operand.real : operand.real);
    }
    if (op == Op::Invert) return ofInt(~operand.integer);
    if (op == Op::Plus) return ofInt(operand.integer);
    return integerBinary(Op::Sub, 0, operand.integer);
}

Outcome applyBinary(Op op, const Number& left, const Number& right) noexcept {
    if (left.isFloat() || right.isFloat()) return floatBinary(op, left.asDouble(), right.asDouble());
    const bool bits = op == Op::And || op == Op::Or || op == Op::Xor;
    const Outcome outcome = integerBinary(op, left.integer, right.integer);
    if (bits && left.type == Number::Type::Bool && right.type == Number::Type::Bool) {
        return {Number::ofBool(outcome.value.integer != 0), nullptr};
    }
    return outcome;
}

std::partial_ordering compareNumbers(const Number& left, const Number& right) noexcept {
    if (left.isFloat() && right.isFloat()) return left.real <=> right.real;
    if (right.isFloat()) return compareIntFloat(left.integer, right.real);
    if (left.isFloat()) return 0 <=> compareIntFloat(right.integer, left.real);
    return left.integer <=> right.integer;
}

bool applyComparison(Op op, const Number& left, const Number& right) noexcept {
    const std::partial_ordering order = compareNumbers(left, right);
    switch (op) {
    case Op::Eq: return order == 0;
    case Op::Ne: return order != 0;
    case Op::Lt: return order < 0;
    case Op::Le: return order <= 0;
    case Op::Gt: return order > 0;
    case Op::Ge: return order >= 0;
    default: return false;
    }
}

Outcome applyFunction(Function function, const Number& operand) noexcept {
    const bool real = operand.isFloat();
    switch (function) {
    case Function::Abs:
        if (real) return ofFloat(std::fabs(operand.real));
        return operand.integer < 0 ? integerBinary(Op::Sub, 0, operand.integer) : ofInt(operand.integer);
    case Function::Int: return real ? integerFrom(std::trunc(operand.real)) : ofInt(operand.integer);
    case Function::Float: return ofFloat(operand.asDouble());
    case Function::Bool: return {Number::ofBool(operand.truthy()), nullptr};
    case Function::Round: return real ? integerFrom(std::nearbyint(operand.real)) : ofInt(operand.integer);
    case Function::Ceil: return real ? integerFrom(std::ceil(operand.real)) : ofInt(operand.integer);
    case Function::Floor: return real ? integerFrom(std::floor(operand.real)) : ofInt(operand.integer);
    case Function::Log2:
        if (operand.asDouble() <= 0.0) return problem("log2 needs a positive number");
        return ofFloat(std::log2(operand.asDouble()));
    case Function::Sqrt:
        if (operand.asDouble() < 0.0) return problem("sqrt needs a number that is not negative");
        return ofFloat(std::sqrt(operand.asDouble()));
    default: return problem("not a function of one number");
    }
}

Outcome roundTo(const Number& operand, std::int64_t digits) noexcept {
    if (!operand.isFloat()) return digits >= 0 ? ofInt(operand.integer) : roundLeft(operand.integer, -digits, false);
    const double value = operand.real;
    if (!std::isfinite(value) || digits > 330) return ofFloat(value);
    if (digits >= 0) {
        // glibc prints the exact binary value, half to even, which is what CPython's dtoa does.
        char text[800];
        std::snprintf(text, sizeof text, "%.*f", static_cast<int>(digits), value);
        return ofFloat(std::strtod(text, nullptr));
    }
    if (std::fabs(value) >= 9e18) return problem("round() with negative digits needs a number below 9e18");
    const double whole = std::trunc(value);
    const Outcome outcome = roundLeft(static_cast<std::int64_t>(whole), -digits, whole != value);
    if (outcome.problem) return outcome;
    return ofFloat(std::copysign(static_cast<double>(outcome.value.integer), value));
}

Number numberOf(const Value& value) {
    if (value.isFloat()) return Number::ofFloat(value.asDouble());
    return value.isBool() ? Number::ofBool(value.asBool()) : Number::ofInt(value.asInt());
}

Value valueOf(const Number& number) {
    if (number.isFloat()) return Value(number.real);
    return number.type == Number::Type::Bool ? Value(number.integer != 0) : Value(number.integer);
}

}  // namespace ww::expr
