// SPDX-License-Identifier: Apache-2.0
#include "expr/parse.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/json.h"
#include "expr/literal.h"

extern "C" const TSLanguage* tree_sitter_python();

namespace ww::expr {

namespace {

// Limits for hostile text: far above any real expression, far below what a thread's stack or a second of parsing takes.
constexpr std::size_t kMaxText = 65536;
constexpr int kMaxDepth = 200;
constexpr std::uint64_t kParseMicros = 5'000'000;
constexpr const char* kTooDeep = "this is nested too deeply (more than 200 levels)";

constexpr std::array<std::pair<std::string_view, Op>, 26> kOperators{{
    {"+", Op::Add},  {"-", Op::Sub}, {"*", Op::Mul}, {"/", Op::Div}, {"//", Op::FloorDiv}, {"%", Op::Mod}, {"**", Op::Pow},
    {"&", Op::And},  {"|", Op::Or},  {"^", Op::Xor}, {"<<", Op::Shl}, {">>", Op::Shr},      {"==", Op::Eq}, {"!=", Op::Ne},
    {"<", Op::Lt},   {"<=", Op::Le}, {">", Op::Gt},  {">=", Op::Ge}, {"in", Op::In},       {"not in", Op::NotIn},
    {"+", Op::Plus}, {"-", Op::Minus}, {"not", Op::Not}, {"~", Op::Invert}, {"+", Op::Plus}, {"-", Op::Minus},
}};

struct FunctionEntry {
    std::string_view name;
    Function function;
    int fewest, most;
    bool math;  ///< may carry "math."
};

constexpr std::array kFunctions{
    FunctionEntry{"range", Function::Range, 1, 3, false}, FunctionEntry{"list", Function::List, 0, 1, false},
    FunctionEntry{"tuple", Function::Tuple, 0, 1, false}, FunctionEntry{"min", Function::Min, 1, 1000, false},
    FunctionEntry{"max", Function::Max, 1, 1000, false},  FunctionEntry{"abs", Function::Abs, 1, 1, false},
    FunctionEntry{"len", Function::Len, 1, 1, false},     FunctionEntry{"sum", Function::Sum, 1, 2, false},
    FunctionEntry{"int", Function::Int, 0, 1, false},     FunctionEntry{"float", Function::Float, 0, 1, false},
    FunctionEntry{"bool", Function::Bool, 0, 1, false},   FunctionEntry{"round", Function::Round, 1, 2, false},
    FunctionEntry{"str", Function::Str, 0, 1, false},     FunctionEntry{"all", Function::All, 1, 1, false},
    FunctionEntry{"any", Function::Any, 1, 1, false},     FunctionEntry{"pow", Function::Pow, 2, 2, false},
    FunctionEntry{"ceil", Function::Ceil, 1, 1, true},    FunctionEntry{"floor", Function::Floor, 1, 1, true},
    FunctionEntry{"log2", Function::Log2, 1, 1, true},    FunctionEntry{"sqrt", Function::Sqrt, 1, 1, true},
};

std::optional<Op> operatorFrom(std::string_view word) {
    for (const auto& [text, op] : kOperators)
        if (text == word) return op;
    return std::nullopt;
}

/// Converts the concrete tree into our own. The text it sees is the user's in parentheses, so that a line break or a word
/// such as `print` at the start means what it means inside an expression; offsets are shifted back by one.
class Converter {
public:
    Converter(std::string_view text, std::string_view wrapped) : m_text(text), m_wrapped(wrapped) {}

