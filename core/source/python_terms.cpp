// SPDX-License-Identifier: Apache-2.0
#include "source/python_terms.h"

#include <algorithm>

#include "source/fold.h"

namespace ww::source {
namespace {

constexpr int kMostDepth = 48;
constexpr int kAtom = 12;

}  // namespace

std::string_view pythonCalledName(TSNode call, std::string_view text) {
    TSNode function = childByField(call, "function");
    if (is(function, "subscript")) function = childByField(function, "value");  // kernel[grid](...)
    return textOf(is(function, "attribute") ? childByField(function, "attribute") : function, text);
}

std::string_view pythonCalledObject(TSNode call, std::string_view text) {
    const TSNode function = childByField(call, "function");
    return is(function, "attribute") ? textOf(childByField(function, "object"), text) : std::string_view{};
}

TSNode pythonArgument(TSNode call, std::size_t position) {
    const TSNode list = childByField(call, "arguments");
    if (ts_node_is_null(list)) return list;
    std::size_t at = 0;
    for (const TSNode argument : namedChildren(list)) {
        if (is(argument, "keyword_argument")) continue;
        if (at++ == position) return argument;
    }
    return TSNode{};
}

TSNode pythonKeyword(TSNode call, std::string_view name, std::string_view text) {
    const TSNode list = childByField(call, "arguments");
    if (ts_node_is_null(list)) return list;
    for (const TSNode argument : namedChildren(list)) {
        if (is(argument, "keyword_argument") && textOf(childByField(argument, "name"), text) == name) return childByField(argument, "value");
    }
    return TSNode{};
}

std::string_view pythonString(TSNode node, std::string_view text) {
    if (!is(node, "string")) return {};
    for (const TSNode child : namedChildren(node)) {
        if (is(child, "string_content")) return textOf(child, text);
    }
    return {};
}

PythonTerms::PythonTerms(std::string_view text, const std::vector<ParameterSite>& parameters) : m_text(text) {
    for (const ParameterSite& site : parameters) {
        const bool number = !site.defaultValue || site.defaultValue->isInt() || site.defaultValue->isBool();
        if (!number || site.kind == SiteKind::LaunchOption) continue;
        const auto value = site.defaultValue ? std::optional(site.defaultValue->asInt()) : std::nullopt;
        m_names.emplace(site.name, Term{site.name, value, kAtom});
    }
}

std::optional<Term> PythonTerms::translate(TSNode node, int depth) const {
    if (ts_node_is_null(node) || depth > kMostDepth) return std::nullopt;
    const std::string_view type = typeOf(node);
    if (type == "parenthesized_expression") {
        const std::vector<TSNode> inner = namedChildren(node);
        return inner.size() == 1 ? translate(inner.front(), depth + 1) : std::nullopt;
    }
    if (type == "identifier") {
        const auto found = m_names.find(textOf(node, m_text));
        return found == m_names.end() ? std::nullopt : std::optional(found->second);
    }
    if (type == "integer") {
        const auto literal = foldLiteral(textOf(node, m_text));
        return literal && literal->isInt() ? std::optional(termOf(literal->asInt())) : std::nullopt;
    }
    if (type == "binary_operator") {
        const auto a = translate(childByField(node, "left"), depth + 1);
        const auto b = translate(childByField(node, "right"), depth + 1);
        const std::string_view op = textOf(childByField(node, "operator"), m_text);
        if (!a || !b || op == "/" || op == "**" || op == "@") return std::nullopt;
        return combine(op, *a, *b);
    }
    if (type == "unary_operator" && textOf(childByField(node, "operator"), m_text) == "-") {
        const auto inner = translate(childByField(node, "argument"), depth + 1);
        return inner ? combine("-", termOf(0), *inner) : std::nullopt;
    }
    return type == "call" ? call(node, depth) : std::nullopt;
}

std::optional<Term> PythonTerms::call(TSNode node, int depth) const {
    const std::string_view name = pythonCalledName(node, m_text);
    const auto a = translate(pythonArgument(node, 0), depth + 1);
    if (!a) return std::nullopt;
    if (name == "constexpr") return a;
    const auto b = translate(pythonArgument(node, 1), depth + 1);
    if (!b) return std::nullopt;
    if (name == "cdiv") {
        const auto less = combine("-", *b, termOf(1));
        const auto rounded = less ? combine("+", *a, *less) : std::nullopt;
        return rounded ? combine("//", *rounded, *b) : std::nullopt;
    }
    if (name != "min" && name != "max") return std::nullopt;
    Term out{std::string(name) + "(" + a->text + ", " + b->text + ")", std::nullopt, kAtom};
    if (a->value && b->value) out.value = name == "min" ? std::min(*a->value, *b->value) : std::max(*a->value, *b->value);
    return out;
}

}  // namespace ww::source
