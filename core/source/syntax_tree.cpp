// SPDX-License-Identifier: Apache-2.0
#include "source/syntax_tree.h"

#include <limits>
#include <memory>

extern "C" const TSLanguage* tree_sitter_cuda();
extern "C" const TSLanguage* tree_sitter_python();

namespace ww::source {
namespace {

/// Text that drives the generalised parser into exponential work must end somewhere; ordinary files take milliseconds.
constexpr std::uint64_t kParseLimitUs = 30'000'000;

struct ParserDelete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};

std::string shortened(std::string_view text, std::size_t limit) {
    std::string line = squeezed(text.substr(0, std::min(text.size(), limit * 4)));
    if (line.size() <= limit) return line;
    std::size_t cut = limit;
    while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xC0U) == 0x80U) --cut;  // never inside a UTF-8 sequence
    return line.substr(0, cut) + "...";
}

}  // namespace

Result<SyntaxTree> SyntaxTree::parse(std::string_view text, Grammar grammar) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
        return fail(ErrorCode::InvalidArgument, "the text is larger than 4 GiB; split the file");
    }
    const std::unique_ptr<TSParser, ParserDelete> parser(ts_parser_new());
    if (!ts_parser_set_language(parser.get(), grammar == Grammar::Cuda ? tree_sitter_cuda() : tree_sitter_python())) {
        return fail(ErrorCode::Internal, "the grammar does not fit the tree-sitter library; build both again");
    }
    ts_parser_set_timeout_micros(parser.get(), kParseLimitUs);
    TSTree* tree = ts_parser_parse_string(parser.get(), nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
    if (tree == nullptr) {
        return fail(ErrorCode::ParseError, "the source could not be parsed within 30 s; move generated tables out of the kernel file");
    }
    return SyntaxTree(tree);
}

std::vector<TSNode> namedChildren(TSNode node) {
    std::vector<TSNode> children;
    Cursor cursor(node);
    if (!cursor.firstChild()) return children;
    do {
        const TSNode child = cursor.node();
        if (ts_node_is_named(child) && !ts_node_is_extra(child)) children.push_back(child);
    } while (cursor.nextSibling());
    return children;
}

std::vector<TSNode> childrenByField(TSNode node, std::string_view field) {
    std::vector<TSNode> children;
    Cursor cursor(node);
    if (!cursor.firstChild()) return children;
    do {
        if (cursor.field() == field) children.push_back(cursor.node());
    } while (cursor.nextSibling());
    return children;
}

std::string squeezed(std::string_view text) {
    std::string out;
    bool blank = false;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f') {
            blank = !out.empty();
            continue;
        }
        if (blank) out += ' ';
        blank = false;
        out += c;
    }
    return out;
}

std::vector<SyntaxProblem> syntaxProblems(TSNode root, std::string_view text) {
    std::vector<SyntaxProblem> problems;
    if (!ts_node_has_error(root)) return problems;
    walk(root, [&](const Cursor& cursor) {
        const TSNode node = cursor.node();
        const bool missing = ts_node_is_missing(node);
        const bool error = is(node, "ERROR");
        if (missing || error) {
            const TSPoint start = ts_node_start_point(node);
            std::string what = missing ? "expected " + std::string(typeOf(node)) : "unexpected " + shortened(textOf(node, text), 60);
            problems.push_back({static_cast<int>(start.row) + 1, static_cast<int>(start.column) + 1, std::move(what)});
            return false;
        }
        return ts_node_has_error(node);
    });
    return problems;
}

}  // namespace ww::source
