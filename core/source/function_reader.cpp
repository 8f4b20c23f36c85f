// SPDX-License-Identifier: Apache-2.0
#include "source/function_reader.h"

#include <algorithm>
#include <functional>
#include <set>

#include "source/array_bytes.h"
#include "source/statement_reader.h"

namespace ww::source {
namespace {

/// Bodies above this are no index helpers; what they return is not followed.
constexpr std::size_t kLongestFollowed = 4096;
constexpr std::size_t kMostRemembered = 16;

class FileReader final : public CallResolver {
public:
    FileReader(TSNode root, const Tokens& tokens, const Declarations& declarations, const std::vector<ParameterSite>& parameters) :
        m_tokens(tokens), m_functions(declarations.device), m_declarations(declarations), m_macroTable(collectMacros(tokens)),
        m_macros(tokens, m_macroTable), m_terms(m_macros, m_types, parameters),
        m_file{tokens.text, m_terms, m_macros, m_types, *this, {}} {
        m_types.read(root, tokens.text);
        readFileScope(root);
        for (std::size_t i = 0; i < m_functions.size(); ++i) m_byName[m_functions[i].name].push_back(i);
        m_arguments.resize(m_functions.size());
        m_remembered.resize(m_functions.size());
    }

    DeviceCode run() {
        m_out.functions.resize(m_functions.size());
        for (std::size_t i = 0; i < m_functions.size(); ++i) describe(i);
        for (const std::size_t index : callersFirst()) read(index);
        argumentObjects();
        return std::move(m_out);
    }

    std::optional<Flow> returned(std::string_view function, const std::vector<Flow>& arguments, int depth) const override {
        const auto found = m_byName.find(function);
        if (found == m_byName.end()) return std::nullopt;
        const std::size_t index = found->second.front();
        const TSNode definition = m_functions[index].definition;
        const ByteRange range = rangeOf(definition);
        if (m_functions[index].entry || range.end - range.begin > kLongestFollowed) return std::nullopt;
        auto& remembered = m_remembered[index];
        for (const auto& [known, result] : remembered) {
            if (known == arguments) return result;
        }
        if (remembered.size() >= kMostRemembered) return std::nullopt;
        remembered.emplace_back(arguments, Flow{LaneStep::scattered(), true, Space::None, {}, {}});  // what a recursive call sees
        const std::size_t slot = remembered.size() - 1;
        LaneAnalysis lanes(m_file, depth);
        lanes.learn(definition, {arguments.begin(), arguments.end()});
        m_remembered[index][slot].second = lanes.returned(definition);
        return m_remembered[index][slot].second;
    }

private:
    void describe(std::size_t index) {
        FunctionModel& model = m_out.functions[index];
        model.name = m_functions[index].name;
        model.entry = m_functions[index].entry;
        model.range = rangeOf(m_functions[index].definition);
        model.line = lineOf(m_functions[index].definition);
        std::set<std::string_view> called;
        for (std::size_t i = m_tokens.from(model.range.begin); i < m_tokens.list.size() && m_tokens.list[i].begin < model.range.end; ++i) {
            if (m_tokens.list[i].kind != TokenKind::Identifier) continue;
            const std::string_view next = m_tokens.at(i + 1);
            if (next != "(" && next != "<") continue;
            const std::string_view word = m_tokens.at(i);
            if (word != model.name && m_byName.contains(word)) called.insert(word);
        }
        model.calls.assign(called.begin(), called.end());
    }

