// SPDX-License-Identifier: Apache-2.0
#include "source/counts.h"

#include <algorithm>
#include <set>

#include "source/fold.h"
#include "source/lanes.h"

namespace ww::source {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNames[] = {
    "kernels", "device_functions", "pointer_arguments", "scalar_arguments", "template_parameters", "tunable_parameters", "lines",
    "identifiers", "statements", "loops", "constant_trip_loops", "unrolled_loops", "thread_loops", "loop_depth_max", "branches",
    "thread_branches", "returns", "loads", "stores", "global_loads", "global_stores", "shared_loads", "shared_stores", "local_accesses",
    "constant_loads", "global_coalesced", "global_strided", "global_broadcast", "global_scattered", "shared_strided", "loads_in_loops",
    "vector_accesses", "shared_arrays", "shared_dynamic", "adds", "muls", "divs", "mods", "shifts", "bitwise", "comparisons", "logicals",
    "casts", "assignments", "calls", "device_calls", "math_functions", "special_functions", "barriers", "barriers_in_loops",
    "warp_syncs", "shuffles", "votes", "atomics", "mma", "async_copies", "inline_ptx", "double_types", "half_types"};

const std::set<std::string_view> kMath{
    "sqrt"sv, "sqrtf"sv, "exp"sv, "expf"sv, "exp2"sv, "exp2f"sv, "log"sv, "logf"sv, "log2"sv, "log2f"sv, "log1p"sv, "log1pf"sv,
    "expm1"sv, "expm1f"sv, "sin"sv, "sinf"sv, "cos"sv, "cosf"sv, "tan"sv, "tanf"sv, "tanh"sv, "tanhf"sv, "sinh"sv, "cosh"sv, "pow"sv,
    "powf"sv, "fabs"sv, "fabsf"sv, "abs"sv, "floor"sv, "floorf"sv, "ceil"sv, "ceilf"sv, "round"sv, "roundf"sv, "rint"sv, "fmin"sv,
    "fminf"sv, "fmax"sv, "fmaxf"sv, "min"sv, "max"sv, "fma"sv, "fmaf"sv, "erf"sv, "erff"sv, "atan"sv, "atan2"sv, "atan2f"sv, "hypot"sv,
    "cbrt"sv, "rsqrt"sv, "rsqrtf"sv, "fmod"sv, "fmodf"sv, "copysign"sv, "copysignf"sv, "trunc"sv, "truncf"sv, "__hadd"sv, "__hmul"sv,
    "__hfma"sv, "__hadd2"sv, "__hmul2"sv, "__hfma2"sv, "__fmaf_rn"sv, "__umulhi"sv, "__mulhi"sv, "__popc"sv, "__clz"sv, "__ffs"sv};

/// Served by the special function units, or expanded around them.
const std::set<std::string_view> kSpecial{"__expf"sv, "__exp10f"sv, "__logf"sv, "__log2f"sv, "__log10f"sv, "__sinf"sv, "__cosf"sv,
                                          "__tanf"sv, "__powf"sv, "__fdividef"sv, "__frcp_rn"sv, "__frsqrt_rn"sv, "__fsqrt_rn"sv,
                                          "rsqrtf"sv, "rsqrt"sv, "__sincosf"sv, "sincosf"sv, "sincospif"sv, "hexp"sv, "h2exp"sv,
                                          "hrsqrt"sv, "hrcp"sv, "__tanhf"sv};

class Counter {
public:
    Counter(TSNode root, const Tokens& tokens, const Declarations& declarations, const std::vector<ParameterSite>& parameters)
        : m_tokens(tokens), m_text(tokens.text), m_declarations(declarations) {
        for (const std::string_view name : kNames) m_out.byName.emplace(name, 0);
        for (const ParameterSite& site : parameters) {
            add("tunable_parameters", site.tunable ? 1 : 0);
            if (site.defaultValue && site.defaultValue->isInt()) m_constants.emplace(site.name, site.defaultValue->asInt());
        }
        for (const DeviceFunction& function : declarations.device) m_functions.insert(function.name);
        readFileScope(root);
    }

    SyntaxCounts run() {
        for (const Entry& entry : m_declarations.entries) {
            for (const KernelArgument& argument : entry.arguments) add(argument.pointer ? "pointer_arguments" : "scalar_arguments");
            add("template_parameters", static_cast<int>(entry.templateParameters.size()));
        }
        for (const DeviceFunction& function : m_declarations.device) {
            add(function.entry ? "kernels" : "device_functions");
            countTokens(rangeOf(function.definition));
            LaneAnalysis lanes(m_text, m_constants);
            for (const auto& [name, space] : m_fileSpaces) lanes.setSpace(name, space);
            lanes.learn(function.definition);
            m_lanes = &lanes;
            m_roles.clear();
            m_loopDepth = 0;
            walk(function.definition, [this](const Cursor& cursor) { return enter(cursor.node()); }, [this](TSNode node) {
                if (isLoop(typeOf(node))) --m_loopDepth;
            });
        }
        return std::move(m_out);
    }

private:
    /// What becomes of an access found below an assignment, ++ or &; by node.
    enum class Role { Store, Update, None };

