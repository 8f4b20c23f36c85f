// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ww::source {

enum class TokenKind { Identifier, Number, String, Character, Punctuation };

/// A preprocessing token of C++ outside comments; offsets are bytes of the lexed text.
struct Token {
    TokenKind kind = TokenKind::Punctuation;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    int line = 1;
    int directive = -1;  ///< index into Tokens::directives, -1 for ordinary code
};

/// One line that starts with #, continuation lines included.
struct Directive {
    std::string_view keyword;    ///< "define", "ifndef", ...; empty for a lone #
    std::size_t firstToken = 0;  ///< first token after the keyword
    std::size_t endToken = 0;    ///< one past its last token
    std::uint32_t begin = 0;     ///< the #
    std::uint32_t rest = 0;      ///< after the keyword
    std::uint32_t end = 0;       ///< end of the line, comments included
    int line = 1;
};

/// The preprocessor's view of a text. tree-sitter leaves macro bodies unparsed, so everything that must be exact about macros
/// comes from here. Views point into the lexed text, which must outlive them.
struct Tokens {
    std::string_view text;
    std::vector<Token> list;
    std::vector<Directive> directives;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> comments;  ///< [begin, end), by offset; but those that join lines of a directive

    [[nodiscard]] std::string_view of(const Token& token) const { return text.substr(token.begin, token.end - token.begin); }
    [[nodiscard]] std::string_view at(std::size_t index) const { return index < list.size() ? of(list[index]) : std::string_view{}; }
    /// Index of the first token that starts at or after `offset`.
    [[nodiscard]] std::size_t from(std::size_t offset) const;
    /// Index past the group that opens at `open` ("(", "{", "["), or `list.size()` where it never closes.
    [[nodiscard]] std::size_t afterGroup(std::size_t open) const;
};

/// Never fails: what is no token of C++ becomes one byte of punctuation. Linear in the text's length.
[[nodiscard]] Tokens lex(std::string_view text);

}  // namespace ww::source
