// SPDX-License-Identifier: Apache-2.0
#include "source/functions.h"

#include <map>

namespace ww::source {
namespace {

bool isName(TSNode node) {
    const std::string_view type = typeOf(node);
    return type == "identifier" || type == "field_identifier" || type == "type_identifier" || type == "namespace_identifier";
}

bool hasQualifier(TSNode node, std::string_view text, std::string_view wanted) {
    for (const TSNode child : namedChildren(node)) {
        if (is(child, "type_qualifier") && textOf(child, text) == wanted) return true;
    }
    return false;
}

class Collector {
public:
    Collector(std::string_view text, const MaskedText& masked, const Tokens& tokens) : m_text(text), m_masked(masked), m_tokens(tokens) {}

    Declarations run(TSNode root) {
        walk(root, [this](const Cursor& cursor) { return enter(cursor); }, [this](TSNode node) { leave(node); });
        for (const Directive& directive : m_tokens.directives) {
            if (directive.keyword == "define" && directive.firstToken < directive.endToken) {
                m_out.declared.emplace(m_tokens.at(directive.firstToken));
            }
        }
        return std::move(m_out);
    }

private:
    bool enter(const Cursor& cursor) {
        const TSNode node = cursor.node();
        const std::string_view type = typeOf(node);
        if (!m_parents.empty()) noteDeclared(cursor, node, type);
        m_parents.push_back(type);
        if (type == "namespace_definition") {
            m_namespaces.emplace_back(textOf(childByField(node, "name"), m_text));
        } else if (type == "linkage_specification") {
            m_externC += textOf(childByField(node, "value"), m_text) == "\"C\"" ? 1 : 0;
        } else if (type == "template_declaration") {
            m_templates.push_back(childByField(node, "parameters"));
        } else if (type == "function_definition") {
            function(node);
            ++m_bodies;
        } else if (type == "class_specifier" || type == "struct_specifier" || type == "union_specifier") {
            ++m_bodies;
        } else if (type == "declaration" && m_bodies == 0 && m_templates.empty()) {
            if (hasQualifier(node, m_text, "const") || hasQualifier(node, m_text, "constexpr")) m_out.constants.push_back(node);
        }
        return true;
    }

    void leave(TSNode node) {
        const std::string_view type = typeOf(node);
        m_parents.pop_back();
        if (type == "namespace_definition") {
            m_namespaces.pop_back();
        } else if (type == "linkage_specification") {
            m_externC -= textOf(childByField(node, "value"), m_text) == "\"C\"" ? 1 : 0;
        } else if (type == "template_declaration") {
            m_templates.pop_back();
        } else if (type == "function_definition" || type == "class_specifier" || type == "struct_specifier" ||
                   type == "union_specifier") {
            --m_bodies;
        }
    }

    /// Remembers names that the file gives a meaning itself; a parameter of such a name cannot come in by -D.
    void noteDeclared(const Cursor& cursor, TSNode node, std::string_view type) {
        if (type != "identifier" && type != "type_identifier" && type != "field_identifier") return;
        const std::string_view parent = m_parents.back();
        const std::string_view field = cursor.field();
        const bool declarator = field == "declarator" || parent == "reference_declarator" ||
                                parent.ends_with("type_parameter_declaration") || parent == "variadic_declarator" ||
                                parent == "parenthesized_declarator";
        const bool named = field == "name" && (parent == "enumerator" || parent == "class_specifier" || parent == "struct_specifier" ||
                                               parent == "union_specifier" || parent == "enum_specifier" ||
                                               parent == "alias_declaration" || parent == "concept_definition");
        if (!declarator && !named) return;
        const std::string_view name = textOf(node, m_text);
        if (!m_out.declared.contains(name)) m_out.declared.emplace(name);
    }

