// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "space/diagram_builder.h"

namespace ww::space {

using expr::Kind;
using expr::Node;
using expr::Number;
using expr::Op;

namespace {

// Half of what 64 bits hold: one more addition of two such numbers still fits.
constexpr double kSafeMagnitude = 0x1p61;

/// The largest magnitude that an integer expression can take; nullopt where it may be a float, fail to be bounded, or overflow.
std::optional<double> integerBound(const Node& node, const std::vector<std::vector<Number>>& domains) {
    const auto bounded = [](double bound) { return bound < kSafeMagnitude ? std::optional(bound) : std::nullopt; };
    if (node.kind == Kind::Literal) {
        if (!node.value.isInt() && !node.value.isBool()) return std::nullopt;
        return bounded(std::fabs(static_cast<double>(node.value.asInt())));
    }
    if (node.kind == Kind::Slot) {
        double bound = 0;
        for (const Number& value : domains[node.slot]) {
            if (value.type != Number::Type::Int && value.type != Number::Type::Bool) return std::nullopt;
            bound = std::max(bound, std::fabs(static_cast<double>(value.integer)));
        }
        return bounded(bound);
    }
    if (node.kind == Kind::Compare) return 1.0;
    if (node.kind != Kind::Binary) return std::nullopt;
    const auto left = integerBound(node.children[0], domains), right = integerBound(node.children[1], domains);
    if (!left || !right) return std::nullopt;
    switch (node.op) {
    case Op::Add:
    case Op::Sub: return bounded(*left + *right);
    case Op::Mul: return bounded(*left * *right);
    case Op::FloorDiv: return *left + 1;
    case Op::Mod: return *right;
    default: return std::nullopt;
    }
}

void collectOperands(Node& node, Op op, std::vector<Node>& operands) {
    if (node.kind == Kind::Binary && node.op == op) {
        collectOperands(node.children[0], op, operands);
        collectOperands(node.children[1], op, operands);
    } else {
        operands.push_back(std::move(node));
    }
}

}  // namespace

void splitConjunction(Node node, std::vector<Node>& parts) {
    if (node.kind == Kind::And) {
        for (Node& child : node.children)
            splitConjunction(std::move(child), parts);
    } else if (node.kind == Kind::Compare && node.ops.size() > 1) {
        for (std::size_t i = 0; i < node.ops.size(); ++i) {
            Node pair;
            pair.kind = Kind::Compare;
            pair.offset = node.offset;
            pair.length = node.length;
            pair.ops = {node.ops[i]};
            pair.children = {node.children[i], node.children[i + 1]};
            parts.push_back(std::move(pair));
        }
    } else {
        parts.push_back(std::move(node));
    }
}

std::optional<std::uint32_t> lastSlot(const Node& node) {
    if (node.kind == Kind::Slot) return node.slot;
    std::optional<std::uint32_t> last;
    for (const Node& child : node.children)
        if (const auto found = lastSlot(child)) last = std::max(last.value_or(0), *found);
    return last;
}

std::optional<std::uint32_t> firstSlot(const Node& node) {
    if (node.kind == Kind::Slot) return node.slot;
    std::optional<std::uint32_t> first;
    for (const Node& child : node.children)
        if (const auto found = firstSlot(child)) first = std::min(first.value_or(*found), *found);
    return first;
}

void orderSums(Node& node, const std::vector<std::vector<Number>>& domains) {
    for (Node& child : node.children)
        orderSums(child, domains);
    if (node.kind != Kind::Binary || (node.op != Op::Add && node.op != Op::Mul) || !integerBound(node, domains)) return;
    const Op op = node.op;
    std::vector<Node> operands;
    collectOperands(node, op, operands);
    // Operands without slots come last: they need no state.
    const auto rank = [](const Node& operand) { return lastSlot(operand).value_or(~std::uint32_t{0}); };
    std::stable_sort(operands.begin(), operands.end(), [&](const Node& a, const Node& b) { return rank(a) < rank(b); });
    Node sum = std::move(operands.front());
    for (std::size_t i = 1; i < operands.size(); ++i) {
        Node joined;
        joined.kind = Kind::Binary;
        joined.op = op;
        joined.children.push_back(std::move(sum));
        joined.children.push_back(std::move(operands[i]));
        sum = std::move(joined);
    }
    node = std::move(sum);
}

}  // namespace ww::space
