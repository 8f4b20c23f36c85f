// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdlib>
#include <utility>

#include "expr/evaluator.h"

namespace ww::expr {

namespace {

constexpr std::uint64_t kMaxRange = 1'000'000;

std::string_view stripped(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

bool Evaluator::call(const Node& node, Value& out) {
    Value::Tuple arguments(node.children.size());
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (!evaluate(node.children[i], arguments[i])) return false;
    switch (node.function) {
    case Function::Range: return callRange(node, arguments, out);
    case Function::Min:
    case Function::Max: return callExtreme(node, arguments, out);
    case Function::Sum: return callSum(node, arguments, out);
    case Function::Round: return callRound(node, arguments, out);
    case Function::All:
    case Function::Any: return callAllAny(node, arguments[0], out);
    case Function::Pow:
        if (!arguments[0].isNumber() || !arguments[1].isNumber()) return fail(node, "pow() needs two numbers");
        return take(node, applyBinary(Op::Pow, numberOf(arguments[0]), numberOf(arguments[1])), out);
    case Function::List:
    case Function::Tuple: {
        Value::Tuple items;
        if (!arguments.empty() && !elements(node, arguments[0], items)) return false;
        out = Value(std::move(items));
        return true;
    }
    case Function::Len: {
        Value::Tuple items;
        if (!elements(node, arguments[0], items)) return false;
        out = Value(static_cast<std::int64_t>(items.size()));
        return true;
    }
    case Function::Str:
        out = arguments.empty() ? Value("") : arguments[0].isString() ? std::move(arguments[0]) : Value(arguments[0].repr());
        return true;
    case Function::Bool: out = Value(!arguments.empty() && arguments[0].truthy()); return true;
    case Function::Int: return callInt(node, arguments.empty() ? Value(0) : arguments[0], out);
    case Function::Float:
        if (arguments.empty()) {
            out = Value(0.0);
            return true;
        }
        [[fallthrough]];
    default: return callNumeric(node, arguments[0], out);
    }
}

bool Evaluator::callNumeric(const Node& node, const Value& argument, Value& out) {
    if (node.function == Function::Float && argument.isString()) {
        const std::string text(stripped(argument.asString()));
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || end != text.c_str() + text.size() || text.find_first_of("xXpP(") != std::string::npos) {
            return fail(node, "'" + text + "' is not a number");
        }
        out = Value(value);
        return true;
    }
    if (!argument.isNumber()) return fail(node, std::string("a number is needed here, not ") + typeName(argument));
    return take(node, applyFunction(node.function, numberOf(argument)), out);
}

bool Evaluator::callInt(const Node& node, const Value& argument, Value& out) {
    if (!argument.isString()) return callNumeric(node, argument, out);
    std::string_view text = stripped(argument.asString());
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) return fail(node, "'" + std::string(text) + "' is not a whole number of 64 bits");
    out = Value(value);
    return true;
}

bool Evaluator::callRound(const Node& node, const Value::Tuple& arguments, Value& out) {
    if (arguments.size() == 1 || arguments[1].isNone()) return callNumeric(node, arguments[0], out);
    if (!arguments[0].isNumber()) return fail(node, std::string("a number is needed here, not ") + typeName(arguments[0]));
    if (!arguments[1].isInt() && !arguments[1].isBool()) return fail(node, "round() needs a whole number of digits");
    return take(node, roundTo(numberOf(arguments[0]), arguments[1].asInt()), out);
}

bool Evaluator::callRange(const Node& node, const Value::Tuple& arguments, Value& out) {
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (!arguments[i].isInt() && !arguments[i].isBool()) {
            return fail(node.children[i], std::string("range() needs whole numbers, not ") + typeName(arguments[i]));
        }
    const std::int64_t first = arguments.size() > 1 ? arguments[0].asInt() : 0;
    const std::int64_t end = arguments.size() > 1 ? arguments[1].asInt() : arguments[0].asInt();
    const std::int64_t step = arguments.size() > 2 ? arguments[2].asInt() : 1;
    if (step == 0) return fail(node, "the step of range() must not be 0");
    // Unsigned: end - first may not fit into a signed 64-bit integer.
    const auto from = static_cast<std::uint64_t>(step > 0 ? first : end), to = static_cast<std::uint64_t>(step > 0 ? end : first);
    const bool any = step > 0 ? first < end : first > end;
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    const std::uint64_t count = any ? (to - from - 1) / stride + 1 : 0;
    if (count > kMaxRange) return fail(node, "this range has more than 1,000,000 elements");
    if (!spend(node, count)) return false;
    Value::Tuple items;
    items.reserve(count);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i)
        items.emplace_back(first + i * step);
    out = Value(std::move(items));
    return true;
}

bool Evaluator::callExtreme(const Node& node, const Value::Tuple& arguments, Value& out) {
    Value::Tuple items;
    if (arguments.size() == 1) {
        if (!elements(node, arguments[0], items)) return false;
    } else {
        items = arguments;
    }
    if (items.empty()) return fail(node, "min() and max() need at least one element");
    std::size_t best = 0;
    for (std::size_t i = 1; i < items.size(); ++i) {
        bool better = false;
        if (!compareOne(node, node.function == Function::Min ? Op::Lt : Op::Gt, items[i], items[best], better)) return false;
        if (better) best = i;
    }
    out = std::move(items[best]);
    return true;
}

bool Evaluator::callSum(const Node& node, const Value::Tuple& arguments, Value& out) {
    Value::Tuple items;
    if (!elements(node, arguments[0], items)) return false;
    if (arguments.size() > 1 && arguments[1].isString()) return fail(node, "sum() does not add strings");
    Value total = arguments.size() > 1 ? arguments[1] : Value(0);
    Node plus;
    plus.op = Op::Add;
    plus.offset = node.offset;
    for (const Value& item : items) {
        if (total.isNumber() && item.isNumber()) {
            if (!take(node, applyBinary(Op::Add, numberOf(total), numberOf(item)), total)) return false;
        } else {
            Value next;
            if (!sequenceBinary(plus, total, item, next)) return false;
            total = std::move(next);
        }
    }
    out = std::move(total);
    return true;
}

bool Evaluator::callAllAny(const Node& node, const Value& argument, Value& out) {
    Value::Tuple items;
    if (!elements(node, argument, items)) return false;
    const bool stop = node.function == Function::Any;
    bool result = !stop;
    for (const Value& item : items)
        if (item.truthy() == stop) result = stop;
    out = Value(result);
    return true;
}

}  // namespace ww::expr
