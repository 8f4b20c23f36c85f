// SPDX-License-Identifier: Apache-2.0
#include "source/parameters.h"

#include <algorithm>
#include <set>

#include "source/fold.h"
#include "source/macros.h"
#include "source/proposals.h"

namespace ww::source {
namespace {

using expr::Value;

class Finder {
public:
    Finder(const Tokens& tokens, const Declarations& declarations, const std::map<std::string, int, std::less<>>& identifiers)
        : m_tokens(tokens), m_declarations(declarations), m_identifiers(identifiers), m_macros(collectMacros(tokens)) {}

    std::vector<ParameterSite> run() {
        for (const auto& [name, definitions] : m_macros.byName) macro(definitions);
        for (const TSNode declaration : m_declarations.constants) constants(declaration);
        for (const TSNode list : m_declarations.entryTemplates) templateParameters(list);
        std::stable_sort(m_sites.begin(), m_sites.end(),
                         [](const ParameterSite& a, const ParameterSite& b) { return a.value.begin < b.value.begin; });
        return std::move(m_sites);
    }

private:
    int occurrences(std::string_view name) const {
        const auto found = m_identifiers.find(name);
        return found == m_identifiers.end() ? 0 : found->second;
    }

    static void refuse(ParameterSite& site, std::string why, bool editable = false) {
        if (site.tunable) site.whyNot = std::move(why);
        site.tunable = false;
        site.editable = site.editable && editable;
        site.proposedValues.clear();
    }

    void macro(const std::vector<MacroDefinition>& definitions) {
        const auto live = std::find_if(definitions.begin(), definitions.end(), [](const MacroDefinition& one) { return !one.dead; });
        const MacroDefinition& first = live == definitions.end() ? definitions.front() : *live;
        ParameterSite site;
        site.name = std::string(first.name);
        site.kind = first.guarded ? SiteKind::GuardedMacro : SiteKind::Macro;
        site.line = first.line;
        const std::uint32_t nameEnd = m_tokens.list[first.nameToken].end;
        site.value = {nameEnd, nameEnd};
        if (first.firstToken < first.endToken) {
            site.value = {m_tokens.list[first.firstToken].begin, m_tokens.list[first.endToken - 1].end};
        }
        site.text = std::string(m_tokens.text.substr(site.value.begin, site.value.end - site.value.begin));
        site.uses = occurrences(first.name) - static_cast<int>(definitions.size()) - mentions(m_macros.guardMentions, first.name);
        judgeMacro(site, first, definitions, live == definitions.end());
        m_sites.push_back(std::move(site));
    }

    static int mentions(const std::map<std::string_view, int>& table, std::string_view name) {
        const auto found = table.find(name);
        return found == table.end() ? 0 : found->second;
    }

    void judgeMacro(ParameterSite& site, const MacroDefinition& first, const std::vector<MacroDefinition>& definitions, bool allDead) {
        if (first.functionLike) return refuse(site, "a function-like macro is code, not a value");
        if (site.text.empty()) return refuse(site, "it has no value (an include guard or a flag)");
        if (allDead) return refuse(site, "its definition lies inside #if 0");
        if (m_macros.undefined.contains(first.name)) return refuse(site, "an #undef ends it, so which value counts where cannot be proven");
        int others = 0;
        std::string lines = std::to_string(first.line);
        for (const MacroDefinition& other : definitions) {
            if (&other == &first || other.dead) continue;
            lines += ", " + std::to_string(other.line);
            others += other.guarded && !first.conditional ? 0 : 1;
        }
        if (others > 0) return refuse(site, "it is defined more than once (lines " + lines + "), so which value counts cannot be proven");
        for (std::size_t i = first.firstToken; i < first.endToken; ++i) {
            if (m_tokens.list[i].kind == TokenKind::String) return refuse(site, "its value is a string");
        }
        judgeValue(site);
        const int includes = mentions(m_macros.includeMentions, first.name);
        if (includes > 0 && site.uses == includes) return refuse(site, "it only names an #include");
        if (site.uses <= 0) refuse(site, "nothing in this file uses it", true);
    }

    /// Default and proposed domain from the value's text.
    static void judgeValue(ParameterSite& site) {
        site.defaultValue = foldLiteral(site.text);
        if (!site.defaultValue) return refuse(site, "its value is no literal", true);
        if (site.type == "bool" && site.defaultValue->isNumber()) site.defaultValue = Value(site.defaultValue->truthy());
        const bool realType = site.type == "float" || site.type == "double";
        if (realType && site.defaultValue->isInt()) site.defaultValue = Value(site.defaultValue->asDouble());
        Proposal proposal = propose(site.name, *site.defaultValue, site.text);
        site.proposedValues = std::move(proposal.values);
        site.whyNot = std::move(proposal.whyNot);
        site.tunable = proposal.tunable;
    }

