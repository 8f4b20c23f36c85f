// SPDX-License-Identifier: Apache-2.0
#include "source/trip_count.h"

#include <algorithm>

namespace ww::source {
namespace {

/// How the induction variable moves: plus or times a term each time.
struct Update {
    enum class Kind { Add, Subtract, Multiply, Divide } kind = Kind::Add;
    Term by = termOf(1);
};

class Counter {
public:
    Counter(TSNode statement, const LaneAnalysis& lanes) : m_statement(statement), m_lanes(lanes) {}

    std::optional<TripCount> run() {
        const auto start = initial();
        if (!start) return std::nullopt;
        TSNode bound{};
        const std::string_view op = comparison(bound);
        const auto end = op.empty() ? std::nullopt : m_lanes.term(bound);
        const auto step = update();
        if (!end || !step) return std::nullopt;
        auto trips = count(*start, op, *end, *step);
        if (!trips) return std::nullopt;
        if (trips->value && *trips->value < 0) trips = termOf(0);
        return TripCount{m_variable, std::move(*trips)};
    }

private:
    std::string_view text(TSNode node) const { return textOf(node, m_lanes.text()); }
    bool isVariable(TSNode node) const { return text(stripped(node)) == m_variable; }

    std::optional<Term> initial() {
        TSNode start = childByField(m_statement, "initializer");
        TSNode value{};
        if (is(start, "declaration")) {
            const TSNode declarator = childByField(start, "declarator");
            m_variable = text(childByField(declarator, "declarator"));
            value = childByField(declarator, "value");
            if (is(value, "initializer_list") || is(value, "argument_list")) {
                const std::vector<TSNode> inside = namedChildren(value);
                value = inside.size() == 1 ? inside.front() : TSNode{};
            }
        } else if (is(start, "assignment_expression")) {
            m_variable = text(childByField(start, "left"));
            value = childByField(start, "right");
        }
        return m_variable.empty() || ts_node_is_null(value) ? std::nullopt : m_lanes.term(value);
    }

    /// The operator with the variable on its left.
    std::string_view comparison(TSNode& bound) const {
        const TSNode condition = stripped(childByField(m_statement, "condition"));
        if (!is(condition, "binary_expression")) return {};
        const std::string_view op = text(childByField(condition, "operator"));
        if (isVariable(childByField(condition, "left"))) {
            bound = childByField(condition, "right");
            return op;
        }
        if (!isVariable(childByField(condition, "right"))) return {};
        bound = childByField(condition, "left");
        if (op == "<") return ">";
        if (op == ">") return "<";
        if (op == "<=") return ">=";
        if (op == ">=") return "<=";
        return op;
    }

    std::optional<Update> update() const {
        const TSNode node = stripped(childByField(m_statement, "update"));
        if (is(node, "update_expression")) {
            if (!isVariable(childByField(node, "argument"))) return std::nullopt;
            return Update{text(childByField(node, "operator")) == "++" ? Update::Kind::Add : Update::Kind::Subtract, termOf(1)};
        }
        if (!is(node, "assignment_expression") || !isVariable(childByField(node, "left"))) return std::nullopt;
        std::string_view op = text(childByField(node, "operator"));
        TSNode amount = childByField(node, "right");
        if (op == "=") {  // i = i + c
            amount = stripped(amount);
            if (!is(amount, "binary_expression") || !isVariable(childByField(amount, "left"))) return std::nullopt;
            op = text(childByField(amount, "operator"));
            amount = childByField(amount, "right");
        } else {
            op.remove_suffix(1);
        }
        const auto by = m_lanes.term(amount);
        if (!by) return std::nullopt;
        if (op == "+") return Update{Update::Kind::Add, *by};
        if (op == "-") return Update{Update::Kind::Subtract, *by};
        if (op == "*") return Update{Update::Kind::Multiply, *by};
        if (op == "/") return Update{Update::Kind::Divide, *by};
        if ((op != "<<" && op != ">>") || !by->value || *by->value < 1 || *by->value > 30) return std::nullopt;
        return Update{op == "<<" ? Update::Kind::Multiply : Update::Kind::Divide, termOf(std::int64_t{1} << *by->value)};
    }

    static std::optional<Term> count(const Term& start, std::string_view op, const Term& end, const Update& step) {
        if (step.kind == Update::Kind::Multiply || step.kind == Update::Kind::Divide) return geometric(start, op, end, step);
        const bool up = step.kind == Update::Kind::Add;
        if (step.by.value && *step.by.value <= 0) return std::nullopt;
        const bool inclusive = op == "<=" || op == ">=";
        const bool fits = op == "!=" || (up ? op == "<" || op == "<=" : op == ">" || op == ">=");
        if (!fits) return std::nullopt;
        auto span = up ? combine("-", end, start) : combine("-", start, end);
        if (span && inclusive) span = combine("+", *span, termOf(1));
        if (!span || step.by.text == "1") return span;
        if (span->value && *span->value <= 0) return termOf(0);
        const auto less = combine("-", step.by, termOf(1));
        const auto rounded = less ? combine("+", *span, *less) : std::nullopt;
        return rounded ? combine("//", *rounded, step.by) : std::nullopt;
    }

    /// i *= 2 and i >>= 1: only numbers have a count.
    static std::optional<Term> geometric(const Term& start, std::string_view op, const Term& end, const Update& step) {
        const bool literal = start.value && end.value && step.by.value && start.text == std::to_string(*start.value) &&
                             end.text == std::to_string(*end.value) && *step.by.value >= 2 && *start.value > 0;
        if (!literal) return std::nullopt;
        std::int64_t trips = 0;
        for (std::int64_t i = *start.value; trips < 64; ++trips) {
            const bool goes = op == "<" ? i < *end.value : op == "<=" ? i <= *end.value : op == ">" ? i > *end.value
                            : op == ">=" ? i >= *end.value : op == "!=" && i != *end.value;
            if (!goes) return termOf(trips);
            if (step.kind == Update::Kind::Divide) {
                i /= *step.by.value;
            } else if (__builtin_mul_overflow(i, *step.by.value, &i)) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

    TSNode m_statement;
    const LaneAnalysis& m_lanes;
    std::string_view m_variable;
};

}  // namespace

std::optional<TripCount> tripCount(TSNode forStatement, const LaneAnalysis& lanes) {
    return Counter(forStatement, lanes).run();
}

}  // namespace ww::source
