// SPDX-License-Identifier: Apache-2.0
#include "spec/pragma_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "expr/value.h"

namespace ww::spec {
namespace {

using source::Token;
using source::TokenKind;
using Type = PragmaValue::Type;

/// Nesting that no annotation needs; keeps the recursion shallow whatever the text.
constexpr int kMaxDepth = 100;
/// Truncating division repeats its operands, so that nested ones could grow without end.
constexpr std::size_t kMaxText = 16 * 1024;

/// Python's binding strength, loosest first.
enum Precedence { Conditional = 1, Or, And, Not, Comparison, BitOr, BitXor, BitAnd, Shift, Sum, Product, Unary, Atom };

struct Operator {
    std::string_view mark;
    int strength;           ///< in C++
    Precedence precedence;  ///< in Python
};
constexpr Operator kOperators[] = {
    {"||", 1, Or},          {"&&", 2, And},        {"|", 3, BitOr},       {"^", 4, BitXor},      {"&", 5, BitAnd},     {"==", 6, Comparison},
    {"!=", 6, Comparison},  {"<", 7, Comparison},  {"<=", 7, Comparison}, {">", 7, Comparison},  {">=", 7, Comparison}, {"<<", 8, Shift},
    {">>", 8, Shift},       {"+", 9, Sum},         {"-", 9, Sum},         {"*", 10, Product},    {"/", 10, Product},    {"%", 10, Product},
};

std::string wrapped(const PragmaValue& value, int precedence) {
    return value.precedence < precedence ? "(" + value.text + ")" : value.text;
}

PragmaValue made(std::string text, Type type, int precedence, bool negative = false) {
    return {std::move(text), type, negative, precedence};
}

bool isWhole(const PragmaValue& value) {
    return value.type == Type::Int || value.type == Type::Bool;
}

bool isNumber(const PragmaValue& value) {
    return isWhole(value) || value.type == Type::Float;
}

/// The value as a condition: exactly True or False, as in C++.
PragmaValue truth(const PragmaValue& value) {
    switch (value.type) {
    case Type::Bool: return value;
    case Type::None: return PragmaValue::atom("False", Type::Bool);
    case Type::Text: return made(wrapped(value, BitOr) + " != ''", Type::Bool, Comparison);
    case Type::Int:
    case Type::Float: break;
    }
    return made(wrapped(value, BitOr) + " != 0", Type::Bool, Comparison);
}

/// C++ rounds a quotient of integers towards zero; Python's // rounds down, which is the same from zero on.
PragmaValue divide(const PragmaValue& left, const PragmaValue& right) {
    const bool negative = left.negative || right.negative;
    if (!isWhole(left) || !isWhole(right)) return made(wrapped(left, Product) + " / " + wrapped(right, Unary), Type::Float, Product, negative);
    if (!negative) return made(wrapped(left, Product) + " // " + wrapped(right, Unary), Type::Int, Product);
    const std::string whole = "abs(" + left.text + ") // abs(" + right.text + ")";
    return made(whole + " * (1 if (" + wrapped(left, BitOr) + " < 0) == (" + wrapped(right, BitOr) + " < 0) else -1)", Type::Int, Product, true);
}

/// The remainder has the dividend's sign in C++, the divisor's in Python.
PragmaValue remainder(const PragmaValue& left, const PragmaValue& right) {
    const Type type = isWhole(left) && isWhole(right) ? Type::Int : Type::Float;
    if (!left.negative && !right.negative) return made(wrapped(left, Product) + " % " + wrapped(right, Unary), type, Product);
    return made("abs(" + left.text + ") % abs(" + right.text + ") * (-1 if " + wrapped(left, BitOr) + " < 0 else 1)", type, Product, true);
}

PragmaValue roundHalfAway(const PragmaValue& value) {
    if (isWhole(value)) return value;
    const std::string text = wrapped(value, Sum);
    if (!value.negative) return made("floor(" + text + " + 0.5)", Type::Int, Atom);
    return made("floor(" + text + " + 0.5) if " + text + " >= 0 else ceil(" + text + " - 0.5)", Type::Int, Conditional, true);
}

/// The number of a C++ literal: digit separators, suffixes, hexadecimal, binary and octal.
std::optional<PragmaValue> numberFrom(std::string text) {
    std::erase(text, '\'');
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const bool isFloat = !hex && text.find_first_of(".eE") != std::string::npos;
    const auto suffix = text.find_last_not_of(isFloat ? "fFlL" : "uUlLzZ");
    text.erase(suffix == std::string::npos ? 0 : suffix + 1);
    const char* end = text.data() + text.size();
    if (isFloat) {
        double real = 0;
        const auto [stop, failed] = std::from_chars(text.data(), end, real);
        if (failed != std::errc{} || stop != end) return std::nullopt;
        return PragmaValue::atom(expr::Value(real).repr(), Type::Float);
    }
    int base = 10, skip = 0;
    if (hex || text.starts_with("0b") || text.starts_with("0B")) {
        base = hex ? 16 : 2;
        skip = 2;
    } else if (text.size() > 1 && text.front() == '0') {
        base = 8;
    }
    std::int64_t whole = 0;
    const auto [stop, failed] = std::from_chars(text.data() + skip, end, whole, base);
    if (failed != std::errc{} || stop != end || whole < 0) return std::nullopt;
    return PragmaValue::atom(std::to_string(whole), Type::Int);
}

std::optional<std::string> unquoted(std::string_view literal) {
    if (literal.size() < 2 || literal.front() != literal.back()) return std::nullopt;
    std::string text;
    for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
        char c = literal[i];
        if (c == '\\') {
            static constexpr std::string_view kEscapes = "ntr\"'\\", kMeanings = "\n\t\r\"'\\";
            if (++i + 1 >= literal.size()) return std::nullopt;
            const auto escape = kEscapes.find(literal[i]);
            if (escape == std::string_view::npos) return std::nullopt;
            c = kMeanings[escape];
        }
        text += c;
    }
    return text;
}

class Reader {
public:
    Reader(PragmaCursor& cursor, const PragmaNames& names) : m_cursor(cursor), m_names(names) {}

