// SPDX-License-Identifier: Apache-2.0
#include "source/conditions.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "source/fold.h"

namespace ww::source {
namespace {

constexpr int kMostExpansions = 32;
constexpr int kMostNesting = 200;

using Number = std::optional<std::int64_t>;  // empty: not known

/// Names and what they stand for, as far as the lines before tell.
class Macros {
public:
    Macros(const Tokens& tokens, const KnownMacros& known) : m_tokens(tokens), m_known(known) {}

    enum class State { Defined, Undefined, Unknown };

    State state(std::string_view name) const {
        if (m_known.open.contains(name)) return State::Unknown;
        if (const auto found = m_seen.find(name); found != m_seen.end()) return found->second.state;
        if (m_known.defined.contains(name)) return State::Defined;
        return m_anything && !m_known.undefined.contains(name) ? State::Unknown : State::Undefined;
    }

    /// The value of a name in an #if; a name that is not defined counts as 0 there.
    Number value(std::string_view name, int depth) const;

    void define(const Directive& directive, Live live) {
        if (live == Live::No || directive.firstToken >= directive.endToken) return;
        const std::string_view name = m_tokens.at(directive.firstToken);
        Seen& seen = m_seen[name];
        seen.state = live == Live::Yes ? State::Defined : State::Unknown;
        seen.first = directive.firstToken + 1;
        seen.end = directive.endToken;
    }
    void undefine(const Directive& directive, Live live) {
        if (live == Live::No || directive.firstToken >= directive.endToken) return;
        m_seen[m_tokens.at(directive.firstToken)] = {live == Live::Yes ? State::Undefined : State::Unknown, 0, 0};
    }
    void include(const Directive& directive, Live live) {
        const std::string_view rest = m_tokens.text.substr(directive.rest, directive.end - directive.rest);
        if (live != Live::No && rest.find('<') == std::string_view::npos) m_anything = true;
    }

private:
    struct Seen {
        State state = State::Undefined;
        std::size_t first = 0, end = 0;
    };
    const Tokens& m_tokens;
    const KnownMacros& m_known;
    std::map<std::string_view, Seen> m_seen;
    bool m_anything = false;
};

/// Arithmetic of #if over tokens, with unknown operands.
class Condition {
public:
    Condition(const Tokens& tokens, const Macros& macros, std::size_t first, std::size_t end, int depth)
        : m_tokens(tokens), m_macros(macros), m_at(first), m_end(end), m_depth(depth) {}

    Number run() {
        const Number result = conditional();
        return m_at == m_end ? result : Number{};
    }

private:
    std::string_view peek() const { return m_at < m_end ? m_tokens.at(m_at) : std::string_view{}; }
    bool take(std::string_view text) {
        if (peek() != text) return false;
        ++m_at;
        return true;
    }
    /// An operator of one or two characters, however the lexer has split it.
    bool takeOperator(std::string_view text) {
        if (take(text)) return true;
        if (text.size() != 2 || m_at + 1 >= m_end || peek() != text.substr(0, 1) || m_tokens.at(m_at + 1) != text.substr(1)) return false;
        if (m_tokens.list[m_at].end != m_tokens.list[m_at + 1].begin) return false;
        m_at += 2;
        return true;
    }

    Number conditional() {
        const Number test = logical(0);
        if (!take("?")) return test;
        const Number yes = conditional();
        if (!take(":")) return {};
        const Number no = conditional();
        if (!test) return yes == no ? yes : Number{};
        return *test != 0 ? yes : no;
    }

