// SPDX-License-Identifier: Apache-2.0
#include "expr/evaluator.h"

#include <algorithm>
#include <utility>

#include "expr/expression.h"

namespace ww::expr {

namespace {

constexpr std::size_t kMaxElements = 1'000'000;

std::string inQuotes(const char* text) { return "'" + std::string(text) + "'"; }

}  // namespace

const char* toString(Op op) noexcept {
    constexpr const char* words[] = {"+", "-",  "not", "~", "+", "-",  "*",  "/",  "//", "%",  "**", "&", "|",
                                     "^", "<<", ">>",  "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
    return words[static_cast<std::size_t>(op)];
}

const char* typeName(const Value& value) noexcept {
    if (value.isNone()) return "None";
    if (value.isBool()) return "bool";
    if (value.isInt()) return "int";
    if (value.isFloat()) return "float";
    return value.isString() ? "str" : "tuple";
}

bool Evaluator::fail(const Node& at, std::string problem) {
    m_problem = std::move(problem);
    m_offset = at.offset;
    return false;
}

bool Evaluator::spend(const Node& at, std::size_t elements) {
    m_budget -= static_cast<std::int64_t>(elements);
    return m_budget >= 0 || fail(at, "this needs too much work (more than 4 million elements); make the ranges smaller");
}

bool Evaluator::take(const Node& at, const Outcome& outcome, Value& out) {
    if (outcome.problem) return fail(at, outcome.problem);
    out = valueOf(outcome.value);
    return true;
}

bool Evaluator::evaluate(const Node& node, Value& out) {
    switch (node.kind) {
    case Kind::Literal: out = node.value; return true;
    case Kind::Name: return name(node, out);
    case Kind::Local: out = m_locals[node.slot]; return true;
    case Kind::Slot: {
        const Value* value = m_names.slot(node.slot);
        if (!value) return fail(node, "a part of this could not be computed");
        out = *value;
        return true;
    }
    case Kind::Tuple: return tuple(node, out);
    case Kind::Unary: return unary(node, out);
    case Kind::Binary: return binary(node, out);
    case Kind::Compare: return compare(node, out);
    case Kind::And:
    case Kind::Or: return logical(node, out);
    case Kind::Conditional:
        if (!evaluate(node.children[0], out)) return false;
        return evaluate(node.children[out.truthy() ? 1 : 2], out);
    case Kind::Subscript: return subscript(node, out);
    case Kind::Comprehension: return comprehension(node, out);
    case Kind::Call: return call(node, out);
    }
    return fail(node, "unknown node");
}

bool Evaluator::name(const Node& node, Value& out) {
    if (const Value* value = m_names.find(node.name)) {
        out = *value;
        return true;
    }
    const std::string near = nearestName(node.name, m_names.known());
    return fail(node, "unknown name '" + node.name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

bool Evaluator::tuple(const Node& node, Value& out) {
    Value::Tuple items(node.children.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!evaluate(node.children[i], items[i])) return false;
    out = Value(std::move(items));
    return true;
}

bool Evaluator::unary(const Node& node, Value& out) {
    Value operand;
    if (!evaluate(node.children[0], operand)) return false;
    if (node.op == Op::Not) {
        out = Value(!operand.truthy());
        return true;
    }
    if (!operand.isNumber()) return fail(node, "the operator " + inQuotes(toString(node.op)) + " needs a number, not " + typeName(operand));
    return take(node, applyUnary(node.op, numberOf(operand)), out);
}

bool Evaluator::binary(const Node& node, Value& out) {
    Value left, right;
    if (!evaluate(node.children[0], left) || !evaluate(node.children[1], right)) return false;
    if (left.isNumber() && right.isNumber()) return take(node, applyBinary(node.op, numberOf(left), numberOf(right)), out);
    return sequenceBinary(node, left, right, out);
}

bool Evaluator::sequenceBinary(const Node& node, const Value& left, const Value& right, Value& out) {
    if (node.op == Op::Add && left.isTuple() && right.isTuple()) {
        if (!spend(node, left.asTuple().size() + right.asTuple().size())) return false;
        Value::Tuple joined = left.asTuple();
        joined.insert(joined.end(), right.asTuple().begin(), right.asTuple().end());
        if (joined.size() > kMaxElements) return fail(node, "this makes more than 1,000,000 elements");
        out = Value(std::move(joined));
        return true;
    }
    if (node.op == Op::Add && left.isString() && right.isString()) {
        if (!spend(node, left.asString().size() + right.asString().size())) return false;
        out = Value(left.asString() + right.asString());
        return true;
    }
    if (node.op == Op::Mul && (left.isTuple() || left.isString())) return repeat(node, left, right, out);
    if (node.op == Op::Mul && (right.isTuple() || right.isString())) return repeat(node, right, left, out);
    return fail(node, "the operator " + inQuotes(toString(node.op)) + " does not work on " + typeName(left) + " and " + typeName(right));
}

bool Evaluator::repeat(const Node& node, const Value& items, const Value& count, Value& out) {
    if (!count.isInt() && !count.isBool()) return fail(node, std::string("only a whole number repeats a ") + typeName(items));
    const auto times = static_cast<std::size_t>(std::max<std::int64_t>(count.asInt(), 0));
    const std::size_t size = items.isString() ? items.asString().size() : items.asTuple().size();
    if (size != 0 && times > kMaxElements / size) return fail(node, "this makes more than 1,000,000 elements");
    if (!spend(node, size * times)) return false;
    if (items.isString()) {
        std::string text;
        for (std::size_t i = 0; size != 0 && i < times; ++i)
            text += items.asString();
        out = Value(std::move(text));
        return true;
    }
    Value::Tuple repeated;
    repeated.reserve(size * times);
    for (std::size_t i = 0; size != 0 && i < times; ++i)
        repeated.insert(repeated.end(), items.asTuple().begin(), items.asTuple().end());
    out = Value(std::move(repeated));
    return true;
}

bool Evaluator::compare(const Node& node, Value& out) {
    Value left, right;
    if (!evaluate(node.children[0], left)) return false;
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
        bool holds = false;
        if (!evaluate(node.children[i + 1], right) || !compareOne(node, node.ops[i], left, right, holds)) return false;
        if (!holds) {
            out = Value(false);
            return true;
        }
        std::swap(left, right);
    }
    out = Value(true);
    return true;
}

bool Evaluator::compareOne(const Node& node, Op op, const Value& left, const Value& right, bool& result) {
    if (op == Op::In || op == Op::NotIn) {
        if (!contains(node, left, right, result)) return false;
        result = result == (op == Op::In);
        return true;
    }
    if (left.isNumber() && right.isNumber()) {
        result = applyComparison(op, numberOf(left), numberOf(right));
        return true;
    }
    if (op == Op::Eq || op == Op::Ne) {
        result = left.equals(right) == (op == Op::Eq);
        return true;
    }
    int order = 0;
    if (left.isString() && right.isString()) {
        order = left.asString().compare(right.asString());
    } else if (left.isTuple() && right.isTuple()) {
        // Python orders tuples by their first unequal elements, else by length.
        const Value::Tuple &a = left.asTuple(), &b = right.asTuple();
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
            if (!a[i].equals(b[i])) return compareOne(node, op, a[i], b[i], result);
        order = a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
    } else {
        return fail(node, "the operator " + inQuotes(toString(op)) + " does not compare " + typeName(left) + " with " + typeName(right));
    }
    result = op == Op::Lt ? order < 0 : op == Op::Le ? order <= 0 : op == Op::Gt ? order > 0 : order >= 0;
    return true;
}

bool Evaluator::contains(const Node& node, const Value& item, const Value& in, bool& result) {
    if (in.isTuple()) {
        if (!spend(node, in.asTuple().size())) return false;
        result = std::any_of(in.asTuple().begin(), in.asTuple().end(), [&](const Value& candidate) { return candidate.equals(item); });
        return true;
    }
    if (!in.isString()) return fail(node, std::string("'in' needs a tuple or list on its right, not ") + typeName(in));
    if (!item.isString()) return fail(node, std::string("'in' a string needs a string on its left, not ") + typeName(item));
    result = in.asString().find(item.asString()) != std::string::npos;
    return true;
}

bool Evaluator::logical(const Node& node, Value& out) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        if (!evaluate(node.children[i], out)) return false;
        if (out.truthy() == (node.kind == Kind::Or)) return true;
    }
    return true;
}

bool Evaluator::subscript(const Node& node, Value& out) {
    Value holder, index;
    if (!evaluate(node.children[0], holder) || !evaluate(node.children[1], index)) return false;
    if (!index.isInt() && !index.isBool()) return fail(node.children[1], std::string("an index is a whole number, not ") + typeName(index));
    Value::Tuple characters;
    if (holder.isString()) {
        if (!elements(node, holder, characters)) return false;
    } else if (!holder.isTuple()) {
        return fail(node, std::string("only a tuple, list or string has elements, not ") + typeName(holder));
    }
    const Value::Tuple& items = holder.isTuple() ? holder.asTuple() : characters;
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t asked = index.asInt();
    if (asked >= size || asked < -size) {
        return fail(node.children[1], "index " + std::to_string(asked) + " is out of range: there are " + std::to_string(size) + " elements");
    }
    Value picked = items[static_cast<std::size_t>(asked < 0 ? asked + size : asked)];
    out = std::move(picked);
    return true;
}

bool Evaluator::comprehension(const Node& node, Value& out) {
    Value source;
    Value::Tuple items, made;
    if (!evaluate(node.children[1], source) || !elements(node.children[1], source, items)) return false;
    for (Value& item : items) {
        if (!spend(node, 1)) return false;
        if (node.slot == 1) {
            m_locals.assign(1, std::move(item));
        } else {
            if (!elements(node, item, m_locals)) return false;
            if (m_locals.size() != node.slot) {
                return fail(node, "an element has " + std::to_string(m_locals.size()) + " parts where " + std::to_string(node.slot) + " are named");
            }
        }
        bool wanted = true;
        Value value;
        for (std::size_t i = 2; wanted && i < node.children.size(); ++i) {
            if (!evaluate(node.children[i], value)) return false;
            wanted = value.truthy();
        }
        if (!wanted) continue;
        if (!evaluate(node.children[0], value)) return false;
        made.push_back(std::move(value));
    }
    m_locals.clear();
    out = Value(std::move(made));
    return true;
}

bool Evaluator::elements(const Node& at, const Value& value, Value::Tuple& out) {
    if (value.isTuple()) {
        if (!spend(at, value.asTuple().size())) return false;
        out = value.asTuple();
        return true;
    }
    if (!value.isString()) return fail(at, std::string("a tuple or list is needed here, not ") + typeName(value));
    const std::string& text = value.asString();
    if (!spend(at, text.size())) return false;
    out.clear();
    for (std::size_t i = 0; i < text.size();) {
        // Characters are code points: a byte 10xxxxxx continues the one before it.
        std::size_t end = i + 1;
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
            ++end;
        out.emplace_back(text.substr(i, end - i));
        i = end;
    }
    return true;
}

}  // namespace ww::expr
