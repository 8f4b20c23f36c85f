// SPDX-License-Identifier: Apache-2.0
#include "source/python_statements.h"

#include <algorithm>
#include <map>
#include <optional>

namespace ww::source {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kTextLength = 80;

/// Functions that Triton maps to the special function units.
const std::set<std::string_view> kFast{"exp"sv, "exp2"sv, "log"sv, "log2"sv, "sin"sv, "cos"sv, "rsqrt"sv, "sqrt"sv, "sigmoid"sv,
                                       "softmax"sv, "fdiv"sv, "tanh"sv};
const std::set<std::string_view> kPrecise{"sqrt_rn"sv, "div_rn"sv, "abs"sv, "fabs"sv, "maximum"sv, "minimum"sv, "fma"sv, "erf"sv, "floor"sv,
                                          "ceil"sv, "umulhi"sv, "pow"sv, "log1p"sv, "expm1"sv, "clamp"sv, "round"sv, "rint"sv};
const std::set<std::string_view> kReductions{"sum"sv, "max"sv, "min"sv, "argmax"sv, "argmin"sv, "xor_sum"sv, "reduce"sv, "cumsum"sv,
                                             "cumprod"sv, "associative_scan"sv, "sort"sv, "histogram"sv};

bool isMathModule(std::string_view object) {
    return object.ends_with("math") || object.ends_with("libdevice") || object.ends_with("extra.cuda");
}

std::optional<OperationKind> operationOf(std::string_view object, std::string_view name) {
    const bool math = isMathModule(object);
    if (math && name.starts_with("fast_")) return OperationKind::FastMath;
    if (math && object.ends_with("libdevice")) return OperationKind::Math;
    if (name == "dot" || name == "dot_scaled") return OperationKind::MatrixMultiply;
    if (name == "debug_barrier") return OperationKind::Barrier;
    if (name == "make_tensor_descriptor" || name == "_experimental_make_tensor_descriptor") return OperationKind::TensorMemory;
    if (name.starts_with("atomic_")) return OperationKind::Atomic;
    if (object != "tl" && !object.ends_with("language") && !math) return std::nullopt;
    if (kFast.contains(name)) return OperationKind::FastMath;
    if (kPrecise.contains(name) || math) return OperationKind::Math;
    return kReductions.contains(name) ? std::optional(OperationKind::Reduction) : std::nullopt;
}

Pattern patternOf(Lane lane) {
    switch (lane) {
        case Lane::Uniform: return Pattern::Broadcast;
        case Lane::Unit: return Pattern::Coalesced;
        case Lane::Strided: return Pattern::Strided;
        case Lane::Scattered: break;
    }
    return Pattern::Scattered;
}

}  // namespace

std::string PythonStatements::shortText(TSNode node) const {
    return squeezed(textOf(node, m_text).substr(0, kTextLength));
}

void PythonStatements::read(TSNode function) {
    walk(childByField(function, "body"),
         [this](const Cursor& cursor) {
             enter(cursor.node());
             return true;
         },
         [this](TSNode node) { leave(node); });
}

void PythonStatements::enter(TSNode node) {
    if (!ts_node_is_named(node)) return;
    const std::string_view type = typeOf(node);
    if (type == "for_statement") {
        loop(node, true);
    } else if (type == "while_statement") {
        loop(node, false);
    } else if (type == "if_statement") {
        branch(node, "if", childByField(node, "condition"));
    } else if (type == "elif_clause") {
        branch(node, "elif", childByField(node, "condition"));
    } else if (type == "conditional_expression") {
        const std::vector<TSNode> parts = namedChildren(node);
        branch(node, "?:", parts.size() == 3 ? parts[1] : TSNode{});
    } else if (type == "lambda") {
        m_out.lambdas.push_back({{}, shortText(childByField(node, "parameters")), lineOf(node)});
    } else if (type == "call") {
        call(node);
    }
}

void PythonStatements::leave(TSNode node) {
    const auto open = m_open.find(node.id);
    if (open == m_open.end()) return;
    --*open->second;
    m_open.erase(open);
}

void PythonStatements::loop(TSNode node, bool counted) {
    Loop loop;
    loop.kind = counted ? LoopKind::For : LoopKind::While;
    loop.line = lineOf(node);
    loop.depth = ++m_loopDepth;
    m_open[node.id] = &m_loopDepth;
    const TSNode over = childByField(node, counted ? "right" : "condition");
    loop.condition = shortText(over);
    if (counted) {
        loop.variable = shortText(childByField(node, "left"));
        if (is(over, "call")) trips(over, loop);
    }
    m_out.loops.push_back(std::move(loop));
}

