// SPDX-License-Identifier: Apache-2.0
#include "source/declarations.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ww::source {
namespace {

using namespace std::string_view_literals;

const std::set<std::string_view> kDeviceWords{"__global__"sv, "__device__"sv, "__constant__"sv, "__managed__"sv, "__shared__"sv};
/// Identifiers whose parentheses are no parameter list.
const std::set<std::string_view> kAttributeCalls{"__launch_bounds__"sv, "__cluster_dims__"sv, "__maxnreg__"sv, "__block_size__"sv, "__align__"sv,
                                                 "__attribute__"sv, "__declspec"sv, "alignas"sv, "decltype"sv, "noexcept"sv, "requires"sv, "explicit"sv, "_Pragma"sv};
/// Words that aliases hold beside the name that they give.
const std::set<std::string_view> kNoNames{"std"sv, "int"sv, "unsigned"sv, "signed"sv, "long"sv, "short"sv, "char"sv, "bool"sv, "float"sv, "double"sv, "void"sv, "auto"sv,
                                          "const"sv, "struct"sv, "class"sv, "union"sv, "enum"sv, "using"sv, "typedef"sv, "typename"sv, "template"sv};
const std::set<std::string_view> kAfterParameters{";"sv, "{"sv, ":"sv, "->"sv, "const"sv, "noexcept"sv, "override"sv, "final"sv, "="sv, ","sv, "["sv, "&"sv, "&&"sv, "requires"sv, "try"sv, "("sv};

/// A word of a declaration that some unknown header defines: DEVICE_INLINE, HD, KERNEL.
bool looksLikeMacro(std::string_view word) {
    return word.size() > 1 && std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; }) &&
           std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isupper(c) != 0; });
}

class Scanner {
public:
    explicit Scanner(const Tokens& tokens) : m_tokens(tokens) {
        for (std::size_t i = 0; i < tokens.list.size(); ++i) {
            if (tokens.list[i].directive < 0) m_code.push_back(i);
        }
        readMacros();
    }

    std::vector<ScopeDeclaration> run(std::size_t first, std::size_t end, bool inClass) {
        m_inClass = inClass;
        m_at = static_cast<std::size_t>(std::lower_bound(m_code.begin(), m_code.end(), first) - m_code.begin());
        m_end = static_cast<std::size_t>(std::lower_bound(m_code.begin(), m_code.end(), end) - m_code.begin());
        while (m_at < m_end && step()) {}
        return std::move(m_out);
    }

private:
    std::string_view at(std::size_t i) const { return i < m_end ? m_tokens.at(m_code[i]) : std::string_view{}; }
    bool identifier(std::size_t i) const { return i < m_end && m_tokens.list[m_code[i]].kind == TokenKind::Identifier; }

    /// Macros of the file by what a declaration that holds them becomes. Names that a macro uses count for it, to any depth.
    void readMacros() {
        std::map<std::string_view, std::set<std::string_view>> words;
        for (const Directive& directive : m_tokens.directives) {
            if (directive.keyword != "define" || directive.firstToken >= directive.endToken) continue;
            auto& body = words[m_tokens.at(directive.firstToken)];
            for (std::size_t i = directive.firstToken + 1; i < directive.endToken; ++i) body.insert(m_tokens.at(i));
        }
        for (const auto& [name, body] : words) m_macros.insert(name);
        for (bool grown = true; grown;) {
            grown = false;
            for (const auto& [name, body] : words) {
                const bool device = std::any_of(body.begin(), body.end(), [&](auto word) { return kDeviceWords.contains(word) || m_deviceMacros.contains(word); });
                if (device) grown |= m_deviceMacros.insert(name).second;
            }
        }
    }

