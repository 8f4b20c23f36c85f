// SPDX-License-Identifier: Apache-2.0
#include "source/counts.h"

#include <algorithm>
#include <set>

#include "source/lanes.h"
#include "source/operations.h"

namespace ww::source {
namespace {

constexpr std::string_view kNames[] = {
    "kernels", "device_functions", "pointer_arguments", "scalar_arguments", "template_parameters", "tunable_parameters", "lines",
    "identifiers", "statements", "loops", "constant_trip_loops", "unrolled_loops", "thread_loops", "loop_depth_max", "branches",
    "thread_branches", "returns", "loads", "stores", "global_loads", "global_stores", "shared_loads", "shared_stores", "local_accesses",
    "constant_loads", "global_coalesced", "global_strided", "global_broadcast", "global_scattered", "shared_strided", "loads_in_loops",
    "vector_accesses", "shared_arrays", "shared_dynamic", "adds", "muls", "divs", "mods", "shifts", "bitwise", "comparisons", "logicals",
    "casts", "assignments", "calls", "device_calls", "math_functions", "special_functions", "barriers", "barriers_in_loops",
    "warp_syncs", "shuffles", "votes", "atomics", "mma", "async_copies", "inline_ptx", "double_types", "half_types"};

/// Adds up what the functions' models say.
class ModelCounter {
public:
    explicit ModelCounter(const SourceModel& model) : m_model(model) {
        for (const std::string_view name : kNames) m_out.byName.emplace(name, 0);
    }

    SyntaxCounts run(const std::vector<Entry>& entries) {
        for (const ParameterSite& site : m_model.parameters) add("tunable_parameters", site.tunable ? 1 : 0);
        for (const Entry& entry : entries) {
            for (const KernelArgument& argument : entry.arguments) add(argument.pointer ? "pointer_arguments" : "scalar_arguments");
            add("template_parameters", static_cast<int>(entry.templateParameters.size()));
        }
        for (const FunctionModel& function : m_model.functions) {
            add(function.entry ? "kernels" : "device_functions");
            controlFlow(function);
            for (const MemoryAccess& access : function.accesses) memory(access);
            for (const SharedArray& array : function.sharedArrays) add(array.dynamic ? "shared_dynamic" : "shared_arrays");
            for (const Operation& operation : function.operations) operate(operation);
            add("inline_ptx", static_cast<int>(function.inlinePtx.size()));
        }
        return std::move(m_out);
    }

private:
    void add(std::string_view name, int count = 1) { m_out.byName.find(std::string(name))->second += count; }

    void controlFlow(const FunctionModel& function) {
        int& deepest = m_out.byName["loop_depth_max"];
        for (const Loop& loop : function.loops) {
            add("loops");
            add("constant_trip_loops", loop.tripCount ? 1 : 0);
            add("thread_loops", loop.threadDependent ? 1 : 0);
            deepest = std::max(deepest, loop.depth);
        }
        for (const Branch& branch : function.branches) {
            add("branches");
            add("thread_branches", branch.threadDependent ? 1 : 0);
        }
    }

    void memory(const MemoryAccess& access) {
        if (access.kind == AccessKind::Atomic || access.space == MemorySpace::Texture) return;
        const bool store = access.kind == AccessKind::Store;
        add(store ? "stores" : "loads");
        if (!store && access.loopDepth > 0) add("loads_in_loops");
        if (access.vectorWidth > 1) add("vector_accesses");
        switch (access.space) {
            case MemorySpace::Shared:
                add(store ? "shared_stores" : "shared_loads");
                if (access.pattern == Pattern::Strided) add("shared_strided");
                return;
            case MemorySpace::Local: return add("local_accesses");
            case MemorySpace::Constant: return add("constant_loads");
            case MemorySpace::Texture:
            case MemorySpace::Global: break;
        }
        add(store ? "global_stores" : "global_loads");
        add("global_" + std::string(toString(access.pattern)));
    }

    void operate(const Operation& operation) {
        switch (operation.kind) {
            case OperationKind::Barrier:
            case OperationKind::GridSync:
            case OperationKind::ClusterSync:
                add("barriers");
                if (operation.loopDepth > 0) add("barriers_in_loops");
                return;
            case OperationKind::WarpSync: return add("warp_syncs");
            case OperationKind::Shuffle: return add("shuffles");
            case OperationKind::Vote: return add("votes");
            case OperationKind::Atomic: return add("atomics");
            case OperationKind::MatrixMultiply:
            case OperationKind::WarpgroupMultiply: return add("mma");
            case OperationKind::AsyncCopy:
            case OperationKind::TensorMemory: return add("async_copies");
            case OperationKind::Mbarrier:
            case OperationKind::Fence:
            case OperationKind::Reduction:
            case OperationKind::Math:
            case OperationKind::FastMath: return;
        }
    }