    void add(std::string_view name, int count = 1) { m_out.byName.find(std::string(name))->second += count; }

    static bool isLoop(std::string_view type) {
        return type == "for_statement" || type == "while_statement" || type == "do_statement" || type == "for_range_loop";
    }

    /// Memory spaces of variables outside functions.
    void readFileScope(TSNode root) {
        walk(root, [this](const Cursor& cursor) {
            const TSNode node = cursor.node();
            if (is(node, "function_definition")) return false;
            if (!is(node, "declaration")) return true;
            for (const TSNode child : namedChildren(node)) {
                if (is(child, "type_qualifier") && textOf(child, m_text) == "__constant__") noteSpace(node, Space::Constant);
                if (is(child, "type_qualifier") && textOf(child, m_text) == "__shared__") noteSpace(node, Space::Shared);
            }
            return false;
        });
    }

    void noteSpace(TSNode declaration, Space space) {
        for (const TSNode declarator : childrenByField(declaration, "declarator")) {
            const TSNode name = declaredName(declarator);
            if (!ts_node_is_null(name)) m_fileSpaces[textOf(name, m_text)] = space;
        }
    }

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

    bool enter(TSNode node) {
        if (!ts_node_is_named(node)) return true;
        const std::string_view type = typeOf(node);
        if (type.ends_with("_statement") && type != "compound_statement") add("statements");
        if (isLoop(type)) return loop(node, type);
        if (type == "declaration") return declaration(node);
        if (type == "if_statement" || type == "switch_statement" || type == "conditional_expression") {
            add("branches");
            if (m_lanes->of(childByField(node, "condition")).thread) add("thread_branches");
        } else if (type == "return_statement") {
            add("returns");
        } else if (type == "assignment_expression") {
            assignment(node);
        } else if (type == "update_expression") {
            m_roles[unwrapped(childByField(node, "argument")).id] = Role::Update;
            add("adds");
        } else if (type == "binary_expression") {
            arithmetic(textOf(childByField(node, "operator"), m_text));
        } else if (type == "subscript_expression") {
            subscript(node);
        } else if (type == "pointer_expression") {
            pointer(node);
        } else if (type == "field_expression") {
            if (textOf(childByField(node, "operator"), m_text) == "->") access(node);
        } else if (type == "cast_expression") {
            add("casts");
        } else if (type == "call_expression") {
            call(node);
        } else if (type == "gnu_asm_expression") {
            add("inline_ptx");
        }
        return true;
    }

    bool loop(TSNode node, std::string_view type) {
        add("loops");
        ++m_loopDepth;
        int& deepest = m_out.byName["loop_depth_max"];
        deepest = std::max(deepest, m_loopDepth);
        if (type == "for_statement" && constantTrip(node)) add("constant_trip_loops");
        TSNode condition = childByField(node, "condition");
        if (!ts_node_is_null(condition) && m_lanes->of(condition).thread) add("thread_loops");
        return true;
    }

    bool isConstant(TSNode node) const {
        const std::string_view text = textOf(node, m_text);
        return !text.empty() && (m_constants.contains(text) || foldLiteral(text).has_value());
    }

    /// for (i = constant; i < constant; ...)
    bool constantTrip(TSNode node) const {
        const TSNode condition = childByField(node, "condition");
        TSNode start = childByField(node, "initializer");
        if (is(start, "declaration")) {
            start = childByField(childByField(start, "declarator"), "value");
        } else {
            start = childByField(start, "right");
        }
        return is(condition, "binary_expression") && isConstant(start) &&
               (isConstant(childByField(condition, "right")) || isConstant(childByField(condition, "left")));
    }

    bool declaration(TSNode node) {
        add("statements");
        bool shared = false;
        bool dynamic = false;
        for (const TSNode child : namedChildren(node)) {
            shared |= is(child, "type_qualifier") && textOf(child, m_text) == "__shared__";
            dynamic |= is(child, "storage_class_specifier") && textOf(child, m_text) == "extern";
        }
        if (shared) add(dynamic ? "shared_dynamic" : "shared_arrays", static_cast<int>(childrenByField(node, "declarator").size()));
        return true;
    }

    /// Past parentheses and members: what is loaded or stored.
    static TSNode unwrapped(TSNode node) {
        while (is(node, "parenthesized_expression") || is(node, "field_expression")) {
            const std::vector<TSNode> children = namedChildren(node);
            if (children.empty()) break;
            const TSNode inner = is(node, "field_expression") ? childByField(node, "argument") : children.front();
            if (ts_node_is_null(inner)) break;
            node = inner;
        }
        return node;
    }