    Result<Node> convert(TSNode node, int depth) {
        if (depth > kMaxDepth) return error(node, kTooDeep);
        const std::string_view type = ts_node_type(node);
        if (type == "identifier") return identifier(node);
        if (type == "integer" || type == "float") return number(node, type == "integer");
        if (type == "true" || type == "false") return literal(node, Value(type == "true"));
        if (type == "none") return literal(node, Value());
        if (type == "string" || type == "concatenated_string") return string(node);
        if (type == "parenthesized_expression") return parenthesized(node, depth);
        if (type == "tuple" || type == "list" || type == "expression_list") return sequence(node, depth);
        if (type == "unary_operator" || type == "not_operator") return unary(node, depth);
        if (type == "binary_operator" || type == "boolean_operator") return binary(node, depth);
        if (type == "comparison_operator") return comparison(node, depth);
        if (type == "conditional_expression") return conditional(node, depth);
        if (type == "subscript") return subscript(node, depth);
        if (type == "call") return call(node, depth);
        if (type == "list_comprehension") return comprehension(node, depth);
        return refuse(node, type);
    }

    std::vector<std::string> takeNames() { return std::move(m_names); }

private:
    static std::size_t offsetOf(TSNode node) {
        const std::size_t start = ts_node_start_byte(node);
        return start == 0 ? 0 : start - 1;
    }
    std::string_view textOf(TSNode node) const {
        return m_wrapped.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
    }
    Unexpected error(TSNode node, const std::string& message) const { return expressionError(m_text, offsetOf(node), message); }
    static TSNode field(TSNode node, const char* name) {
        return ts_node_child_by_field_name(node, name, static_cast<std::uint32_t>(std::strlen(name)));
    }
    static std::vector<TSNode> namedChildren(TSNode node) {
        std::vector<TSNode> children;
        const std::uint32_t count = ts_node_named_child_count(node);
        TSTreeCursor cursor = ts_tree_cursor_new(node);
        children.reserve(count);
        for (bool more = ts_tree_cursor_goto_first_child(&cursor); more; more = ts_tree_cursor_goto_next_sibling(&cursor)) {
            const TSNode child = ts_tree_cursor_current_node(&cursor);
            const std::string_view type = ts_node_type(child);
            if (ts_node_is_named(child) && type != "comment" && type != "line_continuation") children.push_back(child);
        }
        ts_tree_cursor_delete(&cursor);
        return children;
    }

    Node make(TSNode node, Kind kind) const {
        Node made;
        made.kind = kind;
        made.offset = static_cast<std::uint32_t>(offsetOf(node));
        const std::size_t end = std::min<std::size_t>(ts_node_end_byte(node) - 1, m_text.size());
        made.length = static_cast<std::uint32_t>(end > made.offset ? end - made.offset : 0);
        return made;
    }
    Result<Node> literal(TSNode node, Value value) const {
        Node made = make(node, Kind::Literal);
        made.value = std::move(value);
        return made;
    }
    Result<void> addChild(Node& parent, TSNode child, int depth) {
        WW_TRY(converted, convert(child, depth + 1));
        parent.children.push_back(std::move(converted));
        return {};
    }

    Result<Node> refuse(TSNode node, std::string_view type) const {
        constexpr std::array<std::pair<std::string_view, const char*>, 13> known{{
            {"attribute", "attributes are not allowed (only math.ceil, math.floor, math.log2 and math.sqrt)"},
            {"lambda", "lambda is not allowed"},
            {"named_expression", "assignments (:=) are not allowed"},
            {"assignment", "assignments are not allowed; compare with =="},
            {"keyword_argument", "named arguments are not allowed; to compare, write =="},
            {"generator_expression", "generator expressions are not allowed; put it in [brackets]"},
            {"dictionary", "dictionaries are not allowed"},
            {"set", "sets are not allowed; write a tuple (1, 2)"},
            {"slice", "slices are not allowed; index single elements"},
            {"list_splat", "unpacking with * is not allowed here"},
            {"dictionary_splat", "unpacking with ** is not allowed here"},
            {"await", "await is not allowed"},
            {"yield", "yield is not allowed"},
        }};
        for (const auto& [kind, message] : known)
            if (kind == type) return error(node, message);
        return error(node, "'" + std::string(type) + "' is not part of the expressions allowed here");
    }

