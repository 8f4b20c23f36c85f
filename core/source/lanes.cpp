// SPDX-License-Identifier: Apache-2.0
#include "source/lanes.h"

#include <algorithm>

#include "source/functions.h"

namespace ww::source {
namespace {

/// Deeper expressions are generated code; they count as scattered rather than cost stack.
constexpr int kMostDepth = 64;
/// What a macro or a call costs of that depth.
constexpr int kExpansion = 8;

Flow scattered(Space space = Space::None) {
    return {LaneStep::scattered(), true, space, {}, {}};
}

/// What memory gives back for an address: the same everywhere for a uniform one, anything otherwise.
Flow loaded(const Flow& address) {
    return {address.step.uniform() ? LaneStep{} : LaneStep::scattered(), address.thread, Space::None, {}, {}};
}

bool isPointerLike(TSNode declarator) {
    while (!ts_node_is_null(declarator) && !is(declarator, "identifier")) {
        const std::string_view type = typeOf(declarator);
        if (type == "pointer_declarator" || type == "array_declarator") return true;
        declarator = innerDeclarator(declarator);
    }
    return false;
}

bool passesItsArgument(std::string_view name) {
    return name.ends_with("_cast") || name == "min" || name == "max" || name == "int" || name == "unsigned" || name == "size_t" ||
           name == "__umul24" || name == "__mul24" || name == "__builtin_assume_aligned" || name == "__cvta_generic_to_shared" ||
           name == "long" || name == "uint32_t" || name == "int64_t" || name == "addressof" || name == "assume_aligned";
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

std::vector<TSNode> argumentsOf(TSNode call) {
    const TSNode arguments = childByField(call, "arguments");
    return ts_node_is_null(arguments) ? std::vector<TSNode>{} : namedChildren(arguments);
}

TSNode typeArgument(TSNode call) {
    TSNode function = childByField(call, "function");
    while (is(function, "qualified_identifier") || is(function, "field_expression")) {
        function = childByField(function, is(function, "field_expression") ? "field" : "name");
    }
    const TSNode list = childByField(function, "arguments");
    if (ts_node_is_null(list)) return list;
    for (const TSNode child : namedChildren(list)) {
        if (is(child, "type_descriptor")) return childByField(child, "type");
    }
    return TSNode{};
}

TSNode stripped(TSNode node) {
    while (is(node, "parenthesized_expression") || is(node, "condition_clause")) {
        const std::vector<TSNode> children = namedChildren(node);
        if (children.empty()) return node;
        node = children.back();
    }
    return node;
}

std::vector<TSNode> parametersOf(TSNode function) {
    TSNode declarator = childByField(function, "declarator");
    while (!ts_node_is_null(declarator) && !typeOf(declarator).ends_with("function_declarator")) {
        declarator = innerDeclarator(declarator);
    }
    const TSNode parameters = childByField(declarator, "parameters");
    std::vector<TSNode> list;
    if (ts_node_is_null(parameters)) return list;
    for (const TSNode parameter : namedChildren(parameters)) {
        if (typeOf(parameter).ends_with("parameter_declaration")) list.push_back(parameter);
    }
    return list;
}

void LaneAnalysis::bind(std::string_view name, const Flow& flow, std::optional<Term> term) {
    m_variables[name] = flow;
    m_terms[name] = term ? std::move(*term) : Term{};
}

void LaneAnalysis::join(std::string_view name, const Flow& flow) {
    const auto [known, fresh] = m_variables.emplace(name, flow);
    if (fresh) return;
    Flow& now = known->second;
    now.step = either(now.step, flow.step);
    now.thread |= flow.thread;
    if (now.space == Space::None) now.space = flow.space;
    if (now.object.empty()) now.object = flow.object;
    if (now.pointee.empty()) now.pointee = flow.pointee;
}

const Flow* LaneAnalysis::variable(std::string_view name) const {
    for (const LaneAnalysis* scope = this; scope != nullptr; scope = scope->m_outer) {
        if (const auto found = scope->m_variables.find(name); found != scope->m_variables.end()) return &found->second;
    }
    const auto found = m_file.variables.find(name);
    return found == m_file.variables.end() ? nullptr : &found->second;
}

const LaneAnalysis::Extents* LaneAnalysis::array(std::string_view name) const {
    for (const LaneAnalysis* scope = this; scope != nullptr; scope = scope->m_outer) {
        if (const auto found = scope->m_arrays.find(name); found != scope->m_arrays.end()) return &found->second;
    }
    return nullptr;
}

void LaneAnalysis::learn(TSNode function, const std::vector<std::optional<Flow>>& arguments) {
    learnParameters(function, arguments);
    // Twice where something runs again: a loop's body may use what a later line assigns.
    bool again = true;
    for (int pass = 0; pass < 2 && again; ++pass) {
        again = false;
        walk(childByField(function, "body"), [&](const Cursor& cursor) {
            const TSNode node = cursor.node();
            if (!ts_node_is_named(node)) return false;
            const std::string_view type = typeOf(node);
            again = again || type == "for_statement" || type == "while_statement" || type == "do_statement" || type == "goto_statement" ||
                    type == "lambda_expression";
            learnNode(node, type);
            return true;
        });
    }
}

void LaneAnalysis::learnNode(TSNode node, std::string_view type) {
    if (type == "declaration") {
        learnDeclaration(node);
    } else if (type == "assignment_expression") {
        const TSNode left = stripped(childByField(node, "left"));
        if (!is(left, "identifier")) return;
        const std::string_view name = textOf(left, m_text);
        m_terms[name] = {};  // no constant after all
        const std::string_view op = textOf(childByField(node, "operator"), m_text);
        Flow flow = of(childByField(node, "right"));
        if (op == "*=" || op == "<<=") {
            const Flow* before = variable(name);
            const auto by = op == "*=" ? constantOf(childByField(node, "right")) : std::nullopt;
            if (before != nullptr && flow.step.uniform()) flow.step = scaled(before->step, by, textOf(childByField(node, "right"), m_text));
        }
        join(name, flow);
    } else if (type == "update_expression") {
        const TSNode target = stripped(childByField(node, "argument"));
        if (is(target, "identifier")) m_terms[textOf(target, m_text)] = {};
    } else if (type == "call_expression") {
        if (!m_lambdas.empty()) learnLambdaCall(node);
    } else if (type == "gnu_asm_expression") {
        learnAsm(node);
    }
}

void LaneAnalysis::learnParameters(TSNode function, const std::vector<std::optional<Flow>>& arguments) {
    std::size_t index = 0;
    for (const TSNode parameter : parametersOf(function)) {
        const std::size_t position = index++;
        const TSNode inner = childByField(parameter, "declarator");
        const TSNode name = declaredName(inner);
        if (ts_node_is_null(name)) continue;
        const std::string_view word = textOf(name, m_text);
        const bool pointer = isPointerLike(inner);
        Flow flow{{}, false, pointer ? Space::Global : Space::None, {}, {}};
        if (position < arguments.size() && arguments[position]) {
            flow = *arguments[position];
            if (pointer && flow.space == Space::None) flow.space = Space::Global;
        }
        if (pointer) flow.object = word;
        const std::string_view type = textOf(childByField(parameter, "type"), m_text);
        if (pointer) flow.pointee = type;
        if (pointer) learnShape(word, inner);
        bind(word, flow);
    }
}

void LaneAnalysis::learnDeclaration(TSNode declaration) {
    Space space = Space::None;
    bool constant = false;
    for (const TSNode child : namedChildren(declaration)) {
        if (!is(child, "type_qualifier")) continue;
        const std::string_view word = textOf(child, m_text);
        if (word == "__shared__") space = Space::Shared;
        if (word == "const" || word == "constexpr") constant = true;
    }
    const TSNode type = childByField(declaration, "type");
    for (const TSNode declarator : childrenByField(declaration, "declarator")) learnVariable(declarator, space, type, constant);
}

void LaneAnalysis::learnVariable(TSNode declarator, Space space, TSNode typeNode, bool constant) {
    const TSNode value = is(declarator, "init_declarator") ? childByField(declarator, "value") : TSNode{};
    const TSNode inner = is(declarator, "init_declarator") ? childByField(declarator, "declarator") : declarator;
    const TSNode name = declaredName(inner);
    if (ts_node_is_null(name)) return;
    const std::string_view word = textOf(name, m_text);
    const std::string_view type = textOf(typeNode, m_text);
    Flow flow;
    std::optional<Term> known;
    if (is(value, "lambda_expression")) {
        m_lambdas[word] = value;
    } else if (!ts_node_is_null(value)) {
        const bool list = is(value, "initializer_list") || is(value, "argument_list");
        const std::vector<TSNode> inside = list ? namedChildren(value) : std::vector<TSNode>{value};
        if (inside.size() == 1) {
            flow = of(inside.front());
            if (constant && is(inner, "identifier")) known = term(inside.front());
        }
    }
    if (is(inner, "array_declarator")) {
        learnShape(word, inner);
        flow = {{}, false, space == Space::None ? Space::Local : space, word, type};
    } else if (space != Space::None) {
        flow = {{}, false, space, word, type};
    } else if (isPointerLike(inner)) {
        if (type != "auto" && type != "void") flow.pointee = type;
        if (flow.object.empty()) flow.object = word;
    } else if (is(inner, "identifier") && !is(typeNode, "placeholder_type_specifier") && !is(typeNode, "primitive_type")) {
        m_values.insert(word);
    }
    const std::string told = known ? known->text : std::string{};
    const auto [term, fresh] = m_terms.emplace(word, known.value_or(Term{}));
    if (!fresh && term->second.text != told) term->second = {};  // two variables of one name
    join(word, flow);
}

/// Extents of float s[4][5], float (*s)[5] and float (&s)[4][5].
void LaneAnalysis::learnShape(std::string_view name, TSNode declarator) {
    std::vector<std::optional<std::int64_t>> extents;
    bool array = false;
    while (!ts_node_is_null(declarator) && !is(declarator, "identifier")) {
        if (is(declarator, "array_declarator")) {
            const TSNode size = childByField(declarator, "size");
            extents.insert(extents.begin(), ts_node_is_null(size) ? std::nullopt : constantOf(size));
            array = true;
        } else if (is(declarator, "pointer_declarator")) {
            extents.insert(extents.begin(), std::nullopt);
        }
        declarator = innerDeclarator(declarator);
    }
    if (array) m_arrays[name] = std::move(extents);
}

void LaneAnalysis::learnLambdaCall(TSNode call) {
    const TSNode function = childByField(call, "function");
    if (!is(function, "identifier")) return;
    const auto found = m_lambdas.find(textOf(function, m_text));
    if (found == m_lambdas.end()) return;
    const std::vector<TSNode> arguments = argumentsOf(call);
    std::size_t index = 0;
    for (const TSNode parameter : parametersOf(found->second)) {
        if (index >= arguments.size()) return;
        const TSNode name = declaredName(childByField(parameter, "declarator"));
        if (!ts_node_is_null(name)) join(textOf(name, m_text), of(arguments[index]));
        ++index;
    }
}

/// Outputs of inline PTX: %laneid and %tid.x count up, anything else may be anything.
void LaneAnalysis::learnAsm(TSNode statement) {
    const TSNode outputs = childByField(statement, "output_operands");
    if (ts_node_is_null(outputs)) return;
    const std::string_view code = textOf(childByField(statement, "assembly_code"), m_text);
    const bool counts = code.find("%laneid") != code.npos || code.find("%tid.x") != code.npos;
    const bool fixed = code.find("%ctaid") != code.npos || code.find("%ntid") != code.npos || code.find("%nctaid") != code.npos;
    for (const TSNode operand : namedChildren(outputs)) {
        const TSNode value = stripped(childByField(operand, "value"));
        if (!is(value, "identifier")) continue;
        const Flow flow = counts ? Flow{LaneStep::unit(), true, Space::None, {}, {}} : fixed ? Flow{} : scattered();
        join(textOf(value, m_text), flow);
    }
}

Flow LaneAnalysis::returned(TSNode function) const {
    std::optional<Flow> joined;
    walk(childByField(function, "body"), [&](const Cursor& cursor) {
        const TSNode node = cursor.node();
        if (is(node, "lambda_expression")) return false;
        if (!is(node, "return_statement")) return true;
        const std::vector<TSNode> value = namedChildren(node);
        if (value.empty()) return false;
        const Flow flow = of(value.front());
        if (!joined) {
            joined = flow;
        } else {
            joined->step = either(joined->step, flow.step);
            joined->thread |= flow.thread;
        }
        return false;
    });
    return joined.value_or(Flow{});
}

std::optional<std::int64_t> LaneAnalysis::constantOf(TSNode node) const {
    const auto constant = term(node);
    return constant ? constant->value : std::nullopt;
}

Flow LaneAnalysis::binary(TSNode node, int depth) const {
    const TSNode left = childByField(node, "left");
    const TSNode right = childByField(node, "right");
    const Flow a = evaluate(left, depth + 1);
    const Flow b = evaluate(right, depth + 1);
    const std::string_view op = textOf(childByField(node, "operator"), m_text);
    const Flow& pointer = a.space != Space::None ? a : b;
    Flow out{{}, a.thread || b.thread, pointer.space, pointer.object, pointer.pointee};
    if (op == ",") return b;
    const bool bothVary = !a.step.uniform() && !b.step.uniform();
    const TSNode fixed = a.step.uniform() ? left : right;
    const LaneStep& varying = a.step.uniform() ? b.step : a.step;
    if (a.step.uniform() && b.step.uniform()) return out;
    if (op == "+" || op == "|") {
        out.step = sum(a.step, b.step);
    } else if (op == "-") {
        out.step = difference(a.step, b.step);
    } else if (bothVary) {
        out.step = LaneStep::scattered();
    } else if (op == "*") {
        out.step = scaled(varying, constantOf(fixed), textOf(fixed, m_text));
    } else if (op == "<<" && &varying == &a.step) {
        const auto bits = constantOf(right);
        const bool sane = bits && *bits >= 0 && *bits < 62;
        out.step = scaled(a.step, sane ? std::optional(std::int64_t{1} << *bits) : std::nullopt, textOf(right, m_text));
    } else if (op == "/" && &varying == &a.step) {
        out.step = quotient(a.step, constantOf(right));
    } else if (op == ">>" && &varying == &a.step) {
        const auto bits = constantOf(right);
        const bool sane = bits && *bits >= 0 && *bits < 62;
        out.step = quotient(a.step, sane ? std::optional(std::int64_t{1} << *bits) : std::nullopt);
    } else if (op == "%" && &varying == &a.step) {
        out.step = remainder(a.step, constantOf(right));
    } else if (op == "&") {
        const auto mask = constantOf(fixed);
        const bool low = mask && *mask >= 0 && ((*mask + 1) & *mask) == 0;  // 2^n - 1
        const bool high = mask && *mask < 0 && *mask > -(std::int64_t{1} << 32) && (-*mask & (-*mask - 1)) == 0;  // ~(2^n - 1)
        out.step = high ? scaled(quotient(varying, -*mask), -*mask, {}) : remainder(varying, low ? std::optional(*mask + 1) : std::nullopt);
    } else if (op == "^") {
        out.step = varying;  // permutes neighbours among themselves
    } else {
        out.step = LaneStep::scattered();
    }
    return out;
}

std::optional<LaneAnalysis> LaneAnalysis::expanded(const MacroBody& body, TSNode call) const {
    if (m_depth + kExpansion > kMostDepth) return std::nullopt;
    LaneAnalysis inner(*this, body);
    inner.m_depth = m_depth + kExpansion;
    inner.m_terms = m_terms;
    if (!body.functionLike) return inner;
    const std::vector<TSNode> arguments = argumentsOf(call);
    if (arguments.size() != body.parameters.size()) return std::nullopt;
    for (std::size_t i = 0; i < arguments.size(); ++i) inner.bind(body.parameters[i], of(arguments[i]), term(arguments[i]));
    return inner;
}

Flow LaneAnalysis::named(std::string_view name, int depth) const {
    if (const Flow* known = variable(name); known != nullptr) return *known;
    const MacroBody* macro = m_file.macros.find(name);
    if (macro == nullptr || macro->functionLike || ts_node_is_null(macro->expression) || depth + kExpansion > kMostDepth) return {};
    const auto inner = expanded(*macro, TSNode{});
    return inner ? inner->evaluate(macro->expression, depth + kExpansion) : Flow{};
}

Flow LaneAnalysis::casted(TSNode type, Flow flow) const {
    if (!ts_node_is_null(type) && flow.space != Space::None) flow.pointee = textOf(type, m_text);
    return flow;
}

Flow LaneAnalysis::call(TSNode node, int depth) const {
    const std::string_view name = calledName(node, m_text);
    if (name == "thread_rank" || name == "lane_id") return {LaneStep::unit(), true, Space::None, {}, {}};
    const MacroBody* macro = m_file.macros.find(name);
    if (macro != nullptr && macro->functionLike && !ts_node_is_null(macro->expression) && depth + kExpansion <= kMostDepth) {
        if (const auto inner = expanded(*macro, node)) return inner->evaluate(macro->expression, depth + kExpansion);
    }
    Flow joined;
    std::vector<Flow> flows;
    for (const TSNode argument : argumentsOf(node)) {
        flows.push_back(evaluate(argument, depth + 1));
        const Flow& flow = flows.back();
        if (flows.size() == 1) joined = flow;
        joined.step = either(joined.step, flow.step);
        joined.thread |= flow.thread;
    }
    if (name.starts_with("__shfl") || name.starts_with("atomic")) return scattered();
    if (passesItsArgument(name)) return name.ends_with("_cast") ? casted(typeArgument(node), joined) : joined;
    if (depth + kExpansion <= kMostDepth) {
        if (const auto known = m_file.calls.returned(name, flows, depth + kExpansion)) return *known;
    }
    return loaded(joined);
}

Flow LaneAnalysis::field(TSNode node, int depth) const {
    const TSNode object = childByField(node, "argument");
    const std::string_view name = textOf(object, m_text);
    if (name == "threadIdx") {
        const bool x = textOf(childByField(node, "field"), m_text) == "x";
        return {x ? LaneStep::unit() : LaneStep{}, true, Space::None, {}, {}};
    }
    if (name == "blockIdx" || name == "blockDim" || name == "gridDim") return {};
    const Flow flow = evaluate(object, depth + 1);
    if (textOf(childByField(node, "operator"), m_text) == "->") return loaded(flow);
    if (flow.space == Space::Local || flow.space == Space::Shared) return flow;  // a member array lies where its struct does
    return {flow.step, flow.thread, Space::None, {}, {}};
}

Flow LaneAnalysis::addressOf(TSNode access, int depth) const {
    if (depth > kMostDepth) return scattered(Space::Global);
    if (is(access, "subscript_expression")) return subscript(access, depth);
    Flow flow = evaluate(childByField(access, "argument"), depth + 1);
    if (flow.space == Space::None) flow.space = Space::Global;
    return flow;
}

Flow LaneAnalysis::subscript(TSNode access, int depth) const {
    std::vector<TSNode> indices;  // innermost first
    TSNode base = access;
    for (int level = 0; is(base, "subscript_expression") && level < kMostDepth; ++level) {
        const TSNode list = childByField(base, "indices");
        const std::vector<TSNode> here = ts_node_is_null(list) ? std::vector<TSNode>{} : namedChildren(list);
        indices.insert(indices.end(), here.rbegin(), here.rend());
        base = stripped(childByField(base, "argument"));
    }
    const Flow root = evaluate(base, depth + 1);
    const Extents* shape = is(base, "identifier") ? array(textOf(base, m_text)) : nullptr;
    Flow out = root;
    std::optional<std::int64_t> scale = 1;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const Flow flow = evaluate(indices[i], depth + 1);
        const std::string_view row = i == 0 ? std::string_view{} : textOf(base, m_text);
        out.step = sum(out.step, i == 0 ? flow.step : scaled(flow.step, scale, row));
        out.thread |= flow.thread;
        const bool known = shape != nullptr && i < shape->size() && shape->size() >= indices.size();
        const std::int64_t extent = known ? (*shape)[shape->size() - 1 - i].value_or(0) : 0;
        const bool sane = scale && extent > 0 && extent < (std::int64_t{1} << 31) && *scale < (std::int64_t{1} << 31);
        scale = sane ? std::optional(*scale * extent) : std::nullopt;
    }
    const bool member = is(base, "field_expression");
    const bool owned = member || (is(base, "identifier") && m_values.contains(textOf(base, m_text)));
    if (out.space == Space::None) out.space = owned ? Space::Local : Space::Global;
    if (out.object.empty()) out.object = textOf(base, m_text);
    return out;
}

bool LaneAnalysis::isRow(TSNode subscript) const {
    std::size_t levels = 0;
    TSNode base = subscript;
    for (; is(base, "subscript_expression") && levels < kMostDepth; ++levels) base = stripped(childByField(base, "argument"));
    const Extents* shape = is(base, "identifier") ? array(textOf(base, m_text)) : nullptr;
    return shape != nullptr && levels < shape->size();
}

Flow LaneAnalysis::evaluate(TSNode node, int depth) const {
    if (ts_node_is_null(node)) return {};
    if (depth > kMostDepth) return scattered();
    node = stripped(node);
    const std::string_view type = typeOf(node);
    if (type == "identifier") return named(textOf(node, m_text), depth);
    if (type == "number_literal") return {};
    if (type == "field_expression") return field(node, depth);
    if (type == "binary_expression") return binary(node, depth);
    if (type == "call_expression") return call(node, depth);
    if (type == "subscript_expression") {
        const Flow address = addressOf(node, depth + 1);
        return isRow(node) ? address : loaded(address);
    }
    if (type == "pointer_expression") {
        const TSNode inner = stripped(childByField(node, "argument"));
        if (textOf(childByField(node, "operator"), m_text) == "*") return loaded(evaluate(inner, depth + 1));
        return is(inner, "subscript_expression") ? addressOf(inner, depth + 1) : evaluate(inner, depth + 1);
    }
    if (type == "cast_expression") {
        const TSNode target = childByField(node, "type");
        const bool pointer = !ts_node_is_null(childByField(target, "declarator"));
        const Flow flow = evaluate(childByField(node, "value"), depth + 1);
        return pointer ? casted(childByField(target, "type"), flow) : flow;
    }
    if (type == "unary_expression" || type == "update_expression") {
        Flow flow = evaluate(childByField(node, "argument"), depth + 1);
        const std::string_view op = textOf(childByField(node, "operator"), m_text);
        if (op == "-") flow.step = scaled(flow.step, -1, {});
        if (op == "!" && !flow.step.uniform()) flow.step = LaneStep::scattered();
        return flow;
    }
    if (type == "assignment_expression") return evaluate(childByField(node, "right"), depth + 1);
    if (type == "comma_expression") return evaluate(childByField(node, "right"), depth + 1);
    if (type == "conditional_expression") {
        const Flow test = evaluate(childByField(node, "condition"), depth + 1);
        Flow yes = evaluate(childByField(node, "consequence"), depth + 1);
        const Flow no = evaluate(childByField(node, "alternative"), depth + 1);
        if (yes.space == Space::None) yes = {yes.step, yes.thread, no.space, no.object, no.pointee};
        // A guard such as i < n ? i : 0 leaves the order; a choice between two fixed values has none.
        const bool varies = !test.step.uniform() && yes.step.uniform() && no.step.uniform();
        yes.step = varies ? LaneStep::scattered() : either(yes.step, no.step);
        yes.thread |= test.thread || no.thread;
        return yes;
    }
    return {};
}

}  // namespace ww::source
