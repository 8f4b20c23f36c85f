// SPDX-License-Identifier: Apache-2.0
#include "expr/literal.h"

#include <charconv>
#include <cstdlib>
#include <string>

namespace ww::expr {

namespace {

Unexpected bad(std::string message) { return fail(ErrorCode::InvalidExpression, std::move(message)); }

// Underscores stand only between digits (or right after a base prefix).
bool takeUnderscores(std::string_view text, std::string& digits) {
    char before = '_';
    for (const char c : text) {
        if (c == '_' && before == '_') return false;
        if (c != '_') digits += c;
        before = c;
    }
    return before != '_';
}

void appendUtf8(std::string& text, std::uint32_t point) {
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xc0 | point >> 6);
        text += static_cast<char>(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        text += static_cast<char>(0xe0 | point >> 12);
        text += static_cast<char>(0x80 | (point >> 6 & 0x3f));
        text += static_cast<char>(0x80 | (point & 0x3f));
    } else {
        text += static_cast<char>(0xf0 | point >> 18);
        text += static_cast<char>(0x80 | (point >> 12 & 0x3f));
        text += static_cast<char>(0x80 | (point >> 6 & 0x3f));
        text += static_cast<char>(0x80 | (point & 0x3f));
    }
}

// Reads `count` digits of `base` after an escape's letter.
bool readPoint(std::string_view text, std::size_t& at, std::size_t count, std::uint32_t& point) {
    if (at + count > text.size()) return false;
    const auto [end, code] = std::from_chars(text.data() + at, text.data() + at + count, point, 16);
    if (code != std::errc{} || end != text.data() + at + count) return false;
    at += count;
    return point < 0x110000 && (point < 0xd800 || point > 0xdfff);
}

Result<std::string> unescape(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at++];
        if (c != '\\' || at >= text.size()) {
            result += c;
            continue;
        }
        const char letter = text[at++];
        std::uint32_t point = 0;
        switch (letter) {
        case '\n': break;
        case '\\':
        case '\'':
        case '"': result += letter; break;
        case 'a': result += '\a'; break;
        case 'b': result += '\b'; break;
        case 'f': result += '\f'; break;
        case 'n': result += '\n'; break;
        case 'r': result += '\r'; break;
        case 't': result += '\t'; break;
        case 'v': result += '\v'; break;
        case 'x':
        case 'u':
        case 'U':
            if (!readPoint(text, at, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, point)) return bad("the escape in this string is not valid");
            appendUtf8(result, point);
            break;
        case 'N': return bad("named characters (\\N) are not supported in strings");
        default:
            if (letter < '0' || letter > '7') {
                result += '\\';
                result += letter;
                break;
            }
            point = static_cast<std::uint32_t>(letter - '0');
            for (int i = 0; i < 2 && at < text.size() && text[at] >= '0' && text[at] <= '7'; ++i)
                point = point * 8 + static_cast<std::uint32_t>(text[at++] - '0');
            appendUtf8(result, point);
        }
    }
    return result;
}

}  // namespace

Result<Value> integerLiteral(std::string_view text) {
    int base = 10;
    std::string_view body = text;
    if (body.size() > 1 && body[0] == '0') {
        const char letter = static_cast<char>(body[1] | 0x20);
        base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
        if (base != 10) {
            body.remove_prefix(2);
            if (!body.empty() && body[0] == '_') body.remove_prefix(1);
        }
    }
    std::string digits;
    if (!takeUnderscores(body, digits)) return bad("this is not a valid number");
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (code == std::errc::result_out_of_range) return bad("this integer does not fit into 64 bits");
    if (code != std::errc{} || end != digits.data() + digits.size()) {
        return bad("this is not a valid number (complex numbers and suffixes are not supported)");
    }
    if (base == 10 && digits.size() > 1 && digits[0] == '0' && value != 0) return bad("leading zeros are not allowed; octal is written 0o17");
    return Value(value);
}

Result<Value> floatLiteral(std::string_view text) {
    std::string digits;
    if (!takeUnderscores(text, digits)) return bad("this is not a valid number");
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (end != digits.c_str() + digits.size()) return bad("this is not a valid number (complex numbers are not supported)");
    return Value(value);
}

Result<std::string> stringLiteral(std::string_view text) {
    bool raw = false;
    while (!text.empty() && text[0] != '\'' && text[0] != '"') {
        const char letter = static_cast<char>(text[0] | 0x20);
        if (letter == 'f') return bad("formatted strings are not allowed here");
        if (letter == 'b') return bad("bytes are not allowed here; write a plain string");
        if (letter == 'r') raw = true;
        text.remove_prefix(1);
    }
    const bool triple = text.size() >= 6 && text[1] == text[0] && text[2] == text[0];
    const std::size_t quotes = triple ? 3 : 1;
    if (text.size() < 2 * quotes) return bad("this string does not end");
    text = text.substr(quotes, text.size() - 2 * quotes);
    if (raw) return std::string(text);
    return unescape(text);
}

}  // namespace ww::expr