    Result<PragmaValue> conditional(int depth) {
        if (depth > kMaxDepth) return m_cursor.error(m_cursor.peek(), "this expression is nested too deeply; simplify it");
        WW_TRY(condition, binary(0, depth));
        if (!m_cursor.accept("?")) return condition;
        WW_TRY(then, conditional(depth + 1));
        WW_CHECK(m_cursor.expect(":"));
        WW_TRY(otherwise, conditional(depth + 1));
        const Type type = then.type == otherwise.type ? then.type : isWhole(then) && isWhole(otherwise) ? Type::Int : Type::Float;
        return checked(made(wrapped(then, Or) + " if " + wrapped(truth(condition), Or) + " else " + wrapped(otherwise, Conditional), type, Conditional,
                            then.negative || otherwise.negative));
    }

private:
    Result<PragmaValue> checked(PragmaValue value) {
        if (value.text.size() <= kMaxText) return value;
        return m_cursor.error(m_cursor.peek(), "this expression becomes too long; simplify it, or give its parts names with set(...)");
    }

    static const Operator* operatorFrom(std::string_view mark) {
        const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators), [&](const auto& op) { return op.mark == mark; });
        return found == std::end(kOperators) ? nullptr : found;
    }

    Result<PragmaValue> binary(int strength, int depth) {
        WW_TRY(first, unary(depth));
        PragmaValue left = std::move(first);
        for (;;) {
            const Operator* op = m_cursor.atEnd() ? nullptr : operatorFrom(m_cursor.peekText());
            if (op == nullptr || op->strength <= strength) return left;
            const Token at = m_cursor.next();
            WW_TRY(right, binary(op->strength, depth));
            WW_TRY(joined, apply(*op, at, left, right));
            left = std::move(joined);
        }
    }

    Result<PragmaValue> apply(const Operator& op, const Token& at, const PragmaValue& left, const PragmaValue& right) {
        const std::string mark(op.mark);
        if (op.precedence == Or || op.precedence == And) {
            const std::string word = op.precedence == Or ? " or " : " and ";
            return checked(made(wrapped(truth(left), op.precedence) + word + wrapped(truth(right), op.precedence + 1), Type::Bool, op.precedence));
        }
        if (op.precedence == Comparison) {
            const bool ordered = mark != "==" && mark != "!=";
            if (ordered && (isNumber(left) != isNumber(right) || left.type == Type::None || right.type == Type::None)) {
                return m_cursor.error(at, "'" + mark + "' cannot compare a number with text", ErrorCode::InvalidExpression);
            }
            return checked(made(wrapped(left, BitOr) + " " + mark + " " + wrapped(right, BitOr), Type::Bool, Comparison));
        }
        if (mark == "+" && left.type == Type::Text && right.type == Type::Text) {
            return checked(made(wrapped(left, Sum) + " + " + wrapped(right, Product), Type::Text, Sum));
        }
        if (!isNumber(left) || !isNumber(right)) {
            return m_cursor.error(at, "'" + mark + "' needs a number on both sides", ErrorCode::InvalidExpression);
        }
        if (mark == "/") return checked(divide(left, right));
        if (mark == "%") return checked(remainder(left, right));
        const bool whole = isWhole(left) && isWhole(right);
        if (!whole && op.precedence >= BitOr && op.precedence <= Shift) {
            return m_cursor.error(at, "'" + mark + "' needs whole numbers", ErrorCode::InvalidExpression);
        }
        return checked(made(wrapped(left, op.precedence) + " " + mark + " " + wrapped(right, op.precedence + 1), whole ? Type::Int : Type::Float,
                            op.precedence, mark == "-" || left.negative || right.negative));
    }

    Result<PragmaValue> unary(int depth) {
        if (depth > kMaxDepth) return m_cursor.error(m_cursor.peek(), "this expression is nested too deeply; simplify it");
        const std::string_view mark = m_cursor.peekText();
        if (mark != "-" && mark != "+" && mark != "!" && mark != "~") return primary(depth);
        const Token at = m_cursor.next();
        WW_TRY(operand, unary(depth + 1));
        if (mark == "!") return made("not " + wrapped(truth(operand), Not), Type::Bool, Not);
        if (!isNumber(operand) || (mark == "~" && !isWhole(operand))) {
            return m_cursor.error(at, "'" + std::string(mark) + "' needs a number behind it", ErrorCode::InvalidExpression);
        }
        const Type type = operand.type == Type::Float ? Type::Float : Type::Int;
        return made(std::string(mark) + wrapped(operand, Unary), type, Unary, mark != "+" || operand.negative);
    }

    Result<PragmaValue> primary(int depth) {
        const Token token = m_cursor.peek();
        if (m_cursor.accept("(")) {
            WW_TRY(inner, conditional(depth + 1));
            WW_CHECK(m_cursor.expect(")"));
            return inner;
        }
        if (!m_cursor.atEnd()) m_cursor.next();
        switch (token.kind) {
        case TokenKind::Identifier: return m_cursor.peekText() == "(" ? call(token, depth) : word(token);
        case TokenKind::Number:
            if (auto number = numberFrom(m_cursor.text(token))) return *number;
            return m_cursor.error(token, "'" + m_cursor.text(token) + "' is no number that fits into 64 bits");
        case TokenKind::String:
        case TokenKind::Character:
            if (const auto text = unquoted(m_cursor.text(token))) return PragmaValue::atom(expr::Value(*text).repr(), Type::Text);
            return m_cursor.error(token, "this text does not end, or has an escape other than \\n \\t \\r \\\" \\' \\\\");
        case TokenKind::Punctuation: break;
        }
        const std::string found = m_cursor.text(token);
        return m_cursor.error(token, "a value is expected, but " + (found.empty() ? "the directive ends" : "there is '" + found + "'"));
    }

    Result<PragmaValue> word(const Token& token) {
        const std::string name = m_cursor.text(token);
        if (name == "true") return PragmaValue::atom("True", Type::Bool);
        if (name == "false") return PragmaValue::atom("False", Type::Bool);
        if (name == "null") return PragmaValue::atom("None", Type::None);
        return m_names(token);
    }

    Result<PragmaValue> call(const Token& token, int depth) {
        static constexpr std::array<std::pair<std::string_view, std::size_t>, 8> kFunctions{
            {{"round", 1}, {"ceil", 1}, {"floor", 1}, {"float", 1}, {"abs", 1}, {"div_ceil", 2}, {"min", 2}, {"max", 2}}};
        const std::string name = m_cursor.text(token);
        const auto* function = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& known) { return known.first == name; });
        if (function == kFunctions.end()) {
            return m_cursor.error(token, "there is no function \"" + name + "\"; there are round, ceil, floor, float, abs, div_ceil, min, max",
                                  ErrorCode::InvalidExpression);
        }
        WW_CHECK(m_cursor.expect("("));
        std::vector<PragmaValue> arguments;
        do {
            const Token at = m_cursor.peek();
            WW_TRY(argument, conditional(depth + 1));
            if (!isNumber(argument)) return m_cursor.error(at, name + "() needs a number", ErrorCode::InvalidExpression);
            arguments.push_back(std::move(argument));
        } while (m_cursor.accept(","));
        WW_CHECK(m_cursor.expect(")"));
        if (arguments.size() == function->second) return checked(applied(name, arguments));
        return m_cursor.error(token, name + "() takes " + std::to_string(function->second) + " values, but " + std::to_string(arguments.size()) +
                                         " are given", ErrorCode::InvalidExpression);
    }

    static PragmaValue applied(const std::string& name, const std::vector<PragmaValue>& arguments) {
        const PragmaValue& first = arguments.front();
        const PragmaValue& last = arguments.back();
        const bool whole = isWhole(first) && isWhole(last), negative = first.negative || last.negative;
        if (name == "round") return roundHalfAway(first);
        if (name == "div_ceil") {
            if (whole) return made("-(-" + wrapped(first, Unary) + " // " + wrapped(last, Unary) + ")", Type::Int, Unary, negative);
            return made("ceil(" + wrapped(first, Product) + " / " + wrapped(last, Unary) + ")", Type::Int, Atom, negative);
        }
        std::string list = first.text;
        if (arguments.size() == 2) list += ", " + last.text;
        const bool toInt = name == "ceil" || name == "floor";
        const Type type = name == "float" ? Type::Float : toInt || whole ? Type::Int : Type::Float;
        return made(name + "(" + list + ")", type, Atom, name != "abs" && negative);
    }

    PragmaCursor& m_cursor;
    const PragmaNames& m_names;
};

}  // namespace

PragmaValue PragmaValue::atom(std::string text, Type type, bool negative) {
    return {std::move(text), type, negative, Atom};
}

Result<PragmaValue> readPragmaExpression(PragmaCursor& cursor, const PragmaNames& names) {
    return Reader(cursor, names).conditional(0);
}

}  // namespace ww::spec