    static constexpr std::string_view kLevels[][6] = {{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
                                                      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

    Number logical(std::size_t level) {
        if (level == std::size(kLevels)) return unary();
        Number left = logical(level + 1);
        for (;;) {
            std::string_view found;
            for (const std::string_view one : kLevels[level]) {
                if (one.empty() || (one.size() == 1 && continues(one))) continue;
                if (takeOperator(one)) {
                    found = one;
                    break;
                }
            }
            if (found.empty()) return left;
            left = apply(found, left, logical(level + 1));
        }
    }

    /// Whether a one-character operator is the start of a longer one here.
    bool continues(std::string_view one) const {
        if (peek() != one || m_at + 1 >= m_end || m_tokens.list[m_at].end != m_tokens.list[m_at + 1].begin) return false;
        const std::string_view next = m_tokens.at(m_at + 1);
        return next == "=" || next == one;
    }

    static Number apply(std::string_view op, Number a, Number b) {
        if (op == "&&") {
            if ((a && *a == 0) || (b && *b == 0)) return 0;
            return a && b ? Number(1) : Number{};
        }
        if (op == "||") {
            if ((a && *a != 0) || (b && *b != 0)) return 1;
            return a && b ? Number(0) : Number{};
        }
        if (!a || !b) return {};
        const auto x = static_cast<std::uint64_t>(*a), y = static_cast<std::uint64_t>(*b);
        if (op == "|") return static_cast<std::int64_t>(x | y);
        if (op == "^") return static_cast<std::int64_t>(x ^ y);
        if (op == "&") return static_cast<std::int64_t>(x & y);
        if (op == "==") return *a == *b;
        if (op == "!=") return *a != *b;
        if (op == "<=") return *a <= *b;
        if (op == ">=") return *a >= *b;
        if (op == "<") return *a < *b;
        if (op == ">") return *a > *b;
        if (op == "<<") return y < 64 ? Number(static_cast<std::int64_t>(x << y)) : Number{};
        if (op == ">>") return y < 64 ? Number(*a >> y) : Number{};
        if (op == "+") return static_cast<std::int64_t>(x + y);
        if (op == "-") return static_cast<std::int64_t>(x - y);
        if (op == "*") return static_cast<std::int64_t>(x * y);
        if (*b == 0 || (*b == -1 && *a == INT64_MIN)) return {};
        return op == "/" ? *a / *b : *a % *b;
    }

    Number unary() {
        if (++m_nesting > kMostNesting) {
            m_at = m_end;
            return {};
        }
        const Number result = unaryInside();
        --m_nesting;
        return result;
    }

    Number unaryInside() {
        if (take("!")) {
            const Number inner = unary();
            return inner ? Number(*inner == 0) : inner;
        }
        if (take("-")) {
            const Number inner = unary();
            return inner ? apply("-", 0, inner) : inner;
        }
        if (take("+")) return unary();
        if (take("~")) {
            const Number inner = unary();
            return inner ? Number(~*inner) : inner;
        }
        if (take("(")) {
            const Number inner = conditional();
            return take(")") ? inner : Number{};
        }
        return primary();
    }

    Number primary() {
        if (m_at >= m_end) return {};
        const Token& token = m_tokens.list[m_at];
        const std::string_view word = m_tokens.of(token);
        ++m_at;
        if (token.kind == TokenKind::Number || word == "true" || word == "false") {
            const auto folded = foldLiteral(word);
            if (!folded || folded->isFloat()) return {};
            return folded->asInt();
        }
        if (token.kind != TokenKind::Identifier) return {};
        if (word == "defined") return definedOperator();
        if (peek() == "(") {  // a function-like macro, __has_include(...)
            m_at = std::min(m_tokens.afterGroup(m_at), m_end);
            return {};
        }
        return m_macros.value(word, m_depth + 1);
    }

    Number definedOperator() {
        const bool open = take("(");
        const std::string_view name = peek();
        if (m_at < m_end) ++m_at;
        if (open && !take(")")) return {};
        switch (m_macros.state(name)) {
            case Macros::State::Defined: return 1;
            case Macros::State::Undefined: return 0;
            case Macros::State::Unknown: break;
        }
        return {};
    }

    const Tokens& m_tokens;
    const Macros& m_macros;
    std::size_t m_at, m_end;
    int m_depth;
    int m_nesting = 0;
};

Number Macros::value(std::string_view name, int depth) const {
    if (depth > kMostExpansions) return {};
    switch (state(name)) {
        case State::Undefined: return 0;
        case State::Unknown: return {};
        case State::Defined: break;
    }
    if (const auto seen = m_seen.find(name); seen != m_seen.end()) {
        return Condition(m_tokens, *this, seen->second.first, seen->second.end, depth).run();
    }
    const auto folded = foldLiteral(m_known.defined.find(name)->second);
    if (!folded || folded->isFloat()) return {};
    return folded->asInt();
}

Live both(Live a, Live b) { return std::min(a, b); }

/// One #if with what its branches so far leave for the next.
struct Open {
    Live outside = Live::Yes;
    Live rest = Live::Yes;  ///< whether no branch before was taken
};

Live liveOf(Number condition) {
    if (!condition) return Live::Maybe;
    return *condition != 0 ? Live::Yes : Live::No;
}

Live opposite(Live live) { return live == Live::Maybe ? live : live == Live::Yes ? Live::No : Live::Yes; }

}  // namespace

LiveText::LiveText(const Tokens& tokens, const KnownMacros& known) {
    Macros macros(tokens, known);
    std::vector<Open> open;
    Live now = Live::Yes;
    const auto isDefined = [&](const Directive& directive) {
        if (directive.firstToken >= directive.endToken) return Live::Maybe;
        const auto state = macros.state(tokens.at(directive.firstToken));
        return state == Macros::State::Unknown ? Live::Maybe : state == Macros::State::Defined ? Live::Yes : Live::No;
    };
    const auto branch = [&](const Directive& directive, Live condition) {
        Open& top = open.back();
        now = both(top.outside, both(top.rest, condition));
        top.rest = both(top.rest, opposite(condition));
        m_changes.push_back({directive.end, now});
    };
    for (const Directive& directive : tokens.directives) {
        const auto evaluated = [&] { return liveOf(Condition(tokens, macros, directive.firstToken, directive.endToken, 0).run()); };
        if (directive.keyword == "if" || directive.keyword == "ifdef" || directive.keyword == "ifndef") {
            open.push_back({now, Live::Yes});
            const Live asked = directive.keyword == "if" ? evaluated() : isDefined(directive);
            branch(directive, directive.keyword == "ifndef" ? opposite(asked) : asked);
        } else if (open.empty()) {
            // An #else without its #if: the file is broken, and nothing is known of it.
        } else if (directive.keyword == "elif") {
            branch(directive, evaluated());
        } else if (directive.keyword == "elifdef" || directive.keyword == "elifndef") {
            branch(directive, directive.keyword == "elifdef" ? isDefined(directive) : opposite(isDefined(directive)));
        } else if (directive.keyword == "else") {
            branch(directive, Live::Yes);
        } else if (directive.keyword == "endif") {
            now = open.back().outside;
            open.pop_back();
            m_changes.push_back({directive.end, now});
        }
        if (directive.keyword == "define") macros.define(directive, now);
        if (directive.keyword == "undef") macros.undefine(directive, now);
        if (directive.keyword == "include") macros.include(directive, now);
    }
}

Live LiveText::at(std::size_t offset) const {
    const auto after = std::upper_bound(m_changes.begin(), m_changes.end(), offset,
                                        [](std::size_t where, const Change& change) { return where < change.offset; });
    return after == m_changes.begin() ? Live::Yes : std::prev(after)->live;
}

}  // namespace ww::source
