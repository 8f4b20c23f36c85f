// SPDX-License-Identifier: Apache-2.0
#include "source/python_flow.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ww::source {
namespace {

using namespace std::string_view_literals;

constexpr int kMostDepth = 64;

using Combine = std::function<LaneStep(const LaneStep&, const LaneStep&)>;

/// Aligned at the last axis, as NumPy does.
BlockFlow broadcast(const BlockFlow& a, const BlockFlow& b, const Combine& combine) {
    BlockFlow out;
    const std::size_t rank = std::max(a.axes.size(), b.axes.size());
    out.axes.resize(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        const LaneStep left = i < a.axes.size() ? a.axes[a.axes.size() - 1 - i] : LaneStep{};
        const LaneStep right = i < b.axes.size() ? b.axes[b.axes.size() - 1 - i] : LaneStep{};
        out.axes[rank - 1 - i] = combine(left, right);
    }
    return out;
}

bool isUniform(const BlockFlow& flow) {
    return std::all_of(flow.axes.begin(), flow.axes.end(), [](const LaneStep& step) { return step.uniform(); });
}

/// What memory or arithmetic over data gives back: nothing is known along an axis that varies.
BlockFlow data(BlockFlow flow) {
    for (LaneStep& step : flow.axes) step = step.uniform() ? step : LaneStep::scattered();
    flow.object = {};
    return flow;
}

const std::set<std::string_view>& passing() {
    static const std::set<std::string_view> kNames{"to"sv, "multiple_of"sv, "max_contiguous"sv, "max_constancy"sv, "broadcast_to"sv,
                                                   "int32"sv, "int64"sv, "cast"sv, "assume"sv, "advance"sv, "constexpr"sv};
    return kNames;
}

}  // namespace

LaneStep BlockFlow::best() const {
    LaneStep chosen;
    const auto rank = [](const LaneStep& step) {
        switch (step.overall()) {
            case Lane::Unit: return 0;
            case Lane::Strided: return 1;
            case Lane::Scattered: return 2;
            case Lane::Uniform: break;
        }
        return 3;
    };
    for (const LaneStep& step : axes) {
        if (rank(step) <= rank(chosen)) chosen = step;
    }
    return chosen;
}

void BlockAnalysis::learn(TSNode function) {
    const TSNode parameters = childByField(function, "parameters");
    if (!ts_node_is_null(parameters)) {
        for (TSNode parameter : namedChildren(parameters)) {
            const TSNode named = childByField(parameter, "name");
            if (!ts_node_is_null(named)) parameter = named;
            if (is(parameter, "typed_parameter")) parameter = namedChildren(parameter).front();
            const std::string_view name = textOf(parameter, m_text);
            m_variables[name] = {{}, name, false};
        }
    }
    for (int pass = 0; pass < 2; ++pass) {  // a loop's body may use what a later line assigns
        walk(childByField(function, "body"), [this](const Cursor& cursor) {
            const TSNode node = cursor.node();
            if (is(node, "assignment")) assign(childByField(node, "left"), childByField(node, "right"));
            if (is(node, "augmented_assignment")) {
                const TSNode left = childByField(node, "left");
                const BlockFlow before = of(left);
                const std::string_view op = textOf(childByField(node, "operator"), m_text);
                const BlockFlow right = of(childByField(node, "right"));
                BlockFlow after = op == "+=" || op == "-=" ? broadcast(before, right, sum) : data(broadcast(before, right, either));
                after.object = before.object;
                if (is(left, "identifier")) join(textOf(left, m_text), after);
            }
            return true;
        });
    }
}

void BlockAnalysis::assign(TSNode target, TSNode value) {
    if (ts_node_is_null(value)) return;
    if (is(target, "pattern_list") || is(target, "tuple_pattern")) {
        const std::vector<TSNode> names = namedChildren(target);
        const bool list = is(value, "expression_list") || is(value, "tuple");
        const std::vector<TSNode> values = list ? namedChildren(value) : std::vector<TSNode>{};
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!is(names[i], "identifier")) continue;
            join(textOf(names[i], m_text), i < values.size() ? of(values[i]) : of(value));
        }
    } else if (is(target, "identifier")) {
        join(textOf(target, m_text), of(value));
    }
}

void BlockAnalysis::join(std::string_view name, const BlockFlow& flow) {
    const auto [known, fresh] = m_variables.emplace(name, flow);
    if (fresh) return;
    BlockFlow joined = broadcast(known->second, flow, either);
    joined.object = known->second.object.empty() ? flow.object : known->second.object;
    joined.descriptor = known->second.descriptor || flow.descriptor;
    known->second = std::move(joined);
}

BlockFlow BlockAnalysis::evaluate(TSNode node, int depth) const {
    if (ts_node_is_null(node) || depth > kMostDepth) return {};
    const std::string_view type = typeOf(node);
    if (type == "parenthesized_expression") {
        const std::vector<TSNode> inner = namedChildren(node);
        return inner.size() == 1 ? evaluate(inner.front(), depth + 1) : BlockFlow{};
    }
    if (type == "identifier") {
        const auto found = m_variables.find(textOf(node, m_text));
        return found == m_variables.end() ? BlockFlow{} : found->second;
    }
    if (type == "binary_operator") return binary(node, depth);
    if (type == "unary_operator") return evaluate(childByField(node, "argument"), depth + 1);
    if (type == "call") return call(node, depth);
    if (type == "subscript") return subscript(node, depth);
    if (type == "attribute") {  // x.T
        BlockFlow flow = evaluate(childByField(node, "object"), depth + 1);
        if (textOf(childByField(node, "attribute"), m_text) == "T") std::reverse(flow.axes.begin(), flow.axes.end());
        return flow;
    }
    if (type == "conditional_expression") {
        const std::vector<TSNode> parts = namedChildren(node);
        if (parts.size() != 3) return {};
        const BlockFlow yes = evaluate(parts[0], depth + 1);
        BlockFlow out = broadcast(yes, evaluate(parts[2], depth + 1), either);
        out.object = yes.object;
        return out;
    }
    if (type == "comparison_operator" || type == "boolean_operator" || type == "not_operator") {
        BlockFlow out;
        for (const TSNode part : namedChildren(node)) out = broadcast(out, evaluate(part, depth + 1), either);
        return data(out);
    }
    return {};
}

