// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "expr/expression.h"
#include "expr/node.h"
#include "expr/number.h"

namespace ww::expr {

/// Gives strings, tuples and None an index, so that they travel as a Number. Equal values (of the same type) share one.
/// Not synchronised: fill it first, then share it read-only.
class Objects {
public:
    [[nodiscard]] Number intern(const Value& value);
    [[nodiscard]] Value valueOf(const Number& number) const;  ///< None for an Error

private:
    std::vector<Value> m_values;
    std::unordered_map<std::string, std::int64_t> m_byRepr;
};

/// An expression compiled against numbered inputs: no hashing and no allocation where the inputs are plain numbers; the
/// general evaluator answers otherwise, with the same results. Immutable and thread-safe.
class Program {
public:
    /// Input i is named slots[i]; every other name must be a constant and is folded in.
    /// Errors: InvalidExpression for an unknown name, with the nearest known one.
    [[nodiscard]] static Result<Program> compile(const Expression& expression, std::span<const std::string> slots, const Scope& constants);
    /// From a tree whose free names are Slot nodes already (see resolve).
    explicit Program(Node tree);

    /// Whether the value is truthy; a value that cannot be computed is not.
    [[nodiscard]] bool accepts(const Number* inputs, const Objects& objects) const;
    /// The value; Number::error() where there is none. A string or tuple is interned in `objects`.
    [[nodiscard]] Number compute(const Number* inputs, Objects& objects) const;
    [[nodiscard]] const Node& tree() const noexcept { return m_tree; }

private:
    struct Step {
        Kind kind = Kind::Literal;
        Op op = Op::Plus;
        Function function = Function::Abs;
        std::uint32_t count = 0, first = 0, slot = 0;  ///< children and, for Compare, its operators
        Number literal;
    };
    enum class Status : std::uint8_t { Done, Failed, General };

    bool flatten(const Node& node, std::uint32_t at);
    bool flattenLiteral(const Node& node, std::uint32_t at);
    Status run(std::uint32_t at, const Number* inputs, Number& out) const;
    Status runCompare(const Step& step, const Number* inputs, Number& out) const;
    Status runIn(const Step& list, Op op, const Number& item, const Number* inputs, bool& holds) const;
    Status runCall(const Step& step, const Number* inputs, Number& out) const;
    bool general(const Number* inputs, const Objects& objects, Value& out) const;

    Node m_tree;
    std::vector<Step> m_steps;
    std::vector<Op> m_operators;
    bool m_fast = false;
};

/// The tree with slots in place of names and constants folded in. Errors as Program::compile.
[[nodiscard]] Result<Node> resolve(const Expression& expression, std::span<const std::string> slots, const Scope& constants);

/// Evaluates every part without inputs once. Parts that fail stay, so that they fail (or not) where they are reached.
void fold(Node& node);

}  // namespace ww::expr