    void assignment(TSNode node) {
        add("assignments");
        const std::string_view op = textOf(childByField(node, "operator"), m_text);
        m_roles[unwrapped(childByField(node, "left")).id] = op == "=" ? Role::Store : Role::Update;
        if (op != "=" && op.size() > 1) arithmetic(op.substr(0, op.size() - 1));
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

    void subscript(TSNode node) {
        access(node);
        // The inner levels of a[i][j] are address arithmetic of one access.
        const TSNode inner = unwrappedParentheses(childByField(node, "argument"));
        if (is(inner, "subscript_expression")) m_roles[inner.id] = Role::None;
    }

    static TSNode unwrappedParentheses(TSNode node) {
        while (is(node, "parenthesized_expression")) {
            const std::vector<TSNode> children = namedChildren(node);
            if (children.empty()) break;
            node = children.front();
        }
        return node;
    }

    void pointer(TSNode node) {
        const std::string_view op = textOf(childByField(node, "operator"), m_text);
        if (op == "*") return access(node);
        const TSNode target = unwrapped(childByField(node, "argument"));
        if (!ts_node_is_null(target)) m_roles[target.id] = Role::None;  // &a[i] touches nothing
    }

    void access(TSNode node) {
        const auto found = m_roles.find(node.id);
        const Role* role = found == m_roles.end() ? nullptr : &found->second;
        if (role != nullptr && *role == Role::None) return;
        const Flow address = m_lanes->address(node);
        if (role == nullptr || *role == Role::Update) record(node, address, false);
        if (role != nullptr) record(node, address, true);
    }

    void record(TSNode node, const Flow& address, bool store) {
        add(store ? "stores" : "loads");
        if (!store && m_loopDepth > 0) add("loads_in_loops");
        const std::string_view text = textOf(node, m_text).substr(0, 256);
        if (text.find("float4") != text.npos || text.find("float2") != text.npos || text.find("int4") != text.npos ||
            text.find("int2") != text.npos) {
            add("vector_accesses");
        }
        switch (address.space) {
            case Space::Shared:
                add(store ? "shared_stores" : "shared_loads");
                if (address.lane == Lane::Strided) add("shared_strided");
                return;
            case Space::Local: return add("local_accesses");
            case Space::Constant: return add("constant_loads");
            case Space::Global:
            case Space::None: break;
        }
        add(store ? "global_stores" : "global_loads");
        switch (address.lane) {
            case Lane::Uniform: return add("global_broadcast");
            case Lane::Unit: return add("global_coalesced");
            case Lane::Strided: return add("global_strided");
            case Lane::Scattered: return add("global_scattered");
        }
    }

    void call(TSNode node) {
        const std::string_view name = calledName(node, m_text);
        if (name.ends_with("_cast")) return add("casts");
        add("calls");
        if (m_functions.contains(name)) add("device_calls");
        if (kMath.contains(name)) add("math_functions");
        if (kSpecial.contains(name)) add("special_functions");
        const bool groupSync = name == "sync" && is(childByField(node, "function"), "field_expression");
        if (name.starts_with("__syncthreads") || groupSync) {
            add("barriers");
            if (m_loopDepth > 0) add("barriers_in_loops");
        }
        if (name == "__syncwarp") add("warp_syncs");
        if (name.starts_with("__shfl")) add("shuffles");
        const bool vote = name.starts_with("__ballot") || name.starts_with("__any") || name.starts_with("__all") ||
                          name.starts_with("__match");
        if (vote) add("votes");
        if (name.starts_with("atomic")) add("atomics");
        if (name == "mma_sync" || name == "mma" || name == "gemm") add("mma");
        if (name == "memcpy_async" || name.starts_with("__pipeline_memcpy_async")) add("async_copies");
        if (name == "__ldg" || name == "__ldcg" || name == "__ldcs" || name == "__ldca") loadIntrinsic(node);
    }

    /// __ldg(p + i), __ldg(&p[i])
    void loadIntrinsic(TSNode node) {
        const TSNode arguments = childByField(node, "arguments");
        const std::vector<TSNode> list = ts_node_is_null(arguments) ? std::vector<TSNode>{} : namedChildren(arguments);
        if (list.empty()) return;
        Flow address = m_lanes->of(list.front());
        address.space = Space::Global;
        record(node, address, false);
    }

    const Tokens& m_tokens;
    std::string_view m_text;
    const Declarations& m_declarations;
    LaneAnalysis::Constants m_constants;
    std::map<std::string_view, Space> m_fileSpaces;
    std::set<std::string, std::less<>> m_functions;
    std::map<const void*, Role> m_roles;
    const LaneAnalysis* m_lanes = nullptr;
    SyntaxCounts m_out;
    int m_loopDepth = 0;
};

}  // namespace

SyntaxCounts countSyntax(TSNode root, const Tokens& tokens, const Declarations& declarations,
                         const std::vector<ParameterSite>& parameters) {
    return Counter(root, tokens, declarations, parameters).run();
}

}  // namespace ww::source
