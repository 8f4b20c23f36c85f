// SPDX-License-Identifier: Apache-2.0
#include "expr/node.h"
#include "space/impl.h"

namespace ww::space {

using expr::Kind;
using expr::Node;
using expr::Op;

namespace {

const char* opposite(Op op) {
    switch (op) {
    case Op::Eq: return "!=";
    case Op::Ne: return "==";
    case Op::Lt: return ">=";
    case Op::Le: return ">";
    case Op::Gt: return "<=";
    case Op::Ge: return "<";
    case Op::In: return "not in";
    default: return "in";
    }
}

std::string textOf(const expr::Expression& expression, const Node& node) {
    return expression.text().substr(node.offset, node.length);
}

/// "A * B = 64", or the text alone where it is the value already.
std::string withValue(const expr::Expression& expression, const Node& node, const expr::Scope& scope) {
    const std::string text = textOf(expression, node);
    const auto value = expression.evaluatePart(node, scope);
    if (!value || node.kind == Kind::Literal || value->repr() == text) return text;
    return text + " = " + value->repr();
}

std::string nameValues(const expr::Expression& expression, const expr::Scope& scope) {
    std::string text;
    for (const std::string& name : expression.names())
        if (const Value* value = scope.find(name)) text += (text.empty() ? "" : ", ") + name + " = " + value->repr();
    return text;
}

std::string comparison(const expr::Expression& expression, const Node& node, const expr::Scope& scope) {
    for (std::size_t i = 0; i < node.ops.size(); ++i) {
        Node pair;
        pair.kind = Kind::Compare;
        pair.ops = {node.ops[i]};
        pair.children = {node.children[i], node.children[i + 1]};
        const auto holds = expression.evaluatePart(pair, scope);
        if (!holds || holds->truthy()) continue;
        return withValue(expression, node.children[i], scope) + " " + opposite(node.ops[i]) + " " + withValue(expression, node.children[i + 1], scope);
    }
    return {};
}

std::string refusal(const expr::Expression& expression, const Node& node, const expr::Scope& scope) {
    if (node.kind == Kind::And) {
        for (const Node& part : node.children)
            if (const auto value = expression.evaluatePart(part, scope); !value || !value->truthy()) return refusal(expression, part, scope);
    }
    const auto value = expression.evaluatePart(node, scope);
    if (value && node.kind == Kind::Compare) {
        if (const std::string text = comparison(expression, node, scope); !text.empty()) return text;
    }
    if (value && node.kind == Kind::Or) {
        std::string text;
        for (const Node& part : node.children)
            text += (text.empty() ? "" : " and ") + refusal(expression, part, scope);
        return text;
    }
    const std::string names = nameValues(expression, scope);
    const std::string why = value ? " is " + value->repr() : " cannot be evaluated (" + value.error().message + ")";
    return textOf(expression, node) + why + (names.empty() ? "" : " with " + names);
}

}  // namespace

std::string explainRefusal(const Constraint& constraint, const expr::Scope& scope) {
    const std::string numbers = refusal(constraint.expression, constraint.expression.root(), scope);
    return constraint.sentence.empty() ? numbers : constraint.sentence + ": " + numbers;
}

}  // namespace ww::space