    void function(TSNode node) {
        TSNode declarator = childByField(node, "declarator");
        while (!ts_node_is_null(declarator) && !is(declarator, "function_declarator")) declarator = innerDeclarator(declarator);
        if (ts_node_is_null(declarator)) return;
        const TSNode body = childByField(node, "body");
        if (ts_node_is_null(body)) return;  // = default, = delete
        const TSNode nameNode = childByField(declarator, "declarator");
        const TSNode plain = is(nameNode, "template_function") ? childByField(nameNode, "name") : nameNode;
        const std::string name(textOf(plain, m_text));
        ++m_out.functions;
        if (m_out.firstFunction.empty()) m_out.firstFunction = name;
        const AttributeMark mark = attributesOf(node, body);
        if (mark.global && m_bodies == 0 && !name.empty()) addEntry(node, declarator, body, name, mark);
        if (mark.global || mark.device) m_out.device.push_back({node, name, mark.global});
    }

    /// Attributes between the function's start and its body, those hidden in macros included.
    AttributeMark attributesOf(TSNode node, TSNode body) {
        const std::size_t begin = ts_node_start_byte(node);
        const std::size_t end = ts_node_start_byte(body);
        AttributeMark mark = m_masked.before(begin);
        const AttributeMark inside = m_masked.within(begin, end);
        mark.global |= inside.global;
        mark.device |= inside.device;
        mark.externC |= inside.externC;
        for (std::size_t i = m_tokens.from(begin); i < m_tokens.list.size() && m_tokens.list[i].begin < end; ++i) {
            const std::string_view word = m_tokens.at(i);
            if (word == "(") break;  // parameters begin, or an attribute's own; __launch_bounds__ is handled apart
            mark.global |= word == "__global__";
            mark.device |= word == "__device__";
            if (word == "__launch_bounds__" || word == "__attribute__" || word == "__declspec") i = m_tokens.afterGroup(i + 1) - 1;
            if (const auto macro = prefixMacro(word); macro.global) mark = join(mark, macro);
        }
        return mark;
    }

    static AttributeMark join(AttributeMark left, const AttributeMark& right) {
        left.global |= right.global;
        left.device |= right.device;
        left.externC |= right.externC;
        return left;
    }

    /// `#define KERNEL extern "C" __global__ void`: a macro that holds the return type as well stays in the parsed text.
    AttributeMark prefixMacro(std::string_view word) {
        if (!m_prefixesRead) readPrefixMacros();
        const auto found = m_prefixes.find(word);
        return found == m_prefixes.end() ? AttributeMark{} : found->second;
    }

    void readPrefixMacros() {
        m_prefixesRead = true;
        for (const Directive& directive : m_tokens.directives) {
            if (directive.keyword != "define") continue;
            AttributeMark mark;
            for (std::size_t i = directive.firstToken + 1; i < directive.endToken; ++i) {
                mark.global |= m_tokens.at(i) == "__global__";
                mark.externC |= m_tokens.at(i) == "\"C\"";
            }
            if (mark.global) m_prefixes.emplace(m_tokens.at(directive.firstToken), mark);
        }
    }

    void addEntry(TSNode node, TSNode declarator, TSNode body, const std::string& name, const AttributeMark& mark) {
        Entry entry;
        entry.name = name;
        for (const std::string& part : m_namespaces) {
            if (!part.empty()) entry.qualifiedName += part + "::";
        }
        entry.qualifiedName += name;
        entry.externC = m_externC > 0 || mark.externC;
        entry.range = rangeOf(node);
        entry.body = rangeOf(body);
        entry.line = lineOf(childByField(declarator, "declarator"));
        entry.launchBounds = launchBounds(entry.range.begin, entry.body.begin);
        arguments(childByField(declarator, "parameters"), entry.arguments);
        const TSNode parameters = m_templates.empty() ? TSNode{} : m_templates.back();
        if (!ts_node_is_null(parameters)) templateParameters(parameters, entry.templateParameters);
        m_out.entries.push_back(std::move(entry));
        m_out.entryTemplates.push_back(parameters);
    }

    std::string launchBounds(std::size_t begin, std::size_t end) const {
        for (std::size_t i = m_tokens.from(begin); i < m_tokens.list.size() && m_tokens.list[i].begin < end; ++i) {
            if (m_tokens.at(i) != "__launch_bounds__" || m_tokens.at(i + 1) != "(") continue;
            const std::size_t past = m_tokens.afterGroup(i + 1);
            const std::size_t open = m_tokens.list[i + 1].end;
            const std::size_t close = m_tokens.list[past - 1].begin;
            return close > open ? squeezed(m_text.substr(open, close - open)) : std::string{};
        }
        return {};
    }

