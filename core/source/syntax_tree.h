// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "source/source_model.h"

namespace ww::source {

enum class Grammar { Cuda, Python };

/// Owns a tree of tree-sitter-cuda or tree-sitter-python. Nodes are plain handles into it and die with it; the text must outlive the nodes' use.
/// One thread at a time.
class SyntaxTree {
public:
    /// Errors: ParseError where parsing takes absurdly long; InvalidArgument above 4 GiB; Internal when grammar and runtime differ.
    [[nodiscard]] static Result<SyntaxTree> parse(std::string_view text, Grammar grammar = Grammar::Cuda);

    SyntaxTree(SyntaxTree&& other) noexcept : m_tree(std::exchange(other.m_tree, nullptr)) {}
    SyntaxTree& operator=(SyntaxTree&& other) noexcept {
        std::swap(m_tree, other.m_tree);
        return *this;
    }
    SyntaxTree(const SyntaxTree&) = delete;
    SyntaxTree& operator=(const SyntaxTree&) = delete;
    ~SyntaxTree() { ts_tree_delete(m_tree); }

    [[nodiscard]] TSNode root() const { return ts_tree_root_node(m_tree); }

private:
    explicit SyntaxTree(TSTree* tree) : m_tree(tree) {}
    TSTree* m_tree = nullptr;
};

/// Owns a cursor. Steps are O(1), which ts_node_parent and ts_node_child are not.
class Cursor {
public:
    explicit Cursor(TSNode node) : m_cursor(ts_tree_cursor_new(node)) {}
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;
    ~Cursor() { ts_tree_cursor_delete(&m_cursor); }

    [[nodiscard]] TSNode node() const { return ts_tree_cursor_current_node(&m_cursor); }
    [[nodiscard]] std::string_view field() const {
        const char* name = ts_tree_cursor_current_field_name(&m_cursor);
        return name != nullptr ? std::string_view(name) : std::string_view{};
    }
    bool firstChild() { return ts_tree_cursor_goto_first_child(&m_cursor); }
    bool nextSibling() { return ts_tree_cursor_goto_next_sibling(&m_cursor); }
    bool parent() { return ts_tree_cursor_goto_parent(&m_cursor); }

private:
    TSTreeCursor m_cursor;
};

[[nodiscard]] inline std::string_view typeOf(TSNode node) {
    return ts_node_is_null(node) ? std::string_view{} : std::string_view(ts_node_type(node));
}
[[nodiscard]] inline bool is(TSNode node, std::string_view type) { return typeOf(node) == type; }
[[nodiscard]] inline ByteRange rangeOf(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }
[[nodiscard]] inline std::string_view textOf(TSNode node, std::string_view text) {
    return ts_node_is_null(node) ? std::string_view{}
                                 : text.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
}
[[nodiscard]] inline int lineOf(TSNode node) { return static_cast<int>(ts_node_start_point(node).row) + 1; }
[[nodiscard]] inline TSNode childByField(TSNode node, std::string_view field) {
    return ts_node_is_null(node) ? node : ts_node_child_by_field_name(node, field.data(), static_cast<std::uint32_t>(field.size()));
}

/// All named children, comments left out, in one pass.
[[nodiscard]] std::vector<TSNode> namedChildren(TSNode node);

/// The children that carry this field name (a declaration has one "declarator" per declared name).
[[nodiscard]] std::vector<TSNode> childrenByField(TSNode node, std::string_view field);

/// Depth-first without recursion, so that nesting depth is bounded by memory only. `enter(cursor)` returns whether to descend;
/// `leave(node)` is called for every node that was entered, after its children.
template <typename Enter, typename Leave>
void walk(TSNode root, Enter&& enter, Leave&& leave) {
    Cursor cursor(root);
    for (;;) {
        const bool descend = enter(cursor);
        if (descend && cursor.firstChild()) continue;
        leave(cursor.node());
        while (!cursor.nextSibling()) {
            if (!cursor.parent()) return;
            leave(cursor.node());
        }
    }
}

template <typename Enter>
void walk(TSNode root, Enter&& enter) {
    walk(root, std::forward<Enter>(enter), [](TSNode) {});
}

/// Whitespace runs become one blank; ends are trimmed.
[[nodiscard]] std::string squeezed(std::string_view text);

/// ERROR and MISSING nodes in document order; an ERROR's inner nodes are not reported again.
[[nodiscard]] std::vector<SyntaxProblem> syntaxProblems(TSNode root, std::string_view text);

}  // namespace ww::source
