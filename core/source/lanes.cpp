// SPDX-License-Identifier: Apache-2.0
#include "source/lanes.h"

#include <algorithm>

#include "source/fold.h"
#include "source/functions.h"

namespace ww::source {
namespace {

/// Deeper expressions are generated code; they count as scattered rather than cost stack.
constexpr int kMostDepth = 64;
constexpr int kWarp = 32;
/// constantOf: the expression is no constant.
constexpr std::int64_t kUnknown = -1;

Lane sum(Lane a, Lane b) {
    if (a == Lane::Uniform) return b;
    if (b == Lane::Uniform) return a;
    return a == Lane::Scattered || b == Lane::Scattered ? Lane::Scattered : Lane::Strided;
}

Lane product(Lane a, Lane b, std::int64_t constant) {
    if (a == Lane::Uniform && b == Lane::Uniform) return Lane::Uniform;
    if (a != Lane::Uniform && b != Lane::Uniform) return Lane::Scattered;
    const Lane varying = std::max(a, b);
    if (constant == 0) return Lane::Uniform;
    if (constant == 1) return varying;
    return varying == Lane::Scattered ? Lane::Scattered : Lane::Strided;
}

/// Division by at least a warp's width makes an index the same for whole warps; by less, runs of it.
Lane quotient(Lane a, Lane b, std::int64_t divisor) {
    if (b != Lane::Uniform) return Lane::Scattered;
    if (a == Lane::Unit && divisor >= kWarp) return Lane::Uniform;
    return a;
}

Lane remainder(Lane a, Lane b, std::int64_t divisor) {
    if (b != Lane::Uniform) return Lane::Scattered;
    if (divisor == 1) return Lane::Uniform;
    return a == Lane::Strided ? Lane::Scattered : a;
}

/// Deeply nested parentheses are walked, not recursed into.
TSNode stripped(TSNode node) {
    while (is(node, "parenthesized_expression") || is(node, "condition_clause")) {
        const std::vector<TSNode> children = namedChildren(node);
        if (children.empty()) return node;
        node = children.back();
    }
    return node;
}

/// What memory gives back for an address: the same everywhere for a uniform one, anything otherwise.
Flow loaded(const Flow& address) {
    return {address.lane == Lane::Uniform ? Lane::Uniform : Lane::Scattered, address.thread, Space::None};
}

bool isPointerLike(TSNode declarator) {
    while (!ts_node_is_null(declarator)) {
        const std::string_view type = typeOf(declarator);
        if (type == "pointer_declarator" || type == "array_declarator") return true;
        declarator = childByField(declarator, "declarator");
    }
    return false;
}

}  // namespace

std::string_view calledName(TSNode call, std::string_view text) {
    TSNode function = childByField(call, "function");
    while (!ts_node_is_null(function)) {
        const std::string_view type = typeOf(function);
        if (type == "qualified_identifier" || type == "template_function" || type == "template_method") {
            function = childByField(function, "name");
        } else if (type == "field_expression") {
            function = childByField(function, "field");
        } else {
            break;
        }
    }
    return textOf(function, text);
}

void LaneAnalysis::join(std::string_view name, const Flow& flow) {
    const auto [known, fresh] = m_variables.emplace(name, flow);
    if (fresh) return;
    known->second.lane = std::max(known->second.lane, flow.lane);
    known->second.thread |= flow.thread;
    if (known->second.space == Space::None) known->second.space = flow.space;
}

void LaneAnalysis::learn(TSNode function) {
    learnParameters(function);
    // Twice: a loop's body may use what a later line assigns.
    for (int pass = 0; pass < 2; ++pass) {
        walk(childByField(function, "body"), [this](const Cursor& cursor) {
            const TSNode node = cursor.node();
            const std::string_view type = typeOf(node);
            if (type == "declaration") {
                learnDeclaration(node);
            } else if (type == "assignment_expression") {
                const TSNode left = stripped(childByField(node, "left"));
                if (is(left, "identifier")) join(textOf(left, m_text), of(childByField(node, "right")));
            }
            return true;
        });
    }
}

void LaneAnalysis::learnParameters(TSNode function) {
    TSNode declarator = childByField(function, "declarator");
    while (!ts_node_is_null(declarator) && !is(declarator, "function_declarator")) declarator = childByField(declarator, "declarator");
    const TSNode parameters = childByField(declarator, "parameters");
    if (ts_node_is_null(parameters)) return;
    for (const TSNode parameter : namedChildren(parameters)) {
        const TSNode inner = childByField(parameter, "declarator");
        const TSNode name = declaredName(inner);
        if (ts_node_is_null(name)) continue;
        m_variables[textOf(name, m_text)] = {Lane::Uniform, false, isPointerLike(inner) ? Space::Global : Space::None};
    }
}

void LaneAnalysis::learnDeclaration(TSNode declaration) {
    Space space = Space::None;
    for (const TSNode child : namedChildren(declaration)) {
        if (is(child, "type_qualifier") && textOf(child, m_text) == "__shared__") space = Space::Shared;
    }
    for (const TSNode declarator : childrenByField(declaration, "declarator")) learnVariable(declarator, space);
}

void LaneAnalysis::learnVariable(TSNode declarator, Space space) {
    const TSNode value = is(declarator, "init_declarator") ? childByField(declarator, "value") : TSNode{};
    const TSNode inner = is(declarator, "init_declarator") ? childByField(declarator, "declarator") : declarator;
    const TSNode name = declaredName(inner);
    if (ts_node_is_null(name)) return;
    Flow flow;
    if (!ts_node_is_null(value)) {
        const bool list = is(value, "initializer_list") || is(value, "argument_list");
        const std::vector<TSNode> inside = list ? namedChildren(value) : std::vector<TSNode>{value};
        if (inside.size() == 1) flow = of(inside.front());
    }
    if (space != Space::None) flow = {Lane::Uniform, false, space};
    if (is(inner, "array_declarator") && flow.space == Space::None) flow = {Lane::Uniform, false, Space::Local};
    join(textOf(name, m_text), flow);
}

std::int64_t LaneAnalysis::constantOf(TSNode node) const {
    node = stripped(node);
    const std::string_view text = textOf(node, m_text);
    if (is(node, "identifier")) {
        const auto found = m_constants.find(text);
        if (found != m_constants.end()) return found->second;
        return text == "warpSize" ? kWarp : kUnknown;
    }
    if (text.size() > 64) return kUnknown;
    const auto folded = foldLiteral(text);
    return folded && folded->isInt() ? folded->asInt() : kUnknown;
}

Flow LaneAnalysis::binary(TSNode node, int depth) const {
    const TSNode left = childByField(node, "left");
    const TSNode right = childByField(node, "right");
    const Flow a = evaluate(left, depth + 1);
    const Flow b = evaluate(right, depth + 1);
    const std::string_view op = textOf(childByField(node, "operator"), m_text);
    Flow out{Lane::Uniform, a.thread || b.thread, a.space != Space::None ? a.space : b.space};
    if (op == "+" || op == "-") {
        out.lane = sum(a.lane, b.lane);
    } else if (op == "*") {
        out.lane = product(a.lane, b.lane, a.lane == Lane::Uniform ? constantOf(left) : constantOf(right));
    } else if (op == "<<") {
        const std::int64_t bits = constantOf(right);
        out.lane = product(a.lane, b.lane, bits == 0 ? 1 : 2);
    } else if (op == "/") {
        out.lane = quotient(a.lane, b.lane, constantOf(right));
    } else if (op == ">>") {
        const std::int64_t bits = constantOf(right);
        out.lane = quotient(a.lane, b.lane, bits >= 0 && bits < 62 ? std::int64_t{1} << bits : kUnknown);
    } else if (op == "%") {
        out.lane = remainder(a.lane, b.lane, constantOf(right));
    } else if (op == "&") {
        out.lane = remainder(std::max(a.lane, b.lane), std::min(a.lane, b.lane), kUnknown);
    } else if (op == "|") {
        out.lane = sum(a.lane, b.lane);
    } else {
        out.lane = a.lane == Lane::Uniform && b.lane == Lane::Uniform ? Lane::Uniform : Lane::Scattered;
    }
    return out;
}

Flow LaneAnalysis::call(TSNode node, int depth) const {
    const std::string_view name = calledName(node, m_text);
    if (name == "thread_rank") return {Lane::Unit, true, Space::None};
    Flow joined;
    bool first = true;
    const TSNode arguments = childByField(node, "arguments");
    if (ts_node_is_null(arguments)) return joined;
    for (const TSNode argument : namedChildren(arguments)) {
        const Flow flow = evaluate(argument, depth + 1);
        if (first) joined.space = flow.space;
        first = false;
        joined.lane = std::max(joined.lane, flow.lane);
        joined.thread |= flow.thread;
    }
    const bool passes = name.ends_with("_cast") || name == "min" || name == "max" || name == "int" || name == "unsigned" ||
                        name == "size_t" || name == "__umul24" || name == "__mul24";
    if (passes) return joined;
    if (name.starts_with("__shfl") || name.starts_with("atomic")) return {Lane::Scattered, true, Space::None};
    return loaded(joined);
}

Flow LaneAnalysis::field(TSNode node, int depth) const {
    const TSNode object = childByField(node, "argument");
    const std::string_view name = textOf(object, m_text);
    if (name == "threadIdx") {
        return {textOf(childByField(node, "field"), m_text) == "x" ? Lane::Unit : Lane::Uniform, true, Space::None};
    }
    if (name == "blockIdx" || name == "blockDim" || name == "gridDim") return {};
    const Flow flow = evaluate(object, depth + 1);
    return textOf(childByField(node, "operator"), m_text) == "->" ? loaded(flow) : flow;
}

Flow LaneAnalysis::addressOf(TSNode access, int depth) const {
    if (depth > kMostDepth) return {Lane::Scattered, true, Space::Global};
    if (!is(access, "subscript_expression")) {
        Flow flow = evaluate(childByField(access, "argument"), depth + 1);
        if (flow.space == Space::None) flow.space = Space::Global;
        return flow;
    }
    Flow out;
    TSNode base = access;
    bool innermost = true;
    for (int level = 0; is(base, "subscript_expression") && level < kMostDepth; ++level) {
        const TSNode indices = childByField(base, "indices");
        for (const TSNode index : ts_node_is_null(indices) ? std::vector<TSNode>{} : namedChildren(indices)) {
            const Flow flow = evaluate(index, depth + 1);
            out.lane = sum(out.lane, innermost || flow.lane != Lane::Unit ? flow.lane : Lane::Strided);
            out.thread |= flow.thread;
        }
        innermost = false;
        base = stripped(childByField(base, "argument"));
    }
    const Flow root = evaluate(base, depth + 1);
    out.lane = sum(out.lane, root.lane);
    out.thread |= root.thread;
    const bool member = is(base, "field_expression");
    out.space = root.space != Space::None ? root.space : member ? Space::Local : Space::Global;
    return out;
}

Flow LaneAnalysis::evaluate(TSNode node, int depth) const {
    if (ts_node_is_null(node)) return {};
    if (depth > kMostDepth) return {Lane::Scattered, true, Space::None};
    node = stripped(node);
    const std::string_view type = typeOf(node);
    if (type == "identifier") {
        const auto found = m_variables.find(textOf(node, m_text));
        return found == m_variables.end() ? Flow{} : found->second;
    }
    if (type == "field_expression") return field(node, depth);
    if (type == "binary_expression") return binary(node, depth);
    if (type == "call_expression") return call(node, depth);
    if (type == "subscript_expression") return loaded(addressOf(node, depth + 1));
    if (type == "pointer_expression") {
        const TSNode inner = stripped(childByField(node, "argument"));
        if (textOf(childByField(node, "operator"), m_text) == "*") return loaded(evaluate(inner, depth + 1));
        return is(inner, "subscript_expression") ? addressOf(inner, depth + 1) : evaluate(inner, depth + 1);
    }
    if (type == "cast_expression") return evaluate(childByField(node, "value"), depth + 1);
    if (type == "unary_expression" || type == "update_expression") return evaluate(childByField(node, "argument"), depth + 1);
    if (type == "assignment_expression") return evaluate(childByField(node, "right"), depth + 1);
    if (type == "comma_expression") return evaluate(childByField(node, "right"), depth + 1);
    if (type == "conditional_expression") {
        const Flow test = evaluate(childByField(node, "condition"), depth + 1);
        const Flow yes = evaluate(childByField(node, "consequence"), depth + 1);
        const Flow no = evaluate(childByField(node, "alternative"), depth + 1);
        const Lane lane = test.lane != Lane::Uniform ? Lane::Scattered : std::max(yes.lane, no.lane);
        return {lane, test.thread || yes.thread || no.thread, yes.space};
    }
    return {};
}

}  // namespace ww::source
