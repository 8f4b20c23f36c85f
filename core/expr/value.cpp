// SPDX-License-Identifier: Apache-2.0
#include "expr/value.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "expr/number.h"

namespace ww::expr {

namespace {

// CPython prints the shortest digits that read back the same, with an exponent outside 1e-4 .. 1e16.
std::string floatRepr(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    char buffer[64];
    const double magnitude = std::fabs(value);
    const bool fixed = magnitude == 0.0 || (magnitude >= 1e-4 && magnitude < 1e16);
    const auto [end, code] =
        std::to_chars(buffer, buffer + sizeof buffer, value, fixed ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text(buffer, code == std::errc{} ? end : buffer);
    if (fixed && text.find('.') == std::string::npos) text += ".0";
    return text;
}

std::string stringRepr(const std::string& text) {
    const char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
    std::string result(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\') {
            result += '\\';
            result += c;
        } else if (c == '\n') {
            result += "\\n";
        } else if (c == '\r') {
            result += "\\r";
        } else if (c == '\t') {
            result += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            constexpr char digits[] = "0123456789abcdef";
            result += "\\x";
            result += digits[byte >> 4];
            result += digits[byte & 15];
        } else {
            result += c;
        }
    }
    return result + quote;
}

}  // namespace

std::int64_t Value::asInt() const {
    return isBool() ? static_cast<std::int64_t>(asBool()) : std::get<std::int64_t>(m_data);
}

double Value::asDouble() const {
    return isFloat() ? std::get<double>(m_data) : static_cast<double>(asInt());
}

bool Value::truthy() const noexcept {
    if (isNone()) return false;
    if (isString()) return !std::get_if<std::string>(&m_data)->empty();
    if (isTuple()) return !std::get_if<Tuple>(&m_data)->empty();
    return numberOf(*this).truthy();
}

bool Value::equals(const Value& other) const noexcept {
    if (isNumber() && other.isNumber()) return compareNumbers(numberOf(*this), numberOf(other)) == 0;
    if (isTuple() && other.isTuple()) {
        const Tuple& mine = asTuple();
        const Tuple& theirs = other.asTuple();
        if (mine.size() != theirs.size()) return false;
        for (std::size_t i = 0; i < mine.size(); ++i)
            if (!mine[i].equals(theirs[i])) return false;
        return true;
    }
    return *this == other;
}

std::string Value::repr() const {
    if (isNone()) return "None";
    if (isBool()) return asBool() ? "True" : "False";
    if (isInt()) return std::to_string(asInt());
    if (isFloat()) return floatRepr(asDouble());
    if (isString()) return stringRepr(asString());
    std::string text = "(";
    const Tuple& items = asTuple();
    for (std::size_t i = 0; i < items.size(); ++i)
        text += (i ? ", " : "") + items[i].repr();
    return text + (items.size() == 1 ? ",)" : ")");
}

std::string Value::display() const {
    if (isBool()) return asBool() ? "true" : "false";
    if (isString()) return asString();
    if (!isTuple()) return repr();
    std::string text;
    for (const Value& item : asTuple()) {
        if (!text.empty()) text += 'x';
        text += item.display();
    }
    return text;
}

Json Value::toJson() const {
    if (isNone()) return nullptr;
    if (isBool()) return asBool();
    if (isInt()) return asInt();
    if (isFloat()) return asDouble();
    if (isString()) return asString();
    Json items = Json::array();
    for (const Value& item : asTuple())
        items.push_back(item.toJson());
    return items;
}

Value Value::fromJson(const Json& json) {
    switch (json.type()) {
    case Json::value_t::boolean: return Value(*json.get_ptr<const bool*>());
    case Json::value_t::number_integer: return Value(static_cast<std::int64_t>(*json.get_ptr<const Json::number_integer_t*>()));
    case Json::value_t::number_unsigned: {
        const std::uint64_t value = *json.get_ptr<const Json::number_unsigned_t*>();
        constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return value <= limit ? Value(static_cast<std::int64_t>(value)) : Value(static_cast<double>(value));
    }
    case Json::value_t::number_float: return Value(*json.get_ptr<const double*>());
    case Json::value_t::string: return Value(*json.get_ptr<const std::string*>());
    case Json::value_t::array: {
        Tuple items;
        items.reserve(json.size());
        for (const Json& item : json)
            items.push_back(fromJson(item));
        return Value(std::move(items));
    }
    default: return {};
    }
}

}  // namespace ww::expr
