// SPDX-License-Identifier: Apache-2.0
#include "source/macro_bodies.h"

#include <utility>

namespace ww::source {
namespace {

/// Longer bodies are generated tables; nothing in them is an index expression.
constexpr std::size_t kLongestBody = 4096;

/// The replacement text with splices as blanks.
std::string bodyText(const Tokens& tokens, const MacroDefinition& macro) {
    std::string body;
    for (std::size_t i = macro.firstToken; i < macro.endToken; ++i) {
        const Token& token = tokens.list[i];
        const bool apart = i > macro.firstToken && token.begin > tokens.list[i - 1].end;
        if (apart) body += ' ';
        body += tokens.of(token);
    }
    return body;
}

TSNode onlyExpression(TSNode block) {
    const std::vector<TSNode> statements = namedChildren(block);
    if (statements.size() != 1 || !is(statements.front(), "expression_statement")) return TSNode{};
    const std::vector<TSNode> inner = namedChildren(statements.front());
    return inner.size() == 1 ? inner.front() : TSNode{};
}

/// Whether anything in the body can be more than a number.
bool hasName(const Tokens& tokens, const MacroDefinition& macro) {
    for (std::size_t i = macro.firstToken; i < macro.endToken; ++i) {
        if (tokens.list[i].kind == TokenKind::Identifier) return true;
    }
    return false;
}

bool acts(TSNode block) {
    bool found = false;
    walk(block, [&](const Cursor& cursor) {
        const std::string_view type = typeOf(cursor.node());
        found = found || type == "call_expression" || type == "subscript_expression" || type == "pointer_expression" ||
                type == "gnu_asm_expression";
        return !found;
    });
    return found;
}

}  // namespace

MacroBodies::MacroBodies(const Tokens& tokens, const MacroTable& table) : m_tokens(tokens) {
    for (const auto& [name, definitions] : table.byName) {
        const MacroDefinition* only = nullptr;
        int live = 0;
        for (const MacroDefinition& one : definitions) {
            if (one.dead) continue;
            only = &one;
            ++live;
        }
        if (live == 1 && !table.undefined.contains(name) && hasName(tokens, *only)) m_slots[name].definition = only;
    }
}

const MacroBody* MacroBodies::find(std::string_view name) const {
    const auto slot = m_slots.find(name);
    if (slot == m_slots.end()) return nullptr;
    if (const MacroDefinition* pending = std::exchange(slot->second.definition, nullptr); pending != nullptr) {
        slot->second.body = parse(*pending);
    }
    return slot->second.body.get();
}

std::unique_ptr<MacroBody> MacroBodies::parse(const MacroDefinition& definition) const {
    auto body = std::make_unique<MacroBody>();
    body->functionLike = definition.functionLike;
    if (body->functionLike) {
        for (std::size_t i = definition.nameToken + 1; i < definition.firstToken; ++i) {
            if (m_tokens.list[i].kind == TokenKind::Identifier) body->parameters.push_back(m_tokens.at(i));
        }
    }
    const std::string replacement = bodyText(m_tokens, definition);
    if (replacement.size() > kLongestBody) return nullptr;
    body->text = "void f() {\n" + replacement + "\n;}";
    auto tree = SyntaxTree::parse(body->text);
    if (!tree || ts_node_has_error(tree->root())) return nullptr;
    body->tree = std::make_unique<SyntaxTree>(std::move(*tree));
    const std::vector<TSNode> top = namedChildren(body->tree->root());
    if (top.size() != 1 || !is(top.front(), "function_definition")) return nullptr;
    body->block = childByField(top.front(), "body");
    body->expression = onlyExpression(body->block);
    body->acts = acts(body->block);
    return body;
}

}  // namespace ww::source
