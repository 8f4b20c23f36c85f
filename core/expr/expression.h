// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "expr/value.h"

namespace ww::expr {

/// Names an expression may use and their values. Look-ups see the innermost layer first.
class Scope {
public:
    Scope() = default;
    explicit Scope(const Scope* outer) : m_outer(outer) {}

    void set(std::string name, Value value) { m_names.insert_or_assign(std::move(name), std::move(value)); }
    [[nodiscard]] const Value* find(const std::string& name) const;
    /// All visible names, for "did you mean".
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::unordered_map<std::string, Value> m_names;
    const Scope* m_outer = nullptr;
};

struct Node;  // the checked syntax tree; private to expr/

/// An expression of the Python subset (DESIGN.md 3, SPEC.md), parsed by tree-sitter-python and checked. Immutable and
/// thread-safe; copies share the tree. It can reach nothing but the names in its Scope and the whitelisted functions.
class Expression {
public:
    /// Errors: InvalidExpression with the column (from 1) and what is not allowed.
    [[nodiscard]] static Result<Expression> parse(std::string_view text);

    /// Errors: InvalidExpression: unknown name (with the nearest known one), division by zero, overflow, wrong types.
    [[nodiscard]] Result<Value> evaluate(const Scope& scope) const;

    /// The value of one node of this expression's tree that has no comprehension variables; for explanations.
    [[nodiscard]] Result<Value> evaluatePart(const Node& part, const Scope& scope) const;

    [[nodiscard]] const std::string& text() const noexcept { return m_text; }
    /// Free names in order of first use, without duplicates; comprehension variables and functions are not free.
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return m_names; }
    [[nodiscard]] const Node& root() const noexcept { return *m_root; }

private:
    Expression() = default;
    std::string m_text;
    std::vector<std::string> m_names;
    std::shared_ptr<const Node> m_root;
};

/// The known name nearest to `unknown` by edit distance, or "" where none is near.
[[nodiscard]] std::string nearestName(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace ww::expr
