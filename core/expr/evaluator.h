// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/node.h"
#include "expr/number.h"

namespace ww::expr {

/// Where names and slots come from; one evaluation at a time.
class Names {
public:
    virtual ~Names() = default;
    [[nodiscard]] virtual const Value* find(const std::string& name) const = 0;
    [[nodiscard]] virtual std::vector<std::string> known() const = 0;
    /// The value of a Slot node; nullptr where it could not be computed.
    [[nodiscard]] virtual const Value* slot(std::uint32_t index) const = 0;
};

/// Walks a checked tree once. Not reusable and not shared between threads. Work is bounded: elements made or visited
/// count against a budget, so that no text keeps it busy for more than a moment.
class Evaluator {
public:
    explicit Evaluator(const Names& names) : m_names(names) {}

    /// False where there is no result; then problem() and offset() say why and where.
    [[nodiscard]] bool evaluate(const Node& node, Value& out);
    [[nodiscard]] const std::string& problem() const noexcept { return m_problem; }
    [[nodiscard]] std::size_t offset() const noexcept { return m_offset; }

private:
    bool fail(const Node& at, std::string problem);
    bool spend(const Node& at, std::size_t elements);
    bool take(const Node& at, const Outcome& outcome, Value& out);

    bool name(const Node& node, Value& out);
    bool tuple(const Node& node, Value& out);
    bool unary(const Node& node, Value& out);
    bool binary(const Node& node, Value& out);
    bool sequenceBinary(const Node& node, const Value& left, const Value& right, Value& out);
    bool repeat(const Node& node, const Value& items, const Value& count, Value& out);
    bool compare(const Node& node, Value& out);
    bool compareOne(const Node& node, Op op, const Value& left, const Value& right, bool& result);
    bool contains(const Node& node, const Value& item, const Value& in, bool& result);
    bool logical(const Node& node, Value& out);
    bool subscript(const Node& node, Value& out);
    bool comprehension(const Node& node, Value& out);

    bool call(const Node& node, Value& out);
    bool callNumeric(const Node& node, const Value& argument, Value& out);
    bool callInt(const Node& node, const Value& argument, Value& out);
    bool callRound(const Node& node, const Value::Tuple& arguments, Value& out);
    bool callRange(const Node& node, const Value::Tuple& arguments, Value& out);
    bool callExtreme(const Node& node, const Value::Tuple& arguments, Value& out);
    bool callSum(const Node& node, const Value::Tuple& arguments, Value& out);
    bool callAllAny(const Node& node, const Value& argument, Value& out);
    /// The elements of a tuple or the characters of a string.
    bool elements(const Node& at, const Value& value, Value::Tuple& out);

    const Names& m_names;
    std::vector<Value> m_locals;
    std::int64_t m_budget = 4'000'000;
    std::string m_problem;
    std::size_t m_offset = 0;
};

/// "int", "float", "str", "tuple", ... for messages.
[[nodiscard]] const char* typeName(const Value& value) noexcept;

}  // namespace ww::expr