void PythonStatements::trips(TSNode range, Loop& loop) const {
    const std::string_view name = pythonCalledName(range, m_text);
    if (name != "range" && name != "static_range") return;
    if (name == "static_range") loop.unroll = "full";
    const TSNode factor = pythonKeyword(range, "loop_unroll_factor", m_text);
    if (!ts_node_is_null(factor)) loop.unroll = shortText(factor);
    const TSNode second = pythonArgument(range, 1);
    const TSNode third = pythonArgument(range, 2);
    const auto start = ts_node_is_null(second) ? std::optional(termOf(0)) : m_terms.of(pythonArgument(range, 0));
    const auto end = m_terms.of(ts_node_is_null(second) ? pythonArgument(range, 0) : second);
    const auto step = ts_node_is_null(third) ? std::optional(termOf(1)) : m_terms.of(third);
    if (!start || !end || !step || (step->value && *step->value <= 0)) return;
    auto count = combine("-", *end, *start);
    if (count && step->text != "1") {
        const auto less = combine("-", *step, termOf(1));
        const auto rounded = less ? combine("+", *count, *less) : std::nullopt;
        count = rounded ? combine("//", *rounded, *step) : std::nullopt;
    }
    if (!count) return;
    loop.trips = count->text;
    if (count->value) loop.tripCount = std::max<std::int64_t>(0, *count->value);
}

/// A Triton program is uniform: what differs within a block is masked, not branched over.
void PythonStatements::branch(TSNode node, std::string_view kind, TSNode condition) {
    m_out.branches.push_back({std::string(kind), shortText(condition), false, false, ++m_branchDepth, lineOf(node)});
    m_open[node.id] = &m_branchDepth;
}

void PythonStatements::operation(OperationKind kind, std::string name, TSNode node) {
    m_out.operations.push_back({kind, std::move(name), false, m_loopDepth, lineOf(node)});
}

void PythonStatements::call(TSNode node) {
    const std::string_view name = pythonCalledName(node, m_text);
    const std::string_view object = pythonCalledObject(node, m_text);
    if (object.empty() && m_functions.contains(name) && std::find(m_out.calls.begin(), m_out.calls.end(), name) == m_out.calls.end()) {
        m_out.calls.emplace_back(name);
    }
    const auto kind = operationOf(object, name);
    if (kind) operation(*kind, object.empty() ? std::string(name) : std::string(object) + "." + std::string(name), node);
    if (name == "load") memory(node, name, AccessKind::Load);
    if (name == "store") memory(node, name, AccessKind::Store);
    if (kind == OperationKind::Atomic) memory(node, name, AccessKind::Atomic);
    if (name == "inline_asm_elementwise") {
        const TSNode keyword = pythonKeyword(node, "asm", m_text);
        const TSNode code = ts_node_is_null(keyword) ? pythonArgument(node, 0) : keyword;
        m_out.inlinePtx.push_back({{shortText(code)}, lineOf(node)});
    }
}

/// tl.load(pointer, mask, other, ...), descriptor.load([...]).
void PythonStatements::memory(TSNode node, std::string_view name, AccessKind kind) {
    const TSNode function = childByField(node, "function");
    const TSNode owner = childByField(function, "object");
    const BlockFlow held = is(owner, "identifier") ? m_blocks.of(owner) : BlockFlow{};
    const TSNode keyword = pythonKeyword(node, "pointer", m_text);
    const TSNode pointer = held.descriptor ? owner : ts_node_is_null(keyword) ? pythonArgument(node, 0) : keyword;
    if (ts_node_is_null(pointer)) return;
    const BlockFlow address = held.descriptor ? held : m_blocks.of(pointer);
    const LaneStep step = address.best();
    MemoryAccess out;
    out.kind = kind;
    out.pattern = patternOf(step.overall());
    out.object = std::string(address.object);
    out.address = shortText(held.descriptor ? node : pointer);
    if (out.pattern == Pattern::Broadcast) out.stride = 0;
    if (out.pattern == Pattern::Coalesced) out.stride = 1;
    if (out.pattern == Pattern::Strided) out.stride = step.stride;
    if (out.pattern == Pattern::Strided && !out.stride) out.strideText = std::string(step.factor);
    const std::size_t maskAt = name == "load" ? 1 : name == "atomic_cas" ? 99 : 2;
    out.masked = !ts_node_is_null(pythonKeyword(node, "mask", m_text)) || (!held.descriptor && !ts_node_is_null(pythonArgument(node, maskAt)));
    for (const std::string_view option : {"other"sv, "eviction_policy"sv, "cache_modifier"sv, "boundary_check"sv, "volatile"sv, "sem"sv}) {
        const TSNode value = pythonKeyword(node, option, m_text);
        if (ts_node_is_null(value)) continue;
        out.hint += (out.hint.empty() ? "" : ", ") + std::string(option) + "=" + shortText(value);
    }
    if (held.descriptor) out.hint = out.hint.empty() ? "descriptor" : "descriptor, " + out.hint;
    if (held.descriptor) operation(OperationKind::TensorMemory, "descriptor." + std::string(name), node);
    out.loopDepth = m_loopDepth;
    out.line = lineOf(node);
    m_out.accesses.push_back(std::move(out));
}

}  // namespace ww::source
