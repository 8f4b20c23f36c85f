// SPDX-License-Identifier: Apache-2.0
#include "source/terms.h"

#include <algorithm>
#include <limits>

#include "source/fold.h"
#include "source/lane_step.h"
#include "source/lanes.h"

namespace ww::source {
namespace {

constexpr int kMostDepth = 48;
constexpr std::size_t kLongestTerm = 512;
constexpr int kAtom = 12;
constexpr int kUnary = 10;
constexpr int kChoice = 0;

int precedenceOf(std::string_view op) {
    if (op == "*" || op == "//" || op == "%") return 9;
    if (op == "+" || op == "-") return 8;
    if (op == "<<" || op == ">>") return 7;
    if (op == "&") return 6;
    if (op == "^") return 5;
    if (op == "|") return 4;
    if (op == "and") return 2;
    if (op == "or") return 1;
    return 3;  // comparisons
}

std::string wrapped(const Term& term, int least) {
    return term.precedence < least ? "(" + term.text + ")" : term.text;
}

std::optional<std::int64_t> evaluated(std::string_view op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (op == "+") return __builtin_add_overflow(a, b, &out) ? std::optional<std::int64_t>{} : out;
    if (op == "-") return __builtin_sub_overflow(a, b, &out) ? std::optional<std::int64_t>{} : out;
    if (op == "*") return __builtin_mul_overflow(a, b, &out) ? std::optional<std::int64_t>{} : out;
    if (op == "//" || op == "%") {
        if (a < 0 || b <= 0) return std::nullopt;
        return op == "%" ? a % b : a / b;
    }
    if (op == "<<" || op == ">>") {
        if (a < 0 || b < 0 || b > 62) return std::nullopt;
        if (op == ">>") return a >> b;
        return a > (std::numeric_limits<std::int64_t>::max() >> b) ? std::optional<std::int64_t>{} : a << b;
    }
    if (op == "&") return a & b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    if (op == ">") return a > b;
    if (op == ">=") return a >= b;
    if (op == "and") return a != 0 && b != 0;
    if (op == "or") return a != 0 || b != 0;
    return std::nullopt;
}

}  // namespace

Term termOf(std::int64_t value) {
    return {std::to_string(value), value, value < 0 ? kUnary : kAtom};
}

std::optional<Term> combine(std::string_view op, const Term& a, const Term& b) {
    Term out;
    if (a.value && b.value) {
        out.value = evaluated(op, *a.value, *b.value);
        if (!out.value) return std::nullopt;
    }
    const bool constants = a.text == (a.value ? std::to_string(*a.value) : "") && b.text == (b.value ? std::to_string(*b.value) : "");
    if (out.value && constants) return termOf(*out.value);
    if ((op == "*" && b.text == "1") || ((op == "+" || op == "-") && b.text == "0")) return a;
    if ((op == "*" && a.text == "1") || (op == "+" && a.text == "0")) return b;
    out.precedence = precedenceOf(op);
    const bool comparison = out.precedence == 3;  // a < b < c would be a chain
    out.text = wrapped(a, out.precedence + (comparison ? 1 : 0)) + " " + std::string(op) + " " + wrapped(b, out.precedence + 1);
    if (out.text.size() > kLongestTerm) return std::nullopt;
    return out;
}

Terms::Terms(const MacroBodies& macros, const TypeTable& types, const std::vector<ParameterSite>& parameters)
    : m_macros(macros), m_types(types) {
    for (const ParameterSite& site : parameters) m_parameters.emplace(site.name, &site);
}

std::optional<Term> Terms::translate(TSNode node, const Place& place, int depth) const {
    if (ts_node_is_null(node) || depth > kMostDepth) return std::nullopt;
    while (is(node, "parenthesized_expression") || is(node, "condition_clause")) {
        const std::vector<TSNode> inner = namedChildren(node);
        if (inner.size() != 1) return std::nullopt;
        node = inner.front();
    }
    const std::string_view type = typeOf(node);
    const std::string_view word = textOf(node, place.text);
    if (type == "identifier") return name(word, place, depth);
    if (type == "number_literal" || type == "true" || type == "false") {
        const auto literal = foldLiteral(word);
        if (!literal || literal->isFloat()) return std::nullopt;
        return termOf(literal->asInt());
    }
    if (type == "binary_expression") return binary(node, place, depth);
    if (type == "unary_expression") return unary(node, place, depth);
    if (type == "conditional_expression") return choice(node, place, depth);
    if (type == "cast_expression") return translate(childByField(node, "value"), place, depth + 1);
    if (type == "call_expression") return call(node, place, depth);
    if (type == "sizeof_expression") return sizeOf(node, place);
    return std::nullopt;
}

std::optional<Term> Terms::name(std::string_view word, const Place& place, int depth) const {
    if (const auto local = place.locals.find(word); local != place.locals.end()) {
        return local->second.text.empty() ? std::optional<Term>{} : local->second;
    }
    if (word == "warpSize") return termOf(kWarp);
    const auto found = m_parameters.find(word);
    if (found == m_parameters.end()) return std::nullopt;
    const ParameterSite& site = *found->second;
    const bool typeName = site.type == "typename" || site.type == "float" || site.type == "double";
    if (typeName || (site.defaultValue && site.defaultValue->isFloat())) return std::nullopt;
    const bool literal = site.defaultValue && (site.defaultValue->isInt() || site.defaultValue->isBool());
    if (literal) return Term{site.name, site.defaultValue->asInt(), kAtom};
    if (site.kind == SiteKind::TemplateParameter) return Term{site.name, std::nullopt, kAtom};
    const MacroBody* body = m_macros.find(word);
    if (body == nullptr || body->functionLike || ts_node_is_null(body->expression)) return std::nullopt;
    static const LocalTerms kNone;
    return translate(body->expression, {body->text, kNone}, depth + 4);
}

std::optional<Term> Terms::binary(TSNode node, const Place& place, int depth) const {
    std::string_view op = textOf(childByField(node, "operator"), place.text);
    if (op == "/") op = "//";
    if (op == "&&") op = "and";
    if (op == "||") op = "or";
    const auto a = translate(childByField(node, "left"), place, depth + 1);
    if (!a) return std::nullopt;
    const auto b = translate(childByField(node, "right"), place, depth + 1);
    return b ? combine(op, *a, *b) : std::nullopt;
}

std::optional<Term> Terms::unary(TSNode node, const Place& place, int depth) const {
    const std::string_view op = textOf(childByField(node, "operator"), place.text);
    auto inner = translate(childByField(node, "argument"), place, depth + 1);
    if (!inner || op == "+") return inner;
    if (op == "-") return combine("-", termOf(0), *inner);
    if (op == "~") {
        const auto value = inner->value ? std::optional<std::int64_t>(~*inner->value) : std::nullopt;
        return Term{"~" + wrapped(*inner, kUnary), value, kUnary};
    }
    if (op != "!") return std::nullopt;
    const auto value = inner->value ? std::optional<std::int64_t>(*inner->value == 0) : std::nullopt;
    return Term{"not " + wrapped(*inner, 3), value, 2};
}

std::optional<Term> Terms::choice(TSNode node, const Place& place, int depth) const {
    const auto test = translate(childByField(node, "condition"), place, depth + 1);
    const auto yes = translate(childByField(node, "consequence"), place, depth + 1);
    const auto no = translate(childByField(node, "alternative"), place, depth + 1);
    if (!test || !yes || !no) return std::nullopt;
    Term out{wrapped(*yes, 1) + " if " + wrapped(*test, 1) + " else " + wrapped(*no, 1), std::nullopt, kChoice};
    if (test->value) out.value = *test->value != 0 ? yes->value : no->value;
    if (out.text.size() > kLongestTerm) return std::nullopt;
    return out;
}

std::optional<Term> Terms::call(TSNode node, const Place& place, int depth) const {
    const std::string_view callee = calledName(node, place.text);
    const TSNode list = childByField(node, "arguments");
    if (ts_node_is_null(list)) return std::nullopt;
    std::vector<Term> arguments;
    for (const TSNode argument : namedChildren(list)) {
        auto term = translate(argument, place, depth + 1);
        if (!term) return std::nullopt;
        arguments.push_back(std::move(*term));
    }
    if (callee == "static_cast" || callee == "int" || callee == "unsigned" || callee == "size_t") {
        return arguments.size() == 1 ? std::optional<Term>(arguments.front()) : std::nullopt;
    }
    if ((callee == "min" || callee == "max") && arguments.size() == 2) {
        Term out{std::string(callee) + "(" + arguments[0].text + ", " + arguments[1].text + ")", std::nullopt, kAtom};
        if (arguments[0].value && arguments[1].value) {
            out.value = callee == "min" ? std::min(*arguments[0].value, *arguments[1].value)
                                        : std::max(*arguments[0].value, *arguments[1].value);
        }
        return out;
    }
    const MacroBody* body = m_macros.find(callee);
    if (body == nullptr || !body->functionLike || ts_node_is_null(body->expression) || body->parameters.size() != arguments.size()) {
        return std::nullopt;
    }
    LocalTerms bound;
    for (std::size_t i = 0; i < arguments.size(); ++i) bound[body->parameters[i]] = arguments[i];
    return translate(body->expression, {body->text, bound}, depth + 4);
}

std::optional<Term> Terms::sizeOf(TSNode node, const Place& place) const {
    TSNode operand = childByField(node, "type");
    if (ts_node_is_null(operand)) operand = childByField(node, "value");
    std::string_view word = textOf(operand, place.text);
    while (word.size() > 2 && word.front() == '(' && word.back() == ')') word = word.substr(1, word.size() - 2);
    const int bytes = word.ends_with("*") ? 8 : m_types.of(word).bytes;
    return bytes > 0 ? std::optional<Term>(termOf(bytes)) : std::nullopt;
}

}  // namespace ww::source