    Result<Node> identifier(TSNode node) {
        const std::string name(textOf(node));
        if (name.starts_with("__")) return error(node, "names that start with __ are not allowed");
        const auto local = std::find(m_locals.begin(), m_locals.end(), name);
        if (local != m_locals.end()) {
            Node made = make(node, Kind::Local);
            made.slot = static_cast<std::uint32_t>(local - m_locals.begin());
            return made;
        }
        if (std::find(m_names.begin(), m_names.end(), name) == m_names.end()) m_names.push_back(name);
        Node made = make(node, Kind::Name);
        made.name = name;
        return made;
    }

    Result<Node> number(TSNode node, bool integer) const {
        auto value = integer ? integerLiteral(textOf(node)) : floatLiteral(textOf(node));
        if (!value) return error(node, value.error().message);
        return literal(node, std::move(*value));
    }

    Result<Node> string(TSNode node) const {
        std::vector<TSNode> parts{node};
        if (ts_node_type(node) == std::string_view("concatenated_string")) parts = namedChildren(node);
        std::string text;
        for (const TSNode part : parts) {
            auto piece = stringLiteral(textOf(part));
            if (!piece) return error(part, piece.error().message);
            text += *piece;
        }
        return literal(node, Value(std::move(text)));
    }

    Result<Node> parenthesized(TSNode node, int depth) {
        const auto inner = namedChildren(node);
        if (inner.size() != 1) return error(node, "one expression is expected in these parentheses");
        return convert(inner[0], depth + 1);
    }

    Result<Node> sequence(TSNode node, int depth) {
        Node made = make(node, Kind::Tuple);
        for (const TSNode child : namedChildren(node))
            WW_CHECK(addChild(made, child, depth));
        return made;
    }

    Result<Node> unary(TSNode node, int depth) {
        Node made = make(node, Kind::Unary);
        const TSNode sign = field(node, "operator");
        const std::string_view word = ts_node_is_null(sign) ? "not" : textOf(sign);
        made.op = word == "-" ? Op::Minus : word == "+" ? Op::Plus : word == "~" ? Op::Invert : Op::Not;
        WW_CHECK(addChild(made, field(node, "argument"), depth));
        return made;
    }

    Result<Node> binary(TSNode node, int depth) {
        const TSNode sign = field(node, "operator");
        const std::string_view word = textOf(sign);
        const bool logical = word == "and" || word == "or";
        Node made = make(node, word == "and" ? Kind::And : word == "or" ? Kind::Or : Kind::Binary);
        if (word == "&" || word == "^") return bitChain(node, depth);
        if (!logical) {
            const auto op = operatorFrom(word);
            if (!op || *op > Op::Shr) return error(sign, "the operator '" + std::string(word) + "' is not allowed");
            made.op = *op;
        }
        WW_CHECK(addChild(made, field(node, "left"), depth));
        WW_CHECK(addChild(made, field(node, "right"), depth));
        // `a and b and c` arrives nested to the left; one level reads and evaluates better.
        if (logical && made.children[0].kind == made.kind && textOf(field(node, "left")).front() != '(') {
            Node right = std::move(made.children[1]);
            Node left = std::move(made.children[0]);
            made.children = std::move(left.children);
            made.children.push_back(std::move(right));
        }
        return made;
    }

    // The grammar lets ^ bind tighter than &, Python the other way round: a chain of both without parentheses is taken
    // apart and put together again by Python's rule.
    Result<void> takeBitChain(TSNode node, int depth, std::vector<Node>& operands, std::vector<std::pair<Op, TSNode>>& operators) {
        if (depth > kMaxDepth) return error(node, kTooDeep);
        const TSNode sign = field(node, "operator");
        const std::string_view word = ts_node_is_null(sign) ? std::string_view{} : textOf(sign);
        if (ts_node_type(node) != std::string_view("binary_operator") || (word != "&" && word != "^")) {
            WW_TRY(operand, convert(node, depth));
            operands.push_back(std::move(operand));
            return {};
        }
        WW_CHECK(takeBitChain(field(node, "left"), depth + 1, operands, operators));
        operators.emplace_back(word == "&" ? Op::And : Op::Xor, node);
        return takeBitChain(field(node, "right"), depth + 1, operands, operators);
    }

