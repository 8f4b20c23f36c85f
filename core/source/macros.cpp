// SPDX-License-Identifier: Apache-2.0
#include "source/macros.h"

#include <algorithm>

namespace ww::source {
namespace {

/// An open #if with what it asks about one name, if it is that simple.
struct Conditional {
    std::string_view name;
    bool wantsUndefined = false;  ///< #ifndef X, #if !defined(X)
    bool zero = false;            ///< #if 0
    int branch = 0;
    bool plainElse = false;
    bool mentioned = false;       ///< counted in guardMentions already
};

class Collector {
public:
    explicit Collector(const Tokens& tokens) : m_tokens(tokens) {}

    MacroTable run() {
        for (const Directive& directive : m_tokens.directives) handle(directive);
        return std::move(m_out);
    }

private:
    void handle(const Directive& directive) {
        const std::string_view word = directive.keyword;
        if (word == "if" || word == "ifdef" || word == "ifndef") {
            m_open.push_back(condition(directive));
        } else if (word == "elif" || word == "else" || word == "elifdef" || word == "elifndef") {
            if (m_open.empty()) return;
            ++m_open.back().branch;
            m_open.back().plainElse = word == "else" && m_open.back().branch == 1;
        } else if (word == "endif") {
            if (!m_open.empty()) m_open.pop_back();
        } else if (word == "undef") {
            if (directive.firstToken < directive.endToken) m_out.undefined.insert(m_tokens.at(directive.firstToken));
        } else if (word == "define") {
            define(directive);
        } else if (word == "include") {
            for (std::size_t i = directive.firstToken; i < directive.endToken; ++i) ++m_out.includeMentions[m_tokens.at(i)];
        }
    }

    Conditional condition(const Directive& directive) const {
        Conditional open;
        const std::size_t first = directive.firstToken;
        const std::size_t count = directive.endToken - first;
        if (directive.keyword != "if") {
            open.wantsUndefined = directive.keyword == "ifndef";
            if (count == 1) open.name = m_tokens.at(first);
            return open;
        }
        open.zero = count == 1 && m_tokens.at(first) == "0";
        open.wantsUndefined = m_tokens.at(first) == "!";
        const std::size_t at = first + (open.wantsUndefined ? 1 : 0);
        if (at >= directive.endToken || m_tokens.at(at) != "defined") return open;
        const std::size_t left = directive.endToken - at;
        if (left == 2) open.name = m_tokens.at(at + 1);
        if (left == 4 && m_tokens.at(at + 1) == "(" && m_tokens.at(at + 3) == ")") open.name = m_tokens.at(at + 2);
        return open;
    }

    void define(const Directive& directive) {
        if (directive.firstToken >= directive.endToken) return;
        const Token& name = m_tokens.list[directive.firstToken];
        if (name.kind != TokenKind::Identifier) return;
        MacroDefinition macro;
        macro.name = m_tokens.of(name);
        macro.nameToken = directive.firstToken;
        macro.firstToken = directive.firstToken + 1;
        macro.endToken = directive.endToken;
        macro.line = directive.line;
        macro.functionLike = name.end < m_tokens.text.size() && m_tokens.text[name.end] == '(';
        if (macro.functionLike) macro.firstToken = std::min(macro.endToken, m_tokens.afterGroup(macro.firstToken));
        for (std::size_t depth = 0; depth < m_open.size(); ++depth) {
            Conditional& open = m_open[depth];
            const bool guards = open.name == macro.name && ((open.wantsUndefined && open.branch == 0) ||
                                                            (!open.wantsUndefined && open.plainElse));
            if (guards) {
                macro.guarded = true;
                if (!open.mentioned) ++m_out.guardMentions[macro.name];
                open.mentioned = true;
            } else if (open.zero && open.branch == 0) {
                macro.dead = true;
            } else if (!isIncludeGuard(open, depth)) {
                macro.conditional = true;
            }
        }
        m_out.byName[macro.name].push_back(macro);
    }

    /// The outermost #ifndef whose macro has been defined without a value.
    bool isIncludeGuard(const Conditional& open, std::size_t depth) const {
        if (depth != 0 || !open.wantsUndefined || open.branch != 0) return false;
        const auto found = m_out.byName.find(open.name);
        return found != m_out.byName.end() && found->second.front().firstToken == found->second.front().endToken;
    }

    const Tokens& m_tokens;
    MacroTable m_out;
    std::vector<Conditional> m_open;
};

}  // namespace

MacroTable collectMacros(const Tokens& tokens) {
    return Collector(tokens).run();
}

std::vector<MacroQuestion> openQuestions(const Tokens& tokens) {
    std::set<std::string_view> known{"defined", "true", "false", "NDEBUG", "WIN32"};
    for (const Directive& directive : tokens.directives) {
        if (directive.keyword == "define" && directive.firstToken < directive.endToken) known.insert(tokens.at(directive.firstToken));
    }
    std::vector<MacroQuestion> open;
    for (const Directive& directive : tokens.directives) {
        const std::string_view word = directive.keyword;
        const bool expression = word == "if" || word == "elif";
        if (!expression && word != "ifdef" && word != "ifndef" && word != "elifdef" && word != "elifndef") continue;
        for (std::size_t i = directive.firstToken; i < directive.endToken; ++i) {
            const Token& token = tokens.list[i];
            const std::string_view name = tokens.of(token);
            if (token.kind != TokenKind::Identifier || name.starts_with('_') || !known.insert(name).second) continue;
            const bool asked = tokens.at(i - 1) == "defined" || (tokens.at(i - 1) == "(" && tokens.at(i - 2) == "defined");
            open.push_back({name, token.line, expression && !asked});
        }
    }
    return open;
}

}  // namespace ww::source