    void arguments(TSNode list, std::vector<KernelArgument>& out) const {
        if (ts_node_is_null(list)) return;
        for (const TSNode parameter : namedChildren(list)) {
            if (!typeOf(parameter).ends_with("parameter_declaration")) continue;
            KernelArgument argument;
            argument.type = squeezed(textOf(childByField(parameter, "type"), m_text));
            argument.line = lineOf(parameter);
            TSNode declarator = childByField(parameter, "declarator");
            if (argument.type == "void" && ts_node_is_null(declarator)) continue;
            int pointers = 0;
            while (!ts_node_is_null(declarator) && !isName(declarator)) {
                const std::string_view type = typeOf(declarator);
                pointers += type.find("pointer") != std::string_view::npos || type.find("array") != std::string_view::npos ? 1 : 0;
                declarator = innerDeclarator(declarator);
            }
            if (!ts_node_is_null(declarator)) argument.name = std::string(textOf(declarator, m_text));
            for (int level = 1; level < pointers; ++level) argument.type += '*';
            argument.pointer = pointers > 0;
            argument.isConst = argument.pointer && hasQualifier(parameter, m_text, "const");
            out.push_back(std::move(argument));
        }
    }

    void templateParameters(TSNode list, std::vector<TemplateParameter>& out) const {
        for (TSNode node : namedChildren(list)) {
            if (is(node, "template_template_parameter_declaration")) {
                const std::vector<TSNode> inner = namedChildren(node);  // its own parameters, then the name as a type parameter
                if (!inner.empty()) node = inner.back();
            }
            TemplateParameter parameter;
            const std::string_view type = typeOf(node);
            if (type.find("type_parameter") != std::string_view::npos) {
                parameter.type = "typename";
                const TSNode named = childByField(node, "name");
                for (const TSNode child : namedChildren(node)) {
                    if (is(child, "type_identifier") && parameter.name.empty()) parameter.name = std::string(textOf(child, m_text));
                }
                if (!ts_node_is_null(named)) parameter.name = std::string(textOf(named, m_text));
                const TSNode given = childByField(node, "default_type");
                if (!ts_node_is_null(given)) parameter.defaultText = std::string(textOf(given, m_text));
            } else {
                parameter.type = squeezed(textOf(childByField(node, "type"), m_text));
                const TSNode name = declaredName(childByField(node, "declarator"));
                if (!ts_node_is_null(name)) parameter.name = std::string(textOf(name, m_text));
                const TSNode given = childByField(node, "default_value");
                if (!ts_node_is_null(given)) parameter.defaultText = std::string(textOf(given, m_text));
            }
            out.push_back(std::move(parameter));
        }
    }

    std::string_view m_text;
    const MaskedText& m_masked;
    const Tokens& m_tokens;
    Declarations m_out;
    std::vector<std::string_view> m_parents;
    std::vector<std::string> m_namespaces;
    std::vector<TSNode> m_templates;
    std::map<std::string_view, AttributeMark> m_prefixes;
    bool m_prefixesRead = false;
    int m_externC = 0;
    int m_bodies = 0;
};

}  // namespace

TSNode innerDeclarator(TSNode node) {
    const TSNode inner = childByField(node, "declarator");
    if (!ts_node_is_null(inner)) return inner;
    for (const TSNode child : namedChildren(node)) {
        if (isName(child) || typeOf(child).ends_with("declarator")) return child;
    }
    return TSNode{};
}

TSNode declaredName(TSNode declarator) {
    while (!ts_node_is_null(declarator) && !isName(declarator)) declarator = innerDeclarator(declarator);
    return declarator;
}

Declarations collectDeclarations(TSNode root, std::string_view text, const MaskedText& masked, const Tokens& tokens) {
    return Collector(text, masked, tokens).run(root);
}

}  // namespace ww::source
