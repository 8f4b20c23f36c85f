// SPDX-License-Identifier: Apache-2.0
#include "source/python_configs.h"

#include <algorithm>
#include <optional>

#include "source/python_terms.h"

namespace ww::source {
namespace {

constexpr std::size_t kMostConfigs = 4096;
constexpr int kMostDepth = 32;
/// Elements that comprehensions may run through.
constexpr int kMostSteps = 100'000;

class Reader {
public:
    Reader(TSNode module, std::string_view text) : m_module(module), m_text(text) {}

    std::vector<AutotuneConfig> run(TSNode configs) {
        list(configs, expr::Scope{}, 0);
        return std::move(m_out);
    }

private:
    void list(TSNode node, const expr::Scope& scope, int depth) {
        if (ts_node_is_null(node) || depth > kMostDepth) return;
        const std::string_view type = typeOf(node);
        if (type == "list" || type == "tuple" || type == "parenthesized_expression") {
            for (const TSNode child : namedChildren(node)) list(child, scope, depth + 1);
        } else if (type == "binary_operator") {
            list(childByField(node, "left"), scope, depth + 1);
            list(childByField(node, "right"), scope, depth + 1);
        } else if (type == "list_comprehension" || type == "generator_expression") {
            comprehension(node, scope, depth);
        } else if (type == "identifier") {
            list(moduleValue(textOf(node, m_text)), scope, depth + 1);
        } else if (type == "list_splat") {
            for (const TSNode child : namedChildren(node)) list(child, scope, depth + 1);
        } else if (type == "call") {
            const std::string_view name = pythonCalledName(node, m_text);
            if (name == "Config") return config(node, scope);
            if (name == "list") return list(pythonArgument(node, 0), scope, depth + 1);
            list(returnedBy(name), scope, depth + 1);
        }
    }

    void comprehension(TSNode node, const expr::Scope& scope, int depth) {
        std::vector<TSNode> clauses;
        for (const TSNode child : namedChildren(node)) {
            if (is(child, "for_in_clause") || is(child, "if_clause")) clauses.push_back(child);
        }
        clause(childByField(node, "body"), clauses, 0, scope, depth + 1);
    }

    void clause(TSNode body, const std::vector<TSNode>& clauses, std::size_t at, const expr::Scope& scope, int depth) {
        if (m_out.size() >= kMostConfigs || depth > kMostDepth || ++m_steps > kMostSteps) return;
        if (at == clauses.size()) return list(body, scope, depth);
        const TSNode here = clauses[at];
        if (is(here, "if_clause")) {
            const std::vector<TSNode> test = namedChildren(here);
            const auto holds = test.empty() ? std::nullopt : value(test.front(), scope);
            // A condition that cannot be read keeps the configuration: the domain is a union.
            if (!holds || holds->truthy()) clause(body, clauses, at + 1, scope, depth + 1);
            return;
        }
        TSNode over = childByField(here, "right");
        if (is(over, "identifier") && scope.find(std::string(textOf(over, m_text))) == nullptr) over = moduleValue(textOf(over, m_text));
        const auto items = ts_node_is_null(over) ? std::nullopt : value(over, scope);
        if (!items || !items->isTuple()) return;
        const TSNode left = childByField(here, "left");
        for (const expr::Value& item : items->asTuple()) {
            if (m_steps > kMostSteps) return;
            expr::Scope inner(&scope);
            bindNames(left, item, inner);
            clause(body, clauses, at + 1, inner, depth + 1);
        }
    }

    void bindNames(TSNode target, const expr::Value& item, expr::Scope& scope) const {
        if (is(target, "identifier")) return scope.set(std::string(textOf(target, m_text)), item);
        const std::vector<TSNode> names = namedChildren(target);
        if (!item.isTuple() || item.asTuple().size() != names.size()) return;
        for (std::size_t i = 0; i < names.size(); ++i) bindNames(names[i], item.asTuple()[i], scope);
    }

    std::optional<expr::Value> value(TSNode node, const expr::Scope& scope) const {
        if (is(node, "string")) return expr::Value(std::string(pythonString(node, m_text)));
        const auto parsed = expr::Expression::parse(textOf(node, m_text));
        if (!parsed) return std::nullopt;
        auto result = parsed->evaluate(scope);
        return result ? std::optional(*result) : std::nullopt;
    }

    void config(TSNode call, const expr::Scope& scope) {
        if (m_out.size() >= kMostConfigs) return;
        AutotuneConfig out;
        out.line = lineOf(call);
        const TSNode keyword = pythonKeyword(call, "kwargs", m_text);
        TSNode named = ts_node_is_null(keyword) ? pythonArgument(call, 0) : keyword;
        if (is(named, "dictionary")) {
            for (const TSNode pair : namedChildren(named)) {
                if (!is(pair, "pair")) continue;
                add(out, pythonString(childByField(pair, "key"), m_text), childByField(pair, "value"), scope);
            }
        } else if (is(named, "call") && pythonCalledName(named, m_text) == "dict") {
            keywords(named, out, scope, false);
        }
        keywords(call, out, scope, true);
        m_out.push_back(std::move(out));
    }

    void keywords(TSNode call, AutotuneConfig& out, const expr::Scope& scope, bool launchOnly) const {
        const TSNode arguments = childByField(call, "arguments");
        if (ts_node_is_null(arguments)) return;
        for (const TSNode argument : namedChildren(arguments)) {
            if (!is(argument, "keyword_argument")) continue;
            const std::string_view name = textOf(childByField(argument, "name"), m_text);
            const bool launch = name == "num_warps" || name == "num_stages" || name == "num_ctas" || name == "maxnreg";
            if (launch || !launchOnly) add(out, name, childByField(argument, "value"), scope);
        }
    }

    void add(AutotuneConfig& out, std::string_view name, TSNode node, const expr::Scope& scope) const {
        auto known = value(node, scope);
        if (!name.empty() && known && !known->isNone()) out.values.emplace_back(std::string(name), std::move(*known));
    }

    /// What a module variable is assigned first.
    TSNode moduleValue(std::string_view name) const {
        for (const TSNode statement : namedChildren(m_module)) {
            if (!is(statement, "expression_statement")) continue;
            for (const TSNode inner : namedChildren(statement)) {
                if (is(inner, "assignment") && textOf(childByField(inner, "left"), m_text) == name) return childByField(inner, "right");
            }
        }
        return TSNode{};
    }

    /// What a module function returns first.
    TSNode returnedBy(std::string_view name) const {
        for (const TSNode statement : namedChildren(m_module)) {
            if (!is(statement, "function_definition") || textOf(childByField(statement, "name"), m_text) != name) continue;
            TSNode found{};
            walk(childByField(statement, "body"), [&](const Cursor& cursor) {
                if (is(cursor.node(), "return_statement") && ts_node_is_null(found)) {
                    const std::vector<TSNode> value = namedChildren(cursor.node());
                    if (!value.empty()) found = value.front();
                }
                return ts_node_is_null(found);
            });
            return found;
        }
        return TSNode{};
    }

    TSNode m_module;
    std::string_view m_text;
    std::vector<AutotuneConfig> m_out;
    int m_steps = 0;
};

}  // namespace

std::vector<AutotuneConfig> readConfigs(TSNode configs, TSNode module, std::string_view text) {
    return Reader(module, text).run(configs);
}

}  // namespace ww::source