    Result<Node> bitChain(TSNode node, int depth) {
        std::vector<Node> operands;
        std::vector<std::pair<Op, TSNode>> operators;
        WW_CHECK(takeBitChain(node, depth, operands, operators));
        for (const Op op : {Op::And, Op::Xor}) {
            for (std::size_t i = 0; i < operators.size();) {
                if (operators[i].first != op) {
                    ++i;
                    continue;
                }
                Node joined = make(operators[i].second, Kind::Binary);
                joined.op = op;
                joined.offset = operands[i].offset;
                joined.length = operands[i + 1].offset + operands[i + 1].length - joined.offset;
                joined.children.push_back(std::move(operands[i]));
                joined.children.push_back(std::move(operands[i + 1]));
                operands[i] = std::move(joined);
                operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                operators.erase(operators.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
        return std::move(operands.front());
    }

    Result<Node> comparison(TSNode node, int depth) {
        Node made = make(node, Kind::Compare);
        const std::uint32_t count = ts_node_child_count(node);
        std::string word;
        for (std::uint32_t i = 0; i < count; ++i) {
            const TSNode child = ts_node_child(node, i);
            const std::string_view type = ts_node_type(child);
            if (type == "comment" || type == "line_continuation") continue;
            if (!ts_node_is_named(child)) {
                // "not in" is one token or two, depending on the grammar's version; its inner space may be any.
                std::string_view text = textOf(child);
                if (text.starts_with("not") && text.ends_with("in")) text = "not in";
                word += (word.empty() ? "" : " ") + std::string(text);
                if (word == "is" || word == "is not") return error(child, "'is' is not allowed; compare with ==");
                continue;
            }
            if (!made.children.empty()) {
                const auto op = operatorFrom(word);
                if (!op || *op < Op::Eq) return error(child, "the operator '" + word + "' is not allowed");
                made.ops.push_back(*op);
                word.clear();
            }
            WW_CHECK(addChild(made, child, depth));
        }
        if (made.children.size() < 2) return error(node, "this comparison is not complete");
        return made;
    }

    Result<Node> conditional(TSNode node, int depth) {
        const auto parts = namedChildren(node);
        if (parts.size() != 3) return error(node, "write it as: a if condition else b");
        Node made = make(node, Kind::Conditional);
        for (const TSNode part : parts)
            WW_CHECK(addChild(made, part, depth));
        std::swap(made.children[0], made.children[1]);
        return made;
    }

    Result<Node> subscript(TSNode node, int depth) {
        const auto parts = namedChildren(node);
        if (parts.size() != 2) return error(node, "one index is expected in the brackets");
        Node made = make(node, Kind::Subscript);
        for (const TSNode part : parts)
            WW_CHECK(addChild(made, part, depth));
        return made;
    }

    Result<const FunctionEntry*> functionOf(TSNode node) const {
        std::string_view name = textOf(node);
        const std::string_view type = ts_node_type(node);
        bool math = false;
        if (type == "attribute") {
            if (textOf(field(node, "object")) == "math") {
                math = true;
                name = textOf(field(node, "attribute"));
            }
        } else if (type != "identifier") {
            return error(node, "only named functions can be called");
        }
        std::string known;
        for (const FunctionEntry& entry : kFunctions) {
            if (entry.name == name && (!math || entry.math)) return &entry;
            known += (known.empty() ? "" : ", ") + std::string(entry.name);
        }
        return error(node, "'" + std::string(textOf(node)) + "' is not a function allowed here; allowed are " + known);
    }

    Result<Node> call(TSNode node, int depth) {
        WW_TRY(entry, functionOf(field(node, "function")));
        const TSNode arguments = field(node, "arguments");
        if (ts_node_type(arguments) != std::string_view("argument_list")) return refuse(arguments, ts_node_type(arguments));
        Node made = make(node, Kind::Call);
        made.function = entry->function;
        for (const TSNode argument : namedChildren(arguments))
            WW_CHECK(addChild(made, argument, depth));
        const int count = static_cast<int>(made.children.size());
        if (count < entry->fewest || count > entry->most) {
            return error(node, std::string(entry->name) + "() does not take " + std::to_string(count) + " arguments");
        }
        return made;
    }

    Result<std::vector<std::string>> targets(TSNode left) const {
        std::vector<TSNode> parts{left};
        const std::string_view type = ts_node_type(left);
        if (type == "pattern_list" || type == "tuple_pattern") parts = namedChildren(left);
        std::vector<std::string> names;
        for (const TSNode part : parts) {
            if (ts_node_type(part) != std::string_view("identifier")) return error(part, "a plain name is expected after 'for'");
            names.emplace_back(textOf(part));
        }
        return names;
    }

    Result<Node> comprehension(TSNode node, int depth) {
        if (m_inComprehension) return error(node, "a comprehension inside a comprehension is not allowed");
        const auto parts = namedChildren(node);
        Node made = make(node, Kind::Comprehension);
        if (parts.size() < 2 || ts_node_type(parts[1]) != std::string_view("for_in_clause")) return error(node, "write it as: [x for x in ...]");
        for (std::size_t i = 2; i < parts.size(); ++i)
            if (ts_node_type(parts[i]) != std::string_view("if_clause")) return error(parts[i], "only one 'for' is allowed in a comprehension");
        if (textOf(parts[1]).starts_with("async")) return error(parts[1], "async is not allowed");
        WW_TRY(names, targets(field(parts[1], "left")));
        made.slot = static_cast<std::uint32_t>(names.size());
        // The source is evaluated outside: it does not see the loop's names.
        WW_TRY(source, convert(field(parts[1], "right"), depth + 1));
        m_locals = names;
        m_inComprehension = true;
        auto filled = fillComprehension(made, parts, std::move(source), depth);
        m_locals.clear();
        m_inComprehension = false;
        WW_CHECK(filled);
        return made;
    }

    Result<void> fillComprehension(Node& made, const std::vector<TSNode>& parts, Node source, int depth) {
        WW_CHECK(addChild(made, parts[0], depth));
        made.children.push_back(std::move(source));
        for (std::size_t i = 2; i < parts.size(); ++i) {
            const auto condition = namedChildren(parts[i]);
            if (condition.size() != 1) return error(parts[i], "one condition is expected after 'if'");
            WW_CHECK(addChild(made, condition[0], depth));
        }
        return {};
    }

    std::string_view m_text, m_wrapped;
    std::vector<std::string> m_names, m_locals;
    bool m_inComprehension = false;
};

// The first ERROR or missing node, found without recursion.
TSNode firstError(TSNode root) {
    std::vector<TSNode> open{root};
    while (!open.empty()) {
        const TSNode node = open.back();
        open.pop_back();
        if (ts_node_is_missing(node) || ts_node_type(node) == std::string_view("ERROR")) return node;
        if (!ts_node_has_error(node)) continue;
        for (std::uint32_t i = ts_node_child_count(node); i-- > 0;)
            open.push_back(ts_node_child(node, i));
    }
    return root;
}

// Counted before parsing, so that the parser never sees thousands of open brackets.
std::optional<std::size_t> tooManyBrackets(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (std::strchr("([{", text[i]) && ++depth > kMaxDepth) return i;
        if (std::strchr(")]}", text[i])) --depth;
    }
    return std::nullopt;
}

// A hint where Python text is plainly written as C.
std::string hintFor(std::string_view text) {
    if (text.find("&&") != std::string_view::npos) return "; write 'and' instead of '&&'";
    if (text.find("||") != std::string_view::npos) return "; write 'or' instead of '||'";
    if (text.find('?') != std::string_view::npos) return "; write 'a if condition else b' instead of '?:'";
    if (text.find('!') != std::string_view::npos && text.find("!=") == std::string_view::npos) return "; write 'not' instead of '!'";
    for (std::size_t i = text.find('='); i != std::string_view::npos; i = text.find('=', i + 1)) {
        const char before = i > 0 ? text[i - 1] : ' ', after = i + 1 < text.size() ? text[i + 1] : ' ';
        if (after != '=' && std::string_view("=<>!:").find(before) == std::string_view::npos) return "; to compare, write '=='";
    }
    return {};
}

Result<Parsed> convertTree(std::string_view text, std::string_view wrapped, const TSTree* tree) {
    const TSNode root = ts_tree_root_node(tree);
    if (ts_node_has_error(root)) {
        const std::size_t at = ts_node_start_byte(firstError(root));
        return expressionError(text, std::min(at == 0 ? 0 : at - 1, text.size()), "this is not a valid expression" + hintFor(text));
    }
    TSNode statement{};
    int statements = 0;
    for (std::uint32_t i = 0; i < ts_node_named_child_count(root); ++i) {
        const TSNode child = ts_node_named_child(root, i);
        if (ts_node_type(child) == std::string_view("comment")) continue;
        statement = child;
        ++statements;
    }
    const bool plain = statements == 1 && ts_node_type(statement) == std::string_view("expression_statement") && ts_node_child_count(statement) == 1;
    const TSNode outer = plain ? ts_node_child(statement, 0) : root;
    // Parentheses that do not belong together, as in "a) + (b", leave another node than ours on top.
    const std::string_view type = ts_node_type(outer);
    if (!plain || (type != "parenthesized_expression" && type != "tuple" && type != "generator_expression") || ts_node_start_byte(outer) != 0 ||
        ts_node_end_byte(outer) != wrapped.size()) {
        return expressionError(text, 0, "one expression is expected" + hintFor(text));
    }
    Converter converter(text, wrapped);
    WW_TRY(node, converter.convert(outer, 0));
    return Parsed{std::move(node), converter.takeNames()};
}

}  // namespace

std::string placeOf(std::string_view text, std::size_t offset) {
    const TextPosition at = positionAt(text, offset);
    const std::string column = "column " + std::to_string(at.column);
    return text.find('\n') == std::string_view::npos ? column : "line " + std::to_string(at.line) + ", " + column;
}

Unexpected expressionError(std::string_view text, std::size_t offset, const std::string& message) {
    constexpr std::size_t shown = 120;
    const std::string quoted = text.size() <= shown ? std::string(text) : std::string(text.substr(0, shown)) + "...";
    return fail(ErrorCode::InvalidExpression, placeOf(text, offset) + ": " + message, "expression \"" + quoted + "\"");
}

Result<Parsed> parseExpression(std::string_view text) {
    if (text.size() > kMaxText) return expressionError(text, kMaxText, "the expression is longer than 64 KiB");
    if (text.find('\0') != std::string_view::npos) return expressionError(text, text.find('\0'), "a NUL character is not allowed");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return expressionError(text, 0, "the expression is empty");
    if (const auto at = tooManyBrackets(text)) return expressionError(text, *at, kTooDeep);
    const std::string wrapped = "(" + std::string(text) + "\n)";
    const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
    if (!ts_parser_set_language(parser.get(), tree_sitter_python())) {
        return fail(ErrorCode::Internal, "the Python grammar does not fit this tree-sitter library; rebuild with the pinned grammar");
    }
    ts_parser_set_timeout_micros(parser.get(), kParseMicros);
    const std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
        ts_parser_parse_string(parser.get(), nullptr, wrapped.data(), static_cast<std::uint32_t>(wrapped.size())), ts_tree_delete);
    if (!tree) return expressionError(text, 0, "this takes too long to read; simplify it");
    return convertTree(text, wrapped, tree.get());
}

}  // namespace ww::expr
