// SPDX-License-Identifier: Apache-2.0
#include "expr/expression.h"

#include <algorithm>
#include <numeric>

#include "expr/evaluator.h"
#include "expr/parse.h"

namespace ww::expr {

namespace {

class ScopeNames final : public Names {
public:
    explicit ScopeNames(const Scope& scope) : m_scope(scope) {}
    [[nodiscard]] const Value* find(const std::string& name) const override { return m_scope.find(name); }
    [[nodiscard]] std::vector<std::string> known() const override { return m_scope.names(); }
    [[nodiscard]] const Value* slot(std::uint32_t) const override { return nullptr; }

private:
    const Scope& m_scope;
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Damerau-Levenshtein (adjacent swaps count once); a change of case alone costs nothing, so that "tile" finds "TILE".
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    std::iota(previous.begin(), previous.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        before.swap(previous);
        previous.swap(current);
    }
    return previous[b.size()];
}

}  // namespace

const Value* Scope::find(const std::string& name) const {
    for (const Scope* scope = this; scope; scope = scope->m_outer) {
        const auto found = scope->m_names.find(name);
        if (found != scope->m_names.end()) return &found->second;
    }
    return nullptr;
}

std::vector<std::string> Scope::names() const {
    std::vector<std::string> all;
    for (const Scope* scope = this; scope; scope = scope->m_outer)
        for (const auto& [name, value] : scope->m_names)
            all.push_back(name);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

Result<Expression> Expression::parse(std::string_view text) {
    WW_TRY(parsed, parseExpression(text));
    Expression expression;
    expression.m_text = text;
    expression.m_names = std::move(parsed.names);
    expression.m_root = std::make_shared<const Node>(std::move(parsed.root));
    return expression;
}

Result<Value> Expression::evaluate(const Scope& scope) const {
    return evaluatePart(*m_root, scope);
}

Result<Value> Expression::evaluatePart(const Node& part, const Scope& scope) const {
    const ScopeNames names(scope);
    Evaluator evaluator(names);
    Value value;
    if (!evaluator.evaluate(part, value)) return expressionError(m_text, evaluator.offset(), evaluator.problem());
    return value;
}

std::string nearestName(std::string_view unknown, const std::vector<std::string>& known) {
    // A third of the letters may differ, at least one: "N" is near to no other one-letter name but its own lower case.
    const std::size_t limit = unknown.size() <= 2 ? (unknown.size() - (unknown.empty() ? 0 : 1)) : std::max<std::size_t>(1, unknown.size() / 3);
    std::string best;
    std::size_t bestDistance = limit + 1;
    for (const std::string& name : known) {
        if (name.size() > unknown.size() + limit || unknown.size() > name.size() + limit) continue;
        const std::size_t distance = editDistance(unknown, name);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = name;
        }
    }
    return best;
}

}  // namespace ww::expr
