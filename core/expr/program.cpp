// SPDX-License-Identifier: Apache-2.0
#include "expr/program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/evaluator.h"
#include "expr/parse.h"

namespace ww::expr {

namespace {

class NoNames final : public Names {
public:
    [[nodiscard]] const Value* find(const std::string&) const override { return nullptr; }
    [[nodiscard]] std::vector<std::string> known() const override { return {}; }
    [[nodiscard]] const Value* slot(std::uint32_t) const override { return nullptr; }
};

class SlotNames final : public Names {
public:
    SlotNames(const Number* inputs, const Objects& objects) : m_inputs(inputs), m_objects(objects) {}
    [[nodiscard]] const Value* find(const std::string&) const override { return nullptr; }
    [[nodiscard]] std::vector<std::string> known() const override { return {}; }
    [[nodiscard]] const Value* slot(std::uint32_t index) const override {
        if (m_inputs[index].type == Number::Type::Error) return nullptr;
        return &m_made.try_emplace(index, m_objects.valueOf(m_inputs[index])).first->second;
    }

private:
    const Number* m_inputs;
    const Objects& m_objects;
    mutable std::unordered_map<std::uint32_t, Value> m_made;
};

bool isOpen(const Node& node) {
    if (node.kind == Kind::Name || node.kind == Kind::Slot || node.kind == Kind::Local) return true;
    return std::any_of(node.children.begin(), node.children.end(), isOpen);
}

// Local nodes of a comprehension are closed by it.
bool isClosed(const Node& node) {
    if (node.kind != Kind::Comprehension) return !isOpen(node);
    const auto free = [](const auto& self, const Node& part) -> bool {
        if (part.kind == Kind::Name || part.kind == Kind::Slot) return true;
        return std::any_of(part.children.begin(), part.children.end(), [&](const Node& child) { return self(self, child); });
    };
    return !free(free, node);
}

Result<void> substitute(Node& node, const Expression& expression, std::span<const std::string> slots, const Scope& constants) {
    if (node.kind == Kind::Name) {
        const auto found = std::find(slots.begin(), slots.end(), node.name);
        if (found != slots.end()) {
            node.kind = Kind::Slot;
            node.slot = static_cast<std::uint32_t>(found - slots.begin());
            return {};
        }
        if (const Value* value = constants.find(node.name)) {
            node.kind = Kind::Literal;
            node.value = *value;
            return {};
        }
        std::vector<std::string> known = constants.names();
        known.insert(known.end(), slots.begin(), slots.end());
        const std::string near = nearestName(node.name, known);
        return expressionError(expression.text(), node.offset,
                               "unknown name '" + node.name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    for (Node& child : node.children)
        WW_CHECK(substitute(child, expression, slots, constants));
    return {};
}

// `1 and x` is x and `0 and x` is 0: operands that decide nothing go, one that decides ends the list.
void foldLogical(Node& node) {
    const bool stop = node.kind == Kind::Or;
    std::vector<Node> kept;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        Node& child = node.children[i];
        const bool literal = child.kind == Kind::Literal;
        const bool last = i + 1 == node.children.size() || (literal && child.value.truthy() == stop);
        if (!literal || last) kept.push_back(std::move(child));
        if (last) break;
    }
    if (kept.size() == 1) {
        Node only = std::move(kept.front());
        node = std::move(only);
    } else {
        node.children = std::move(kept);
    }
}

}  // namespace

void fold(Node& node) {
    for (Node& child : node.children)
        fold(child);
    if (node.kind == Kind::Literal) return;
    if (isClosed(node)) {
        const NoNames none;
        Evaluator evaluator(none);
        Value value;
        if (evaluator.evaluate(node, value)) {
            node.kind = Kind::Literal;
            node.value = std::move(value);
            node.children.clear();
            node.ops.clear();
            return;
        }
    }
    if (node.kind == Kind::And || node.kind == Kind::Or) {
        foldLogical(node);
    } else if (node.kind == Kind::Conditional && node.children[0].kind == Kind::Literal) {
        Node chosen = std::move(node.children[node.children[0].value.truthy() ? 1 : 2]);
        node = std::move(chosen);
    }
}

Result<Node> resolve(const Expression& expression, std::span<const std::string> slots, const Scope& constants) {
    Node tree = expression.root();
    WW_CHECK(substitute(tree, expression, slots, constants));
    fold(tree);
    return tree;
}

Number Objects::intern(const Value& value) {
    if (value.isNumber()) return numberOf(value);
    const auto [found, added] = m_byRepr.try_emplace(value.repr(), static_cast<std::int64_t>(m_values.size()));
    if (added) m_values.push_back(value);
    return Number::ofObject(found->second);
}

Value Objects::valueOf(const Number& number) const {
    if (number.isNumber()) return expr::valueOf(number);
    return number.type == Number::Type::Object ? m_values[static_cast<std::size_t>(number.integer)] : Value();
}

Result<Program> Program::compile(const Expression& expression, std::span<const std::string> slots, const Scope& constants) {
    WW_TRY(tree, resolve(expression, slots, constants));
    return Program(std::move(tree));
}

Program::Program(Node tree) : m_tree(std::move(tree)) {
    m_steps.emplace_back();
    m_fast = flatten(m_tree, 0);
}

bool Program::flattenLiteral(const Node& node, std::uint32_t at) {
    if (node.value.isNumber()) {
        m_steps[at].literal = numberOf(node.value);
        return true;
    }
    if (!node.value.isTuple()) return false;
    const Value::Tuple& items = node.value.asTuple();
    m_steps[at].kind = Kind::Tuple;
    m_steps[at].first = static_cast<std::uint32_t>(m_steps.size());
    m_steps[at].count = static_cast<std::uint32_t>(items.size());
    for (const Value& item : items) {
        if (!item.isNumber()) return false;
        m_steps.emplace_back().literal = numberOf(item);
    }
    return true;
}

// Children lie side by side. False where a part has no fast form; the whole then runs in the general evaluator.
bool Program::flatten(const Node& node, std::uint32_t at) {
    Step step;
    step.kind = node.kind;
    step.op = node.op;
    step.function = node.function;
    step.slot = node.slot;
    step.count = static_cast<std::uint32_t>(node.children.size());
    step.first = static_cast<std::uint32_t>(m_steps.size());
    m_steps[at] = step;
    switch (node.kind) {
    case Kind::Literal: return flattenLiteral(node, at);
    case Kind::Slot: return true;
    case Kind::Name:
    case Kind::Local:
    case Kind::Subscript:
    case Kind::Comprehension: return false;
    case Kind::Compare:
        m_steps[at].slot = static_cast<std::uint32_t>(m_operators.size());
        m_operators.insert(m_operators.end(), node.ops.begin(), node.ops.end());
        break;
    case Kind::Call: {
        constexpr Function known[] = {Function::Min, Function::Max, Function::Abs, Function::Int, Function::Float, Function::Bool,
                                      Function::Round, Function::Pow, Function::Ceil, Function::Floor, Function::Log2, Function::Sqrt};
        if (std::find(std::begin(known), std::end(known), node.function) == std::end(known)) return false;
        const bool extreme = node.function == Function::Min || node.function == Function::Max;
        if (node.children.size() != 1 && !extreme && node.function != Function::Pow) return false;
        if (node.children.size() == 1 && extreme) return false;
        break;
    }
    default: break;
    }
    const std::uint32_t first = step.first;
    m_steps.resize(m_steps.size() + node.children.size());
    for (std::uint32_t i = 0; i < node.children.size(); ++i)
        if (!flatten(node.children[i], first + i)) return false;
    return true;
}

Program::Status Program::run(std::uint32_t at, const Number* inputs, Number& out) const {
    const Step& step = m_steps[at];
    Status status = Status::Done;
    switch (step.kind) {
    case Kind::Literal: out = step.literal; return Status::Done;
    case Kind::Slot:
        out = inputs[step.slot];
        if (out.isNumber()) return Status::Done;
        return out.type == Number::Type::Object ? Status::General : Status::Failed;
    case Kind::Unary: {
        Number operand;
        if ((status = run(step.first, inputs, operand)) != Status::Done) return status;
        const Outcome outcome = applyUnary(step.op, operand);
        out = outcome.value;
        return outcome.problem ? Status::Failed : Status::Done;
    }
    case Kind::Binary: {
        Number left, right;
        if ((status = run(step.first, inputs, left)) != Status::Done) return status;
        if ((status = run(step.first + 1, inputs, right)) != Status::Done) return status;
        const Outcome outcome = applyBinary(step.op, left, right);
        out = outcome.value;
        return outcome.problem ? Status::Failed : Status::Done;
    }
    case Kind::Compare: return runCompare(step, inputs, out);
    case Kind::And:
    case Kind::Or:
        for (std::uint32_t i = 0; i < step.count; ++i) {
            if ((status = run(step.first + i, inputs, out)) != Status::Done) return status;
            if (out.truthy() == (step.kind == Kind::Or)) return Status::Done;
        }
        return Status::Done;
    case Kind::Conditional: {
        Number condition;
        if ((status = run(step.first, inputs, condition)) != Status::Done) return status;
        return run(step.first + (condition.truthy() ? 1 : 2), inputs, out);
    }
    case Kind::Call: return runCall(step, inputs, out);
    default: return Status::General;
    }
}

Program::Status Program::runCompare(const Step& step, const Number* inputs, Number& out) const {
    Number left, right;
    Status status = run(step.first, inputs, left);
    if (status != Status::Done) return status;
    for (std::uint32_t i = 0; i + 1 < step.count; ++i) {
        const Op op = m_operators[step.slot + i];
        bool holds = false;
        if (op == Op::In || op == Op::NotIn) {
            // A list in the middle of a chain would be compared again: left to the general evaluator.
            if (i + 2 != step.count) return Status::General;
            if ((status = runIn(m_steps[step.first + i + 1], op, left, inputs, holds)) != Status::Done) return status;
        } else {
            if ((status = run(step.first + i + 1, inputs, right)) != Status::Done) return status;
            holds = applyComparison(op, left, right);
            left = right;
        }
        if (!holds) {
            out = Number::ofBool(false);
            return Status::Done;
        }
    }
    out = Number::ofBool(true);
    return Status::Done;
}

Program::Status Program::runIn(const Step& list, Op op, const Number& item, const Number* inputs, bool& holds) const {
    if (list.kind != Kind::Tuple) return Status::General;
    bool found = false;
    for (std::uint32_t i = 0; i < list.count; ++i) {
        // All elements are computed, as Python does: one that fails must fail here too.
        Number element;
        if (const Status status = run(list.first + i, inputs, element); status != Status::Done) return status;
        found = found || compareNumbers(item, element) == 0;
    }
    holds = found == (op == Op::In);
    return Status::Done;
}

Program::Status Program::runCall(const Step& step, const Number* inputs, Number& out) const {
    Status status = run(step.first, inputs, out);
    if (status != Status::Done) return status;
    Outcome outcome;
    if (step.function == Function::Min || step.function == Function::Max) {
        for (std::uint32_t i = 1; i < step.count; ++i) {
            Number next;
            if ((status = run(step.first + i, inputs, next)) != Status::Done) return status;
            if (applyComparison(step.function == Function::Min ? Op::Lt : Op::Gt, next, out)) out = next;
        }
        return Status::Done;
    }
    if (step.function == Function::Pow) {
        Number exponent;
        if ((status = run(step.first + 1, inputs, exponent)) != Status::Done) return status;
        outcome = applyBinary(Op::Pow, out, exponent);
    } else {
        outcome = applyFunction(step.function, out);
    }
    out = outcome.value;
    return outcome.problem ? Status::Failed : Status::Done;
}

bool Program::general(const Number* inputs, const Objects& objects, Value& out) const {
    const SlotNames names(inputs, objects);
    Evaluator evaluator(names);
    return evaluator.evaluate(m_tree, out);
}

bool Program::accepts(const Number* inputs, const Objects& objects) const {
    if (m_fast) {
        Number value;
        const Status status = run(0, inputs, value);
        if (status != Status::General) return status == Status::Done && value.truthy();
    }
    Value value;
    return general(inputs, objects, value) && value.truthy();
}

Number Program::compute(const Number* inputs, Objects& objects) const {
    if (m_fast) {
        Number value;
        const Status status = run(0, inputs, value);
        if (status != Status::General) return status == Status::Done ? value : Number::error();
    }
    Value value;
    return general(inputs, objects, value) ? objects.intern(value) : Number::error();
}

}  // namespace ww::expr
