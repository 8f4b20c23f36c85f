// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"

namespace ww::expr {

/// A Python value of the subset that specs use: int (64 bits, overflow is an error), bool, float, str, tuple/list, None.
/// Thread-safe as a value type.
class Value {
public:
    using Tuple = std::vector<Value>;
    struct None {
        bool operator==(const None&) const = default;
    };

    Value() = default;  ///< None
    Value(bool value) : m_data(value) {}
    Value(int value) : m_data(static_cast<std::int64_t>(value)) {}
    Value(std::int64_t value) : m_data(value) {}
    Value(double value) : m_data(value) {}
    Value(std::string value) : m_data(std::move(value)) {}
    Value(const char* value) : m_data(std::string(value)) {}
    Value(Tuple value) : m_data(std::move(value)) {}

    [[nodiscard]] bool isNone() const noexcept { return std::holds_alternative<None>(m_data); }
    [[nodiscard]] bool isBool() const noexcept { return std::holds_alternative<bool>(m_data); }
    [[nodiscard]] bool isInt() const noexcept { return std::holds_alternative<std::int64_t>(m_data); }
    [[nodiscard]] bool isFloat() const noexcept { return std::holds_alternative<double>(m_data); }
    [[nodiscard]] bool isString() const noexcept { return std::holds_alternative<std::string>(m_data); }
    [[nodiscard]] bool isTuple() const noexcept { return std::holds_alternative<Tuple>(m_data); }
    [[nodiscard]] bool isNumber() const noexcept { return isBool() || isInt() || isFloat(); }

    [[nodiscard]] bool asBool() const { return std::get<bool>(m_data); }
    [[nodiscard]] std::int64_t asInt() const;  ///< int or bool
    [[nodiscard]] double asDouble() const;     ///< any number
    [[nodiscard]] const std::string& asString() const { return std::get<std::string>(m_data); }
    [[nodiscard]] const Tuple& asTuple() const { return std::get<Tuple>(m_data); }

    /// Python's truth: 0, 0.0, "", (), None and False are false.
    [[nodiscard]] bool truthy() const noexcept;

    /// Python's ==: 1 == 1.0 == True; a str never equals a number.
    [[nodiscard]] bool equals(const Value& other) const noexcept;
    /// Same type and same value; what configurations are compared with.
    bool operator==(const Value&) const = default;

    /// Python's repr: 64, 1.0, True, 'fp16', (64, 64).
    [[nodiscard]] std::string repr() const;
    /// For people and for C++ source: 64, 1.0, true, fp16, 64x64.
    [[nodiscard]] std::string display() const;

    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static Value fromJson(const Json& json);

private:
    std::variant<None, bool, std::int64_t, double, std::string, Tuple> m_data;
};

}  // namespace ww::expr
