// SPDX-License-Identifier: Apache-2.0
#include "source/tokens.h"

#include <algorithm>
#include <cctype>

namespace ww::source {
namespace {

bool startsIdentifier(unsigned char c) {
    return std::isalpha(c) != 0 || c == '_' || c == '$' || c >= 0x80;
}

bool continuesIdentifier(unsigned char c) {
    return startsIdentifier(c) || std::isdigit(c) != 0;
}

class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) { m_out.text = text; }

    Tokens run() {
        if (m_text.starts_with("\xEF\xBB\xBF")) m_at = 3;
        while (m_at < m_text.size()) step();
        endDirective();
        return std::move(m_out);
    }

private:
    char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }

    void step() {
        const char c = peek();
        if (c == '\n') {
            endDirective();
            ++m_line;
            ++m_at;
            m_lineStart = true;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            ++m_at;
        } else if (const std::size_t splice = spliceLength(m_at); splice > 0) {
            m_at += splice;
            ++m_line;
        } else if (c == '/' && peek(1) == '/') {
            skipLineComment();
        } else if (c == '/' && peek(1) == '*') {
            skipBlockComment();
        } else if (c == '#' && m_lineStart) {
            startDirective();
        } else {
            token();
        }
    }

    /// Length of a backslash-newline at `at`, or 0.
    std::size_t spliceLength(std::size_t at) const {
        if (at >= m_text.size() || m_text[at] != '\\') return 0;
        if (at + 1 < m_text.size() && m_text[at + 1] == '\n') return 2;
        if (at + 2 < m_text.size() && m_text[at + 1] == '\r' && m_text[at + 2] == '\n') return 3;
        return 0;
    }

    void skipLineComment() {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && peek() != '\n') {
            if (const std::size_t splice = spliceLength(m_at); splice > 0) {
                m_at += splice;
                ++m_line;
            } else {
                ++m_at;
            }
        }
        noteComment(begin);
    }

    /// One that carries a directive over a line break is not noted: without it the directive would end there.
    void noteComment(std::size_t begin) {
        if (m_directive >= 0 && m_text.substr(begin, m_at - begin).find('\n') != std::string_view::npos) return;
        m_out.comments.emplace_back(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(m_at));
    }

    void skipBlockComment() {
        const std::size_t begin = m_at;
        const std::size_t close = m_text.find("*/", m_at + 2);
        const std::size_t end = close == std::string_view::npos ? m_text.size() : close + 2;
        m_line += static_cast<int>(std::count(m_text.begin() + static_cast<std::ptrdiff_t>(m_at),
                                              m_text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        m_at = end;
        noteComment(begin);
    }

    void startDirective() {
        Directive directive;
        directive.begin = static_cast<std::uint32_t>(m_at);
        directive.line = m_line;
        ++m_at;
        while (peek() == ' ' || peek() == '\t') ++m_at;
        const std::size_t word = m_at;
        while (continuesIdentifier(static_cast<unsigned char>(peek())) && m_at < m_text.size()) ++m_at;
        directive.keyword = m_text.substr(word, m_at - word);
        directive.rest = static_cast<std::uint32_t>(m_at);
        directive.firstToken = m_out.list.size();
        m_out.directives.push_back(directive);
        m_directive = static_cast<int>(m_out.directives.size()) - 1;
        m_lineStart = false;
    }

    void endDirective() {
        if (m_directive < 0) return;
        Directive& directive = m_out.directives[static_cast<std::size_t>(m_directive)];
        directive.endToken = m_out.list.size();
        directive.end = static_cast<std::uint32_t>(m_at);
        m_directive = -1;
    }

    void token() {
        const std::size_t begin = m_at;
        const int line = m_line;
        const auto c = static_cast<unsigned char>(peek());
        TokenKind kind = TokenKind::Punctuation;
        if (startsIdentifier(c)) {
            kind = TokenKind::Identifier;
            while (m_at < m_text.size() && continuesIdentifier(static_cast<unsigned char>(peek()))) ++m_at;
            if (peek() == '"' || peek() == '\'') kind = prefixedLiteral(begin);
        } else if (std::isdigit(c) != 0 || (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0)) {
            kind = TokenKind::Number;
            number();
        } else if (c == '"' || c == '\'') {
            kind = c == '"' ? TokenKind::String : TokenKind::Character;
            quoted();
        } else {
            m_at += punctuationLength();
        }
        m_out.list.push_back({kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(m_at), line, m_directive});
        m_lineStart = false;
    }

    /// An identifier directly before a quote: a literal's prefix (u8"", R"()") or a name of its own.
    TokenKind prefixedLiteral(std::size_t begin) {
        const std::string_view prefix = m_text.substr(begin, m_at - begin);
        const bool raw = peek() == '"' && prefix.ends_with('R');
        const std::string_view encoding = raw ? prefix.substr(0, prefix.size() - 1) : prefix;
        const bool known = encoding.empty() || encoding == "u8" || encoding == "u" || encoding == "U" || encoding == "L";
        if (!known) return TokenKind::Identifier;
        const TokenKind kind = peek() == '"' ? TokenKind::String : TokenKind::Character;
        if (raw) {
            rawString();
        } else {
            quoted();
        }
        return kind;
    }

    void rawString() {
        const std::size_t open = m_text.find('(', m_at);
        if (open == std::string_view::npos || open - m_at > 17) return quoted();
        const std::string close = ")" + std::string(m_text.substr(m_at + 1, open - m_at - 1)) + "\"";
        const std::size_t found = m_text.find(close, open);
        const std::size_t end = found == std::string_view::npos ? m_text.size() : found + close.size();
        for (; m_at < end; ++m_at) m_line += peek() == '\n' ? 1 : 0;
    }

    /// Stops at the line's end: an apostrophe in #error text must not swallow the file.
    void quoted() {
        const char quote = m_text[m_at++];
        while (m_at < m_text.size() && peek() != '\n') {
            if (const std::size_t splice = spliceLength(m_at); splice > 0) {
                m_at += splice;
                ++m_line;
            } else if (peek() == '\\' && m_at + 1 < m_text.size()) {
                m_at += 2;
            } else if (m_text[m_at++] == quote) {
                return;
            }
        }
    }

    void number() {
        const std::size_t begin = m_at;
        const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
        while (m_at < m_text.size()) {
            const char c = peek();
            if (c == '+' || c == '-') {
                const char before = m_at > begin ? m_text[m_at - 1] : '\0';
                const bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
                if (!exponent) return;
            } else if (c == '\'') {
                if (std::isalnum(static_cast<unsigned char>(peek(1))) == 0) return;
            } else if (c != '.' && !continuesIdentifier(static_cast<unsigned char>(c))) {
                return;
            }
            ++m_at;
        }
    }

    std::size_t punctuationLength() const {
        static constexpr std::string_view kLong[] = {"<<=", ">>=", "...", "<=>", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=",
                                                     "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
        const std::string_view rest = m_text.substr(m_at);
        for (const std::string_view mark : kLong) {
            if (rest.starts_with(mark)) return mark.size();
        }
        return 1;
    }

    std::string_view m_text;
    Tokens m_out;
    std::size_t m_at = 0;
    int m_line = 1;
    int m_directive = -1;
    bool m_lineStart = true;
};

}  // namespace

std::size_t Tokens::from(std::size_t offset) const {
    const auto found = std::lower_bound(list.begin(), list.end(), offset,
                                        [](const Token& token, std::size_t at) { return token.begin < at; });
    return static_cast<std::size_t>(found - list.begin());
}

std::size_t Tokens::afterGroup(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < list.size(); ++i) {
        if (list[i].kind != TokenKind::Punctuation) continue;
        const std::string_view mark = of(list[i]);
        if (mark == "(" || mark == "[" || mark == "{") ++depth;
        if (mark == ")" || mark == "]" || mark == "}") --depth;
        if (depth <= 0) return i + 1;
    }
    return list.size();
}

Tokens lex(std::string_view text) {
    return Lexer(text).run();
}

}  // namespace ww::source
