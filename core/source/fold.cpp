// SPDX-License-Identifier: Apache-2.0
#include "source/fold.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "source/tokens.h"

namespace ww::source {
namespace {

using expr::Value;
using Folded = std::optional<Value>;

/// Recursion follows the text's nesting, so long texts are refused before they can exhaust the stack.
constexpr std::size_t kMostTokens = 128;

Folded integerLiteral(std::string digits) {
    while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string_view::npos) digits.pop_back();
    int base = 10;
    std::string_view body = digits;
    if (body.size() > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X')) {
        base = 16;
        body.remove_prefix(2);
    } else if (body.size() > 2 && body[0] == '0' && (body[1] == 'b' || body[1] == 'B')) {
        base = 2;
        body.remove_prefix(2);
    } else if (body.size() > 1 && body[0] == '0') {
        base = 8;
        body.remove_prefix(1);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value, base);
    if (error != std::errc{} || end != body.data() + body.size()) return std::nullopt;
    return Value(value);
}

Folded numberLiteral(std::string_view text) {
    std::string digits;
    for (const char c : text) {
        if (c != '\'') digits += c;
    }
    const bool hex = digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    const bool real = digits.find('.') != std::string::npos ||
                      digits.find_first_of(hex ? "pP" : "eE") != std::string::npos;
    if (!real) return integerLiteral(std::move(digits));
    if (hex) return std::nullopt;
    if (std::string_view("fFlL").find(digits.back()) != std::string_view::npos) digits.pop_back();
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return Value(value);
}

Folded integers(std::string_view op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (op == "+") return __builtin_add_overflow(a, b, &out) ? Folded{} : Folded{Value(out)};
    if (op == "-") return __builtin_sub_overflow(a, b, &out) ? Folded{} : Folded{Value(out)};
    if (op == "*") return __builtin_mul_overflow(a, b, &out) ? Folded{} : Folded{Value(out)};
    if (op == "/" || op == "%") {
        if (b == 0 || (a == std::numeric_limits<std::int64_t>::min() && b == -1)) return std::nullopt;
        return Value(op == "/" ? a / b : a % b);
    }
    if (op == "<<" || op == ">>") {
        if (b < 0 || b > 62 || a < 0) return std::nullopt;
        if (op == ">>") return Value(a >> b);
        if (a > (std::numeric_limits<std::int64_t>::max() >> b)) return std::nullopt;
        return Value(a << b);
    }
    if (op == "&") return Value(a & b);
    if (op == "|") return Value(a | b);
    if (op == "^") return Value(a ^ b);
    return std::nullopt;
}

Folded reals(std::string_view op, double a, double b) {
    double out = 0;
    if (op == "+") out = a + b;
    else if (op == "-") out = a - b;
    else if (op == "*") out = a * b;
    else if (op == "/" && b != 0) out = a / b;
    else return std::nullopt;
    return std::isfinite(out) ? Folded{Value(out)} : Folded{};
}

Folded binary(std::string_view op, const Value& a, const Value& b) {
    if (op == "&&") return Value(a.truthy() && b.truthy());
    if (op == "||") return Value(a.truthy() || b.truthy());
    const bool real = a.isFloat() || b.isFloat();
    if (op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=") {
        const auto order = real ? a.asDouble() <=> b.asDouble() : std::partial_ordering(a.asInt() <=> b.asInt());
        if (op == "<") return Value(order < 0);
        if (op == ">") return Value(order > 0);
        if (op == "<=") return Value(order <= 0);
        if (op == ">=") return Value(order >= 0);
        return Value(op == "==" ? order == 0 : order != 0);
    }
    return real ? reals(op, a.asDouble(), b.asDouble()) : integers(op, a.asInt(), b.asInt());
}

int precedence(std::string_view op) {
    if (op == "*" || op == "/" || op == "%") return 10;
    if (op == "+" || op == "-") return 9;
    if (op == "<<" || op == ">>") return 8;
    if (op == "<" || op == ">" || op == "<=" || op == ">=") return 7;
    if (op == "==" || op == "!=") return 6;
    if (op == "&") return 5;
    if (op == "^") return 4;
    if (op == "|") return 3;
    if (op == "&&") return 2;
    if (op == "||") return 1;
    return 0;
}

class Folder {
public:
    explicit Folder(const Tokens& tokens) : m_tokens(tokens) {}

    Folded all() {
        Folded value = conditional();
        return m_at == m_tokens.list.size() ? value : Folded{};
    }

private:
    std::string_view peek() const { return m_tokens.at(m_at); }

    Folded conditional() {
        Folded test = operators(1);
        if (!test || peek() != "?") return test;
        ++m_at;
        Folded yes = conditional();
        if (!yes || peek() != ":") return std::nullopt;
        ++m_at;
        Folded no = conditional();
        if (!no) return std::nullopt;
        return test->truthy() ? yes : no;
    }

    Folded operators(int least) {
        Folded left = unary();
        while (left) {
            const std::string_view op = peek();
            const int level = precedence(op);
            if (level < least || level == 0) break;
            ++m_at;
            const Folded right = operators(level + 1);
            if (!right) return std::nullopt;
            left = binary(op, *left, *right);
        }
        return left;
    }

    Folded unary() {
        const std::string_view op = peek();
        if (op == "+" || op == "-" || op == "~" || op == "!") {
            ++m_at;
            const Folded value = unary();
            if (!value) return std::nullopt;
            if (op == "!") return Value(!value->truthy());
            if (op == "+") return value->isBool() ? Value(value->asInt()) : *value;
            if (op == "-") return value->isFloat() ? Folded{Value(-value->asDouble())} : integers("-", 0, value->asInt());
            return value->isFloat() ? Folded{} : Folded{Value(~value->asInt())};
        }
        return primary();
    }

    Folded primary() {
        if (m_at >= m_tokens.list.size()) return std::nullopt;
        const Token& token = m_tokens.list[m_at++];
        const std::string_view word = m_tokens.of(token);
        if (token.kind == TokenKind::Number) return numberLiteral(word);
        if (word == "true" || word == "false") return Value(word == "true");
        if (word != "(") return std::nullopt;
        Folded inner = conditional();
        if (!inner || peek() != ")") return std::nullopt;
        ++m_at;
        return inner;
    }

    const Tokens& m_tokens;
    std::size_t m_at = 0;
};

}  // namespace

Folded foldLiteral(std::string_view text) {
    if (text.size() > 4096) return std::nullopt;
    const Tokens tokens = lex(text);
    if (tokens.list.empty() || tokens.list.size() > kMostTokens || !tokens.directives.empty()) return std::nullopt;
    return Folder(tokens).all();
}

}  // namespace ww::source
