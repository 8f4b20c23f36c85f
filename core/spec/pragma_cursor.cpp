// SPDX-License-Identifier: Apache-2.0
#include "spec/pragma_cursor.h"

#include "base/json.h"

namespace ww::spec {

using source::Token;
using source::TokenKind;

PragmaCursor::PragmaCursor(const source::Tokens& tokens, const source::Directive& directive, std::filesystem::path file)
    : m_tokens(&tokens), m_file(std::move(file)), m_at(directive.firstToken), m_end(directive.endToken) {
    // An error at the end points behind the last token, not at the line's end: comments may stand between.
    m_ending.begin = m_end > m_at ? tokens.list[m_end - 1].end : directive.rest;
    m_ending.end = m_ending.begin;
}

Token PragmaCursor::next() {
    const Token token = peek();
    if (!atEnd()) ++m_at;
    return token;
}

bool PragmaCursor::accept(std::string_view mark) {
    if (atEnd() || peekText() != mark) return false;
    ++m_at;
    return true;
}

Result<void> PragmaCursor::expect(std::string_view mark) {
    if (accept(mark)) return {};
    const std::string found = atEnd() ? "the directive ends" : "there is '" + std::string(peekText()) + "'";
    return error(peek(), "'" + std::string(mark) + "' is expected, but " + found);
}

Result<Token> PragmaCursor::expectName(std::string_view what) {
    if (!atEnd() && peek().kind == TokenKind::Identifier) return next();
    const std::string found = atEnd() ? "the directive ends" : "there is '" + std::string(peekText()) + "'";
    return error(peek(), std::string(what) + " is expected, but " + found);
}

Unexpected PragmaCursor::error(const Token& at, const std::string& message, ErrorCode code) const {
    const TextPosition place = positionAt(m_tokens->text, at.begin);
    return fail(code, "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " + message, m_file.string());
}

}  // namespace ww::spec
