// SPDX-License-Identifier: Apache-2.0
// The constraint language: whatever parses also evaluates or fails with an Error, and gives the same twice.
#include "expr/expression.h"
#include "fuzz.h"

using namespace ww;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 4096) return 0;
    const auto text = fuzz::asText(data, size);
    const auto expression = expr::Expression::parse(text);
    if (!expression) {
        fuzz::require(!expression.error().message.empty(), "an error says what is wrong");
        return 0;
    }
    expr::Scope scope;
    scope.set("x", expr::Value(7));
    scope.set("y", expr::Value(-3));
    scope.set("f", expr::Value(0.5));
    scope.set("b", expr::Value(true));
    scope.set("s", expr::Value(std::string("fp16")));
    const auto first = expression->evaluate(scope);
    const auto second = expression->evaluate(scope);
    fuzz::require(first.has_value() == second.has_value(), "evaluation is deterministic");
    if (first) fuzz::require(first->repr() == second->repr(), "evaluation is deterministic");
    const auto again = expr::Expression::parse(expression->text());
    fuzz::require(again.has_value(), "an expression's own text parses");
    return 0;
}
