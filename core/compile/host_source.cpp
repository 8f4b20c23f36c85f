// SPDX-License-Identifier: Apache-2.0
#include "compile/host_source.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "source/cpu_gaps.h"

namespace ww::compile {

namespace {

/// Full unrolling in CUDA; g++ needs a number, and larger ones explode where the trip count is not known.
constexpr std::string_view kFullUnroll = "32";

enum class Kind { Word, Text, Other, Directive };

struct Token {
    Kind kind;
    std::size_t begin, end;
};

struct Edit {
    std::size_t begin, end;
    std::string text;
};

bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Splits text into words, literals, single characters and preprocessor lines; comments and blanks vanish.
class Lexer {
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

    std::vector<Token> all(bool directives) {
        std::vector<Token> tokens;
        bool lineStart = true;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\n') {
                lineStart = true;
                ++m_at;
            } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
                ++m_at;
            } else if (startsWith("//")) {
                skipLine();
            } else if (startsWith("/*")) {
                const auto close = m_text.find("*/", m_at + 2);
                m_at = close == std::string_view::npos ? m_text.size() : close + 2;
            } else {
                tokens.push_back(next(c, lineStart && directives));
                lineStart = false;
            }
        }
        return tokens;
    }

private:
    bool startsWith(std::string_view prefix) const { return m_text.substr(m_at).starts_with(prefix); }

    /// To the line's end, spliced lines and their comments included.
    void skipLine() {
        while (m_at < m_text.size() && m_text[m_at] != '\n') {
            const bool splice = m_text[m_at] == '\\' && (m_text.substr(m_at + 1).starts_with("\n") || m_text.substr(m_at + 1).starts_with("\r\n"));
            m_at += splice ? (m_text[m_at + 1] == '\r' ? 3 : 2) : 1;
        }
    }

    Token next(char c, bool directive) {
        const std::size_t begin = m_at;
        if (directive && c == '#') {
            skipLine();
            return {Kind::Directive, begin, m_at};
        }
        if (isWordStart(c)) {
            while (m_at < m_text.size() && isWord(m_text[m_at])) ++m_at;
            const std::string_view word = m_text.substr(begin, m_at - begin);
            if (m_at < m_text.size() && m_text[m_at] == '"' && word.ends_with('R') && word.size() <= 3) return rawString(begin);
            return {Kind::Word, begin, m_at};
        }
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
            while (m_at < m_text.size() && (isWord(m_text[m_at]) || m_text[m_at] == '.' || digitSeparator())) ++m_at;
            return {Kind::Other, begin, m_at};
        }
        if (c == '"' || c == '\'') {
            for (++m_at; m_at < m_text.size() && m_text[m_at] != c && m_text[m_at] != '\n'; ++m_at) {
                if (m_text[m_at] == '\\') ++m_at;
            }
            m_at = std::min(m_at + 1, m_text.size());
            return {Kind::Text, begin, m_at};
        }
        ++m_at;
        return {Kind::Other, begin, m_at};
    }

    bool digitSeparator() const { return m_text[m_at] == '\'' && m_at + 1 < m_text.size() && isWord(m_text[m_at + 1]); }

    Token rawString(std::size_t begin) {
        const auto open = m_text.find('(', m_at);
        if (open == std::string_view::npos) return {Kind::Text, begin, m_at = m_text.size()};
        const std::string close = ")" + std::string(m_text.substr(m_at + 1, open - m_at - 1)) + "\"";
        const auto found = m_text.find(close, open);
        m_at = found == std::string_view::npos ? m_text.size() : found + close.size();
        return {Kind::Text, begin, m_at};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

std::string refusalPragma(std::string_view reason) {
    std::string text;
    for (const char c : reason) {
        if (c == '"' || c == '\\') text += '\\';
        text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return "GCC error \"" + std::string(kRefusalMark) + text + "\"";
}

class Rewriter {
public:
    Rewriter(std::string_view text, Unroll unroll) : m_text(text), m_unroll(unroll) {}

    std::string run(const source::CpuGaps& gaps) {
        for (const auto& unused : gaps.unused) m_edits.push_back({unused.begin, unused.end, ""});
        for (const auto& gap : gaps.found) refuse(gap);
        const auto tokens = Lexer(m_text).all(true);
        for (const Token& token : tokens) {
            if (token.kind == Kind::Directive) directive(token);
        }
        std::vector<Token> code;
        std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(code), [](const Token& t) { return t.kind != Kind::Directive; });
        unrollOperators(code);
        dynamicShared(code);
        return apply();
    }

private:
    std::string_view textOf(const Token& token) const { return m_text.substr(token.begin, token.end - token.begin); }
    bool is(const std::vector<Token>& tokens, std::size_t i, std::string_view text) const {
        return i < tokens.size() && textOf(tokens[i]) == text;
    }

    void directive(const Token& token) {
        const std::string_view whole = textOf(token);
        auto inner = Lexer(whole.substr(1)).all(false);
        for (Token& part : inner) {
            part.begin += token.begin + 1;
            part.end += token.begin + 1;
        }
        if (is(inner, 0, "pragma")) {
            if (is(inner, 1, "unroll") || is(inner, 1, "nounroll")) pragmaUnroll(token, inner);
        }
    }

    /// An error that the preprocessor raises exactly where it keeps the construct.
    void refuse(const source::CpuGap& gap) {
        const std::string pragma = refusalPragma(gap.what + " (" + gap.text + ")");
        if (gap.include) {
            const std::size_t end = std::min(m_text.find('\n', gap.offset), m_text.size());
            m_edits.push_back({gap.offset, end, "#pragma " + pragma});
        } else {
            m_edits.push_back({gap.offset, gap.offset, " _Pragma(\"" + escape(pragma) + "\") "});
        }
    }

    /// The words after `unroll` in g++'s form; empty to leave the pragma out.
    std::string unrollText(const std::string_view word, std::string_view operand) const {
        if (m_unroll == Unroll::None) return {};
        if (word == "nounroll") return "GCC unroll 1";
        while (!operand.empty() && std::isspace(static_cast<unsigned char>(operand.back())) != 0) operand.remove_suffix(1);
        if (operand.empty()) return "GCC unroll " + std::string(kFullUnroll);
        const bool literal = std::none_of(operand.begin(), operand.end(), [](char c) { return isWordStart(c); });
        if (m_unroll == Unroll::Literal && !literal) return "GCC unroll " + std::string(kFullUnroll);
        return "GCC unroll (" + std::string(operand) + ")";
    }

    void pragmaUnroll(const Token& token, const std::vector<Token>& inner) {
        const std::string_view operand =
            inner.size() > 2 ? m_text.substr(inner[2].begin, inner.back().end - inner[2].begin) : std::string_view{};
        const std::string text = unrollText(textOf(inner[1]), operand);
        m_edits.push_back({token.begin, inner.back().end, text.empty() ? "" : "#pragma " + text});
    }

    /// _Pragma("unroll 4"), the form that macros use.
    void unrollOperators(const std::vector<Token>& code) {
        for (std::size_t i = 0; i + 3 < code.size(); ++i) {
            if (!is(code, i, "_Pragma") || !is(code, i + 1, "(")) continue;
            std::string_view content = textOf(code[i + 2]);
            if (content.size() < 8 || !content.starts_with("\"unroll")) continue;
            content = content.substr(7, content.size() - 8);
            const auto first = content.find_first_not_of(' ');
            const std::string text = unrollText("unroll", first == std::string_view::npos ? "" : content.substr(first));
            if (text.empty()) {
                m_edits.push_back({code[i].begin, code[i + 3].end, ""});
            } else {
                m_edits.push_back({code[i + 2].begin, code[i + 2].end, "\"" + text + "\""});
            }
        }
    }

    static std::string escape(std::string_view text) {
        std::string result;
        for (const char c : text) {
            if (c == '"' || c == '\\') result += '\\';
            result += c;
        }
        return result;
    }

    /// Finds declarations with extern, __shared__ and [] and turns the array into a pointer to the block's dynamic memory.
    void dynamicShared(const std::vector<Token>& code) {
        std::vector<bool> scopes;  // for each open brace: does it belong to a namespace?
        std::size_t start = 0;
        for (std::size_t i = 0; i < code.size(); ++i) {
            const std::string_view text = textOf(code[i]);
            if (text != ";" && text != "{" && text != "}") continue;
            if (text == "{") {
                bool isNamespace = false;
                for (std::size_t k = start; k < i; ++k) {
                    isNamespace = isNamespace || is(code, k, "namespace") || (is(code, k, "extern") && code[k + 1].kind == Kind::Text && k + 2 == i);
                }
                scopes.push_back(isNamespace);
            } else if (text == "}") {
                if (!scopes.empty()) scopes.pop_back();
            } else {
                const bool atNamespace = std::all_of(scopes.begin(), scopes.end(), [](bool open) { return open; });
                declaration(code, start, i, atNamespace);
            }
            start = i + 1;
        }
    }

    void declaration(const std::vector<Token>& code, std::size_t start, std::size_t end, bool atNamespace) {
        std::size_t external = end, shared = end;
        for (std::size_t i = start; i < end; ++i) {
            if (is(code, i, "extern")) external = i;
            if (is(code, i, "__shared__")) shared = i;
        }
        if (external == end || shared == end) return;
        for (std::size_t i = std::max(external, shared) + 1; i + 1 < end; ++i) {
            if (!is(code, i, "[") || !is(code, i + 1, "]") || code[i - 1].kind != Kind::Word) continue;
            const Token& name = code[i - 1];
            if (atNamespace) m_edits.push_back({code[start].begin, code[start].begin, "WW_MARK_SHARED_POINTER "});
            m_edits.push_back({code[external].begin, code[external].end, atNamespace ? "static thread_local" : ""});
            m_edits.push_back({code[shared].begin, code[shared].end, ""});
            m_edits.push_back({name.begin, code[i + 1].end, "(*const " + std::string(textOf(name)) + ")"});
            m_edits.push_back({code[end].begin, code[end].begin, " = WwDynamicShared{}"});
            return;
        }
    }

    std::string apply() {
        std::stable_sort(m_edits.begin(), m_edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
        std::string result;
        std::size_t at = 0;
        for (const Edit& edit : m_edits) {
            if (edit.begin < at) continue;
            result += m_text.substr(at, edit.begin - at);
            result += edit.text;
            // A replaced text may span lines; keep their number.
            const auto replaced = m_text.substr(edit.begin, edit.end - edit.begin);
            const auto lines = std::count(replaced.begin(), replaced.end(), '\n');
            m_pendingLines += lines;
            at = edit.end;
            if (m_pendingLines > 0) {
                const auto lineEnd = std::min(m_text.find('\n', at), m_text.size());
                result += m_text.substr(at, lineEnd - at);
                result.append(static_cast<std::size_t>(m_pendingLines), '\n');
                m_pendingLines = 0;
                at = lineEnd;
            }
        }
        result += m_text.substr(std::min(at, m_text.size()));
        return result;
    }

    std::string_view m_text;
    Unroll m_unroll;
    std::vector<Edit> m_edits;
    long m_pendingLines = 0;
};

std::string quotedName(std::string_view name) {
    std::string result = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') result += '\\';
        if (c != '\n') result += c;
    }
    return result + "\"";
}

std::string joined(const std::vector<std::string>& parts) {
    std::string result;
    for (const std::string& part : parts) result += (result.empty() ? "" : ", ") + part;
    return result;
}

}  // namespace