BlockFlow BlockAnalysis::binary(TSNode node, int depth) const {
    const TSNode left = childByField(node, "left");
    const TSNode right = childByField(node, "right");
    const BlockFlow a = evaluate(left, depth + 1);
    const BlockFlow b = evaluate(right, depth + 1);
    const std::string_view op = textOf(childByField(node, "operator"), m_text);
    if (op == "+" || op == "-") {
        BlockFlow out = op == "+" ? broadcast(a, b, sum) : broadcast(a, b, difference);
        out.object = a.object.empty() ? b.object : a.object;
        return out;
    }
    const auto leftTerm = m_terms.of(left);
    const auto rightTerm = m_terms.of(right);
    const auto leftValue = leftTerm ? leftTerm->value : std::nullopt;
    const auto rightValue = rightTerm ? rightTerm->value : std::nullopt;
    return broadcast(a, b, [&](const LaneStep& x, const LaneStep& y) {
        if (x.uniform() && y.uniform()) return LaneStep{};
        if (op == "*" && y.uniform()) return scaled(x, rightValue, textOf(right, m_text));
        if (op == "*" && x.uniform()) return scaled(y, leftValue, textOf(left, m_text));
        if (op == "//" && y.uniform()) return quotient(x, rightValue);
        if (op == "%" && y.uniform()) return remainder(x, rightValue);
        return LaneStep::scattered();
    });
}

BlockFlow BlockAnalysis::call(TSNode node, int depth) const {
    const std::string_view name = pythonCalledName(node, m_text);
    if (name == "arange") return {{LaneStep::unit()}, {}, false};
    if (name == "program_id" || name == "num_programs" || name == "cdiv") return {};
    if (name == "make_block_ptr") return blockPointer(node, depth);
    const TSNode first = pythonArgument(node, 0);
    if (name == "make_tensor_descriptor" || name == "_experimental_make_tensor_descriptor") {
        return {{LaneStep::unit()}, evaluate(first, depth + 1).object, true};
    }
    const TSNode function = childByField(node, "function");
    const bool method = is(function, "attribute") && is(childByField(function, "object"), "identifier") &&
                        m_variables.contains(textOf(childByField(function, "object"), m_text));
    const BlockFlow base = method ? evaluate(childByField(function, "object"), depth + 1) : evaluate(first, depth + 1);
    if (passing().contains(name)) return base;
    if (name == "trans") {
        BlockFlow turned = base;
        std::reverse(turned.axes.begin(), turned.axes.end());
        return turned;
    }
    if (name == "expand_dims") {
        BlockFlow out = base;
        const auto axis = m_terms.of(pythonArgument(node, 1));
        const bool sane = axis && axis->value && *axis->value >= 0 && *axis->value <= static_cast<std::int64_t>(out.axes.size());
        out.axes.insert(sane ? out.axes.begin() + *axis->value : out.axes.end(), LaneStep{});
        return out;
    }
    const BlockFlow second = evaluate(pythonArgument(node, 1), depth + 1);
    if (name == "minimum" || name == "maximum" || name == "min" || name == "max") return broadcast(base, second, either);
    if (name == "where") return broadcast(second, evaluate(pythonArgument(node, 2), depth + 1), either);  // a guard leaves the order
    return data(isUniform(second) ? base : broadcast(base, second, either));
}

/// Its order says which axis is the fastest; that axis' stride decides.
BlockFlow BlockAnalysis::blockPointer(TSNode node, int depth) const {
    const auto given = [&](std::string_view name, std::size_t position) {
        const TSNode keyword = pythonKeyword(node, name, m_text);
        return ts_node_is_null(keyword) ? pythonArgument(node, position) : keyword;
    };
    BlockFlow out;
    out.object = evaluate(given("base", 0), depth + 1).object;
    const TSNode strides = given("strides", 2);
    if (!is(strides, "tuple") && !is(strides, "list")) {
        out.axes = {LaneStep::unit()};
        return out;
    }
    for (const TSNode stride : namedChildren(strides)) {
        const auto term = m_terms.of(stride);
        out.axes.push_back(scaled(LaneStep::unit(), term ? term->value : std::nullopt, textOf(stride, m_text)));
    }
    return out;
}

BlockFlow BlockAnalysis::subscript(TSNode node, int depth) const {
    BlockFlow flow = evaluate(childByField(node, "value"), depth + 1);
    BlockFlow out;
    out.object = flow.object;
    std::size_t axis = 0;
    for (const TSNode index : childrenByField(node, "subscript")) {
        if (is(index, "none")) {
            out.axes.emplace_back();
        } else {
            out.axes.push_back(axis < flow.axes.size() ? flow.axes[axis] : LaneStep{});
            ++axis;
        }
    }
    for (; axis < flow.axes.size(); ++axis) out.axes.push_back(flow.axes[axis]);
    return out;
}

}  // namespace ww::source