    /// Index past the group that opens at `open`; past the end where it never closes.
    std::size_t afterGroup(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < m_end; ++i) {
            const std::string_view mark = at(i);
            if (mark == "(" || mark == "[" || mark == "{") ++depth;
            if (mark == ")" || mark == "]" || mark == "}") --depth;
            if (depth <= 0) return i + 1;
        }
        return m_end + 1;
    }

    /// Past `<...>` of a template head.
    std::size_t afterAngles(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < m_end; ++i) {
            const std::string_view mark = at(i);
            if (mark == "(" || mark == "[" || mark == "{") {
                i = afterGroup(i) - 1;
                continue;
            }
            depth += mark == "<" ? 1 : mark == ">" ? -1 : mark == ">>" ? -2 : 0;
            if (depth <= 0) return i + 1;
        }
        return m_end + 1;
    }

    bool step() {
        const std::string_view word = at(m_at);
        if (word == ";" || word == "}") {
            ++m_at;
            return true;
        }
        if (m_inClass && (word == "public" || word == "private" || word == "protected") && at(m_at + 1) == ":") {
            m_at += 2;
            return true;
        }
        if (const std::size_t inside = scopeBody(); inside > 0) {
            m_at = inside;
            return true;
        }
        return declaration();
    }

    /// Past the brace of `namespace a::b {`, `inline namespace {` or `extern "C" {`; 0 for anything else.
    std::size_t scopeBody() const {
        std::size_t i = m_at + (at(m_at) == "inline" ? 1 : 0);
        if (at(i) == "extern" && m_tokens.list[m_code[i]].kind == TokenKind::Identifier && at(i + 1).starts_with('"')) return at(i + 2) == "{" ? i + 3 : 0;
        if (at(i) != "namespace") return 0;
        while (i < m_end && at(i) != "{" && at(i) != "=" && at(i) != ";") ++i;
        return at(i) == "{" ? i + 1 : 0;
    }

    bool emit(ScopeDeclaration declared, std::size_t first, std::size_t past) {
        if (past > m_end) return false;
        declared.first = m_code[first];
        declared.last = m_code[past - 1];
        if (declared.kind == DeclarationKind::Other || declared.kind == DeclarationKind::Class) m_types.insert(declared.names.begin(), declared.names.end());
        m_out.push_back(std::move(declared));
        m_at = past;
        return true;
    }

    /// `DEFINE_KERNEL(float)` without a semicolon, before another declaration.
    bool macroCall() {
        if (!identifier(m_at) || at(m_at + 1) != "(" || kAttributeCalls.contains(at(m_at)) || at(m_at) == "static_assert" || at(m_at) == "asm") return false;
        const std::size_t past = afterGroup(m_at + 1);
        const bool followed = past < m_end && kAfterParameters.contains(at(past)) && at(past) != "(";
        if (followed && !(m_macros.contains(at(m_at)) && at(past) == ";")) return false;
        ScopeDeclaration call;
        call.kind = DeclarationKind::Standing;
        return emit(std::move(call), m_at, past);
    }

    bool declaration() {
        if (!m_inClass && macroCall()) return true;
        ScopeDeclaration declared;
        Facts facts;
        const std::size_t first = m_at;
        std::size_t i = m_at;
        if (at(i) == "template" && at(i + 1) != "<") declared.kind = DeclarationKind::Standing;
        while (at(i) == "template" && at(i + 1) == "<") {
            const std::size_t past = afterAngles(i + 1);
            for (; i < past; ++i) m_types.insert(at(i));
        }
        const std::string_view lead = at(i);
        facts.alias = lead == "using" || lead == "typedef" || lead == "concept" || lead == "friend";
        if (lead == "static_assert" || (lead == "using" && at(i + 1) == "namespace")) declared.kind = DeclarationKind::Standing;
        while (i < m_end) {
            const std::string_view mark = at(i);
            if (mark == ";") {
                finish(declared, facts);
                return emit(std::move(declared), first, i + 1);
            }
            if (mark == "}") return emit(std::move(declared), first, i);  // a stray end: what came before stays as it is
            if (mark == "(" || mark == "[" || mark == "{") {
                const std::size_t past = afterGroup(i);
                if (past > m_end) return false;
                if (group(declared, facts, i, past)) {
                    finish(declared, facts);
                    return emit(std::move(declared), first, past);
                }
                i = past;
                continue;
            }
            word(declared, facts, i);
            ++i;
        }
        return false;
    }

    struct Facts {
        bool alias = false;
        bool classKey = false;
        bool enumKey = false;
        bool parameters = false;   ///< a parameter list has been seen
        bool assigned = false;     ///< an initialiser has begun
        bool initialisers = false; ///< a constructor's `: a(b)`
        bool hostWord = false;
    };

    /// A name among the specifiers that stands neither for a macro nor for a type of this file: it may mean __device__.
    bool specifierMacro(std::size_t i) const {
        const std::string_view word = at(i);
        if (!looksLikeMacro(word) || m_macros.contains(word) || m_types.contains(word)) return false;
        const std::size_t next = at(i + 1) == "(" ? afterGroup(i + 1) : i + 1;
        return identifier(next) && !kAfterParameters.contains(at(next));
    }

    void addName(ScopeDeclaration& declared, std::size_t i) const {
        if (identifier(i) && !kNoNames.contains(at(i))) declared.names.insert(at(i));
    }

    void word(ScopeDeclaration& declared, Facts& facts, std::size_t i) {
        const std::string_view name = at(i);
        const std::string_view next = at(i + 1);
        if (name == "=" && at(i - 1) != "operator") facts.assigned = true;
        if (name == ":" && facts.parameters) facts.initialisers = true;
        if (!identifier(i) || facts.assigned || facts.initialisers) return;
        declared.device |= kDeviceWords.contains(name) || m_deviceMacros.contains(name) ||
                           (!facts.parameters && specifierMacro(i));
        facts.hostWord |= name == "__host__";
        declared.constant |= name == "const" || name == "constexpr" || name == "consteval";
        declared.isVirtual |= name == "virtual" || name == "override";
        if (facts.parameters) return;
        facts.enumKey |= name == "enum";
        facts.classKey |= name == "class" || name == "struct" || name == "union";
        const bool declares = next == "=" || next == ";" || next == "," || next == "[" || next == "{" || next == "(" || next == ":" || next == "<" || next == "::";
        if (declares || facts.alias || name == "operator") addName(declared, i);
        if (name == "main" && next == "(") declared.host = true;
    }

    /// True where the group is the body that ends a function definition.
    bool group(ScopeDeclaration& declared, Facts& facts, std::size_t open, std::size_t past) {
        const std::string_view mark = at(open);
        const std::string_view before = open > 0 ? at(open - 1) : std::string_view{};
        if (facts.enumKey || facts.alias || mark == "(") {
            const bool inner = facts.enumKey || facts.alias || at(open + 1) == "*";  // `int (*table[3])(int)`
            for (std::size_t i = open; inner && i < past; ++i) addName(declared, i);
        }
        if (mark == "(" && !facts.assigned && !kAttributeCalls.contains(before) && !m_deviceMacros.contains(before)) facts.parameters = true;
        if (mark != "{") return false;
        if (facts.classKey && !facts.parameters) {
            declared.kind = DeclarationKind::Class;
            declared.body = m_code[open];
            for (std::size_t i = open; i < past; ++i) declared.device |= kDeviceWords.contains(at(i)) || m_deviceMacros.contains(at(i));
            return false;
        }
        const bool memberBraces = facts.initialisers && identifier(open - 1);
        if (!facts.parameters || facts.assigned || memberBraces) return false;
        declared.kind = DeclarationKind::Function;
        declared.body = m_code[open];
        return true;
    }

    static void finish(ScopeDeclaration& declared, const Facts& facts) {
        declared.host |= facts.hostWord && !declared.device;
        if (declared.kind != DeclarationKind::Other) return;
        if (!facts.alias && !facts.enumKey && !facts.parameters && !facts.classKey) declared.kind = DeclarationKind::Variable;
    }

    const Tokens& m_tokens;
    std::vector<std::size_t> m_code;  ///< indices of tokens outside directives
    std::set<std::string_view> m_macros;
    std::set<std::string_view> m_deviceMacros;
    std::set<std::string_view> m_types;  ///< aliases, classes and template parameters met so far
    std::vector<ScopeDeclaration> m_out;
    std::size_t m_at = 0;
    std::size_t m_end = 0;
    bool m_inClass = false;
};

}  // namespace

std::vector<ScopeDeclaration> scopeDeclarations(const Tokens& tokens) {
    return Scanner(tokens).run(0, tokens.list.size(), false);
}

std::vector<ScopeDeclaration> memberDeclarations(const Tokens& tokens, const ScopeDeclaration& type) {
    return Scanner(tokens).run(type.body + 1, std::min(tokens.afterGroup(type.body), tokens.list.size()) - 1, true);
}

}  // namespace ww::source