    /// False, with the first site refused, where the name is taken already.
    bool isNew(const std::string& name, int line) {
        const auto found = std::find_if(m_sites.begin(), m_sites.end(), [&](const ParameterSite& site) { return site.name == name; });
        if (found == m_sites.end()) return true;
        found->tunable = true;  // so that this reason replaces a weaker one
        refuse(*found, "it is defined more than once (lines " + std::to_string(found->line) + ", " + std::to_string(line) +
                           "), so which value counts cannot be proven");
        return false;
    }

    void constants(TSNode declaration) {
        std::string type;
        bool memory = false;
        bool compileTime = false;
        for (const TSNode child : namedChildren(declaration)) {
            const std::string_view word = textOf(child, m_tokens.text);
            memory |= word == "__constant__" || word == "volatile";
            compileTime |= word == "constexpr";
        }
        if (memory && !compileTime) return;
        type = squeezed(textOf(childByField(declaration, "type"), m_tokens.text));
        for (const TSNode declarator : childrenByField(declaration, "declarator")) {
            if (!is(declarator, "init_declarator")) continue;
            const TSNode name = childByField(declarator, "declarator");
            if (is(name, "identifier")) constant(name, childByField(declarator, "value"), type);
        }
    }

    void constant(TSNode nameNode, TSNode valueNode, const std::string& type) {
        if (ts_node_is_null(valueNode)) return;
        if (is(valueNode, "initializer_list") || is(valueNode, "argument_list")) {
            const std::vector<TSNode> inner = namedChildren(valueNode);
            if (inner.size() != 1) return;
            valueNode = inner.front();
        }
        ParameterSite site;
        site.name = std::string(textOf(nameNode, m_tokens.text));
        site.kind = SiteKind::Constant;
        site.value = rangeOf(valueNode);
        site.text = std::string(textOf(valueNode, m_tokens.text));
        site.type = type;
        site.line = lineOf(nameNode);
        site.uses = occurrences(site.name) - 1;
        if (!isNew(site.name, site.line)) return;
        judgeValue(site);
        if (site.uses <= 0) refuse(site, "nothing in this file uses it", true);
        m_sites.push_back(std::move(site));
    }

    void templateParameters(TSNode list) {
        if (ts_node_is_null(list)) return;
        for (const TSNode node : namedChildren(list)) {
            const std::string_view kind = typeOf(node);
            if (kind != "parameter_declaration" && kind != "optional_parameter_declaration") continue;
            const TSNode name = declaredName(childByField(node, "declarator"));
            if (ts_node_is_null(name)) continue;
            ParameterSite site;
            site.name = std::string(textOf(name, m_tokens.text));
            site.kind = SiteKind::TemplateParameter;
            site.type = squeezed(textOf(childByField(node, "type"), m_tokens.text));
            site.line = lineOf(name);
            site.uses = occurrences(site.name) - 1;
            const TSNode given = childByField(node, "default_value");
            site.value = {ts_node_end_byte(name), ts_node_end_byte(name)};
            if (!ts_node_is_null(given)) {
                site.value = rangeOf(given);
                site.text = std::string(textOf(given, m_tokens.text));
                judgeValue(site);
            } else {
                site.whyNot = "it has no default, so no domain can be guessed; give one in the spec";
            }
            addTemplateParameter(std::move(site));
        }
    }

    /// Kernels of one file often share a parameter's name (BLOCK); it is one parameter, told by its first site.
    void addTemplateParameter(ParameterSite site) {
        const auto found = std::find_if(m_sites.begin(), m_sites.end(),
                                        [&](const ParameterSite& other) { return other.name == site.name; });
        if (found == m_sites.end()) {
            m_sites.push_back(std::move(site));
        } else if (found->kind != SiteKind::TemplateParameter) {
            refuse(*found, "a template parameter (line " + std::to_string(site.line) + ") has the same name");
        }
    }

    const Tokens& m_tokens;
    const Declarations& m_declarations;
    const std::map<std::string, int, std::less<>>& m_identifiers;
    MacroTable m_macros;
    std::vector<ParameterSite> m_sites;
};

}  // namespace

std::vector<ParameterSite> findParameters(const Tokens& tokens, const Declarations& declarations,
                                          const std::map<std::string, int, std::less<>>& identifiers) {
    return Finder(tokens, declarations, identifiers).run();
}

}  // namespace ww::source