    std::vector<std::size_t> callersFirst() const {
        std::vector<std::size_t> order;
        std::vector<bool> seen(m_functions.size(), false);
        // Depth first without recursion; a function is placed after everything that it calls, then the order is turned round.
        std::vector<std::pair<std::size_t, std::size_t>> stack;
        for (std::size_t start = m_functions.size(); start-- > 0;) {
            if (seen[start]) continue;
            seen[start] = true;
            stack.emplace_back(start, 0);
            while (!stack.empty()) {
                auto& [index, next] = stack.back();
                const std::vector<std::string>& calls = m_out.functions[index].calls;
                if (next >= calls.size()) {
                    order.push_back(index);
                    stack.pop_back();
                    continue;
                }
                for (const std::size_t callee : m_byName.find(calls[next++])->second) {
                    if (seen[callee]) continue;
                    seen[callee] = true;
                    stack.emplace_back(callee, 0);
                }
            }
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

    void read(std::size_t index) {
        const TSNode definition = m_functions[index].definition;
        LaneAnalysis lanes(m_file, 0);
        lanes.learn(definition, m_arguments[index]);
        StatementReader(lanes, m_tokens, m_out.functions[index]).read(definition);
        if (!m_out.functions[index].calls.empty()) passArguments(definition, lanes);
    }

    void passArguments(TSNode definition, const LaneAnalysis& lanes) {
        walk(definition, [&](const Cursor& cursor) {
            if (!is(cursor.node(), "call_expression")) return true;
            const auto found = m_byName.find(calledName(cursor.node(), m_file.text));
            if (found == m_byName.end()) return true;
            std::vector<Flow> flows;
            for (const TSNode argument : argumentsOf(cursor.node())) flows.push_back(lanes.of(argument));
            for (const std::size_t callee : found->second) joinArguments(m_arguments[callee], flows);
            return true;
        });
    }

    static void joinArguments(std::vector<std::optional<Flow>>& into, const std::vector<Flow>& flows) {
        if (into.size() < flows.size()) into.resize(flows.size());
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (!into[i]) {
                into[i] = flows[i];
                continue;
            }
            into[i]->step = either(into[i]->step, flows[i].step);
            into[i]->thread |= flows[i].thread;
            if (into[i]->space != flows[i].space) into[i]->space = Space::Global;  // both ways round: the slower one
        }
    }

    /// Variables outside functions that live in device memory.
    void readFileScope(TSNode root) {
        walk(root, [this](const Cursor& cursor) {
            const TSNode node = cursor.node();
            if (is(node, "function_definition")) return false;
            if (!is(node, "declaration")) return true;
            std::string_view kind;
            for (const TSNode child : namedChildren(node)) {
                const std::string_view word = textOf(child, m_file.text);
                if (word == "__constant__") kind = "constant";
                if (word == "__managed__") kind = "managed";
                if (word == "__shared__") kind = "shared";
            }
            const TSNode typeNode = childByField(node, "type");
            const std::string_view type = textOf(typeNode, m_file.text);
            if (kind.empty() && !ts_node_is_null(typeNode)) {  // the grammar takes __device__ for no qualifier
                const std::size_t begin = ts_node_start_byte(node);
                const std::string_view head = m_file.text.substr(begin, ts_node_start_byte(typeNode) - begin);
                if (head.find("__managed__") != head.npos) kind = "managed";
                else if (head.find("__device__") != head.npos) kind = "device";
            }
            if (type.starts_with("texture<")) kind = "texture";
            if (type.starts_with("surface<")) kind = "surface";
            if (!kind.empty()) fileVariable(node, kind, type);
            return false;
        });
    }

    void fileVariable(TSNode declaration, std::string_view kind, std::string_view type) {
        const LaneAnalysis lanes(m_file, 0);
        for (const TSNode declarator : childrenByField(declaration, "declarator")) {
            const TSNode inner = is(declarator, "init_declarator") ? childByField(declarator, "declarator") : declarator;
            const TSNode name = declaredName(inner);
            if (ts_node_is_null(name) || is(inner, "function_declarator")) continue;
            const std::string_view word = textOf(name, m_file.text);
            const Space space = kind == "constant" ? Space::Constant : kind == "shared" ? Space::Shared : Space::Global;
            if (kind != "texture" && kind != "surface") m_file.variables[word] = {{}, false, space, word, type};
            if (kind == "shared") continue;
            ArrayBytes storage = arrayBytes(type, inner, lanes);
            m_out.objects.push_back({std::string(kind), std::string(word), squeezed(type), std::move(storage.extents),
                                     std::move(storage.bytes), lineOf(name)});
        }
    }

    void argumentObjects() {
        for (const Entry& entry : m_declarations.entries) {
            for (const KernelArgument& argument : entry.arguments) {
                const bool texture = argument.type == "cudaTextureObject_t";
                if (!texture && argument.type != "cudaSurfaceObject_t") continue;
                m_out.objects.push_back({texture ? "texture" : "surface", argument.name, argument.type, {}, {}, argument.line});
            }
        }
    }

    const Tokens& m_tokens;
    const std::vector<DeviceFunction>& m_functions;
    const Declarations& m_declarations;
    MacroTable m_macroTable;
    MacroBodies m_macros;
    TypeTable m_types;
    Terms m_terms;
    FileContext m_file;
    std::unordered_map<std::string_view, std::vector<std::size_t>> m_byName;
    std::vector<std::vector<std::optional<Flow>>> m_arguments;
    mutable std::vector<std::vector<std::pair<std::vector<Flow>, Flow>>> m_remembered;
    DeviceCode m_out;
};

}  // namespace

DeviceCode readDeviceCode(TSNode root, const Tokens& tokens, const Declarations& declarations,
                          const std::vector<ParameterSite>& parameters) {
    return FileReader(root, tokens, declarations, parameters).run();
}

}  // namespace ww::source