    const SourceModel& m_model;
    SyntaxCounts m_out;
};

/// Adds what only the text and the trees tell.
class SyntaxCounter {
public:
    SyntaxCounter(const Tokens& tokens, const Declarations& declarations, SyntaxCounts counts) :
        m_tokens(tokens), m_text(tokens.text), m_declarations(declarations), m_out(std::move(counts)) {
        for (const DeviceFunction& function : declarations.device) m_functions.insert(function.name);
    }

    SyntaxCounts run() {
        for (const DeviceFunction& function : m_declarations.device) {
            countTokens(rangeOf(function.definition));
            walk(function.definition, [this](const Cursor& cursor) {
                enter(cursor.node());
                return true;
            });
        }
        return std::move(m_out);
    }

private:
    void add(std::string_view name, int count = 1) { m_out.byName.find(std::string(name))->second += count; }

    void countTokens(ByteRange range) {
        int line = 0;
        int pragma = -1;
        for (std::size_t i = m_tokens.from(range.begin); i < m_tokens.list.size() && m_tokens.list[i].begin < range.end; ++i) {
            const Token& token = m_tokens.list[i];
            if (token.line != line) add("lines");
            line = token.line;
            const std::string_view word = m_tokens.of(token);
            if (token.directive >= 0) {
                const bool unroll = m_tokens.directives[static_cast<std::size_t>(token.directive)].keyword == "pragma" && word == "unroll";
                if (unroll && token.directive != pragma) add("unrolled_loops");
                pragma = token.directive;
            }
            if (token.kind != TokenKind::Identifier) continue;
            add("identifiers");
            if (word == "CUTLASS_PRAGMA_UNROLL" || word == "CUTE_UNROLL" || word == "_Pragma") add("unrolled_loops");
            if (word == "double") add("double_types");
            if (word == "half" || word == "__half" || word == "half2" || word == "__half2" || word.find("bfloat16") != word.npos) {
                add("half_types");
            }
        }
    }

    void enter(TSNode node) {
        if (!ts_node_is_named(node)) return;
        const std::string_view type = typeOf(node);
        if (type == "declaration" || (type.ends_with("_statement") && type != "compound_statement")) add("statements");
        if (type == "return_statement") {
            add("returns");
        } else if (type == "assignment_expression") {
            add("assignments");
            const std::string_view op = textOf(childByField(node, "operator"), m_text);
            if (op.size() > 1) arithmetic(op.substr(0, op.size() - 1));
        } else if (type == "update_expression") {
            add("adds");
        } else if (type == "binary_expression") {
            arithmetic(textOf(childByField(node, "operator"), m_text));
        } else if (type == "cast_expression") {
            add("casts");
        } else if (type == "call_expression") {
            const std::string_view name = calledName(node, m_text);
            if (name.ends_with("_cast")) return add("casts");
            add("calls");
            if (m_functions.contains(name)) add("device_calls");
            // Some, such as rsqrtf, are both.
            if (isMath(name)) add("math_functions");
            if (isFastMath(name)) add("special_functions");
        }
    }

    void arithmetic(std::string_view op) {
        if (op == "+" || op == "-") add("adds");
        if (op == "*") add("muls");
        if (op == "/") add("divs");
        if (op == "%") add("mods");
        if (op == "<<" || op == ">>") add("shifts");
        if (op == "&" || op == "|" || op == "^") add("bitwise");
        if (op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=") add("comparisons");
        if (op == "&&" || op == "||") add("logicals");
    }

    const Tokens& m_tokens;
    std::string_view m_text;
    const Declarations& m_declarations;
    std::set<std::string, std::less<>> m_functions;
    SyntaxCounts m_out;
};

}  // namespace

SyntaxCounts countModel(const SourceModel& model) {
    return ModelCounter(model).run(model.entries);
}

SyntaxCounts countSyntax(const Tokens& tokens, const Declarations& declarations, const SourceModel& model) {
    return SyntaxCounter(tokens, declarations, ModelCounter(model).run(declarations.entries)).run();
}

}  // namespace ww::source