std::string toHostSource(std::string_view source, Unroll unroll, std::string_view entry) {
    if (source.starts_with("\xef\xbb\xbf")) source.remove_prefix(3);  // a byte-order mark is no C++ token
    // Of every condition the compiler knows better: all branches are searched, and the preprocessor decides.
    auto gaps = source::findCpuGaps(source, entry, {});
    return Rewriter(source, unroll).run(gaps ? *gaps : source::CpuGaps{});
}

std::string translationUnit(const CompileRequest& request, Unroll unroll, bool castEntry,
                            const std::vector<std::pair<std::string, std::string>>& moreDefines, const std::vector<std::string>& undefines) {
    std::string unit;
    // After the header instead of on the command line: a parameter named N or T must not reach the header's own templates.
    for (const auto* list : {&moreDefines, &request.defines}) {
        for (const auto& [name, value] : *list) {
            const auto bare = name.substr(0, name.find('('));
            unit += "#undef " + bare + "\n#define " + name + " " + value + "\n";
        }
    }
    for (const std::string& name : undefines) unit += "#undef " + name + "\n";
    unit += "#line 1 " + quotedName(request.fileName.empty() ? "kernel.cu" : request.fileName) + "\n";
    unit += toHostSource(request.source, unroll, request.entry);
    unit += "\n#line 1 " + quotedName(kLauncherName) + "\n";
    std::string entry = request.entry;
    if (!request.templateArguments.empty()) entry += "<" + joined(request.templateArguments) + ">";
    if (castEntry) entry = "static_cast<void (*)(" + joined(request.argumentTypes) + ")>(&" + entry + ")";
    std::string symbols;
    for (const std::string& symbol : request.symbols) symbols += "WW_SYMBOL(" + symbol + "), ";
    unit += "WW_SYMBOLS(" + symbols + "{})\n";
    unit += "WW_LAUNCHER(" + entry + ");\n";
    return unit;
}

}  // namespace ww::compile
