// SPDX-License-Identifier: Apache-2.0
#include "source/statement_reader.h"

#include <algorithm>

#include "source/array_bytes.h"
#include "source/functions.h"
#include "source/operations.h"
#include "source/trip_count.h"

namespace ww::source {
namespace {

constexpr int kDeepestExpansion = 6;
/// Accesses of one function that are kept; generated code may hold millions.
constexpr std::size_t kMostAccesses = 20000;
constexpr std::size_t kAddressLength = 80;

bool isLoop(std::string_view type) {
    return type == "for_statement" || type == "while_statement" || type == "do_statement" || type == "for_range_loop";
}

bool isBranch(std::string_view type) {
    return type == "if_statement" || type == "switch_statement" || type == "conditional_expression";
}

LoopKind kindOf(std::string_view type) {
    if (type == "while_statement") return LoopKind::While;
    if (type == "do_statement") return LoopKind::DoWhile;
    return type == "for_statement" ? LoopKind::For : LoopKind::ForEach;
}

/// Past parentheses and members: what is loaded or stored.
TSNode unwrapped(TSNode node) {
    while (is(node, "parenthesized_expression") || is(node, "field_expression")) {
        const std::vector<TSNode> children = namedChildren(node);
        if (children.empty()) break;
        const TSNode inner = is(node, "field_expression") ? childByField(node, "argument") : children.front();
        if (ts_node_is_null(inner)) break;
        node = inner;
    }
    return node;
}

MemorySpace spaceOf(Space space) {
    switch (space) {
        case Space::Shared: return MemorySpace::Shared;
        case Space::Local: return MemorySpace::Local;
        case Space::Constant: return MemorySpace::Constant;
        case Space::Global:
        case Space::None: break;
    }
    return MemorySpace::Global;
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

void judge(const LaneStep& step, MemoryAccess& out) {
    out.pattern = patternOf(step.overall());
    if (out.pattern == Pattern::Broadcast) out.stride = 0;
    if (out.pattern == Pattern::Coalesced) out.stride = step.stride && *step.stride != 0 ? step.stride : 1;
    if (out.pattern != Pattern::Strided) return;
    if (step.stride && *step.stride != 0 && *step.stride != 1) out.stride = step.stride;
    if (!out.stride) out.strideText = squeezed(step.factor.substr(0, kAddressLength));
}

/// The text of a string literal or of several in a row, without quotes and escapes.
std::string literalText(TSNode node, std::string_view text) {
    std::string out;
    walk(node, [&](const Cursor& cursor) {
        const std::string_view type = typeOf(cursor.node());
        if (type == "string_content" || type == "raw_string_content") out += textOf(cursor.node(), text);
        if (type == "escape_sequence") out += ' ';
        return true;
    });
    return out;
}

}  // namespace

void StatementReader::read(TSNode function) {
    region(function);
}

void StatementReader::region(TSNode root) {
    walk(root, [this](const Cursor& cursor) { return enter(cursor.node()); }, [this](TSNode node) { leave(node); });
}

bool StatementReader::enter(TSNode node) {
    if (!ts_node_is_named(node)) return false;
    const std::string_view type = typeOf(node);
    if (isLoop(type)) {
        loop(node, type);
    } else if (isBranch(type)) {
        branch(node, type);
    } else if (type == "declaration") {
        declaration(node);
    } else if (type == "init_declarator") {
        const TSNode value = childByField(node, "value");
        if (is(value, "lambda_expression")) m_lambdaNames[value.id] = textOf(declaredName(node), m_text);
    } else if (type == "lambda_expression") {
        lambda(node);
    } else if (type == "assignment_expression") {
        assignment(node);
    } else if (type == "update_expression") {
        m_roles[unwrapped(childByField(node, "argument")).id] = Role::Update;
    } else if (type == "subscript_expression") {
        access(node);
        const TSNode inner = stripped(childByField(node, "argument"));
        if (is(inner, "subscript_expression")) m_roles[inner.id] = Role::None;  // address arithmetic of the same access
    } else if (type == "pointer_expression") {
        if (textOf(childByField(node, "operator"), m_text) == "*") {
            access(node);
        } else {
            const TSNode target = unwrapped(childByField(node, "argument"));
            if (!ts_node_is_null(target)) m_roles[target.id] = Role::None;  // &a[i] touches nothing
        }
    } else if (type == "field_expression") {
        const std::string_view member = textOf(childByField(node, "field"), m_text);
        if (textOf(childByField(node, "operator"), m_text) == "->") {
            m_members[node.id] = member;
            access(node);
        } else {
            m_members[stripped(childByField(node, "argument")).id] = member;
        }
    } else if (type == "call_expression") {
        call(node);
    } else if (type == "gnu_asm_expression") {
        inlinePtx(node);
    } else if (type == "identifier") {
        macro(node, textOf(node, m_text));
    }
    return true;
}

void StatementReader::leave(TSNode node) {
    const auto open = m_open.find(node.id);
    if (open == m_open.end()) return;
    if (open->second) --m_divergence;
    (isLoop(typeOf(node)) ? m_loopDepth : m_branchDepth) -= 1;
    m_open.erase(open);
}

void StatementReader::loop(TSNode node, std::string_view type) {
    Loop loop;
    loop.kind = kindOf(type);
    loop.line = lineAt(node);
    loop.depth = ++m_loopDepth;
    const TSNode condition = childByField(node, "condition");
    const Flow flow = ts_node_is_null(condition) ? Flow{} : m_lanes->of(condition);
    loop.threadDependent = flow.thread;
    loop.condition = squeezed(textOf(stripped(condition), m_text).substr(0, kAddressLength));
    loop.unroll = unrollBefore(node);
    if (type == "for_statement") {
        if (auto counted = tripCount(node, *m_lanes); counted) {
            loop.variable = std::string(counted->variable);
            loop.trips = std::move(counted->trips.text);
            loop.tripCount = counted->trips.value;
        }
    }
    const bool splits = flow.thread && !flow.step.uniform();
    m_open[node.id] = splits;
    m_divergence += splits ? 1 : 0;
    m_out.loops.push_back(std::move(loop));
}

/// The unroll pragma whose tokens end where the loop begins.
std::string StatementReader::unrollBefore(TSNode loop) const {
    if (m_line > 0) return {};  // inside a macro there are no directives
    const std::size_t at = m_tokens.from(ts_node_start_byte(loop));
    if (at == 0) return {};
    const Token& last = m_tokens.list[at - 1];
    const std::string_view word = m_tokens.of(last);
    if (word == "CUTLASS_PRAGMA_UNROLL" || word == "CUTE_UNROLL" || word == "_CCCL_PRAGMA_UNROLL_FULL") return "full";
    if (word == "CUTLASS_PRAGMA_NO_UNROLL" || word == "CUTE_NO_UNROLL") return "1";
    if (word == ")" && at >= 4 && m_tokens.at(at - 4) == "_Pragma") {
        const std::string_view pragma = m_tokens.at(at - 2);
        if (pragma.find("nounroll") != pragma.npos) return "1";
        const std::size_t factor = pragma.find("unroll");
        if (factor == pragma.npos) return {};
        const std::string count = squeezed(pragma.substr(factor + 6, pragma.size() - factor - 7));
        return count.empty() ? "full" : count;
    }
    if (last.directive < 0) return {};
    const Directive& directive = m_tokens.directives[static_cast<std::size_t>(last.directive)];
    if (directive.keyword != "pragma") return {};
    const std::string_view name = m_tokens.at(directive.firstToken);
    if (name == "nounroll") return "1";
    if (name != "unroll") return {};
    if (directive.firstToken + 1 >= directive.endToken) return "full";
    const std::uint32_t begin = m_tokens.list[directive.firstToken + 1].begin;
    return squeezed(m_tokens.text.substr(begin, last.end - begin));
}

void StatementReader::branch(TSNode node, std::string_view type) {
    const TSNode condition = childByField(node, "condition");
    const Flow flow = m_lanes->of(condition);
    Branch branch;
    branch.kind = type == "if_statement" ? "if" : type == "switch_statement" ? "switch" : "?:";
    branch.condition = squeezed(textOf(stripped(condition), m_text).substr(0, kAddressLength));
    branch.threadDependent = flow.thread;
    branch.divergent = flow.thread && !flow.step.uniform();
    branch.depth = ++m_branchDepth;
    branch.line = lineAt(node);
    m_open[node.id] = branch.divergent;
    m_divergence += branch.divergent ? 1 : 0;
    m_out.branches.push_back(std::move(branch));
}

void StatementReader::declaration(TSNode node) {
    bool shared = false;
    bool dynamic = false;
    for (const TSNode child : namedChildren(node)) {
        shared |= is(child, "type_qualifier") && textOf(child, m_text) == "__shared__";
        dynamic |= is(child, "storage_class_specifier") && textOf(child, m_text) == "extern";
    }
    if (!shared) return;
    for (const TSNode declarator : childrenByField(node, "declarator")) {
        m_out.sharedArrays.push_back(sharedArray(node, declarator, dynamic, *m_lanes));
    }
}

void StatementReader::lambda(TSNode node) {
    const auto named = m_lambdaNames.find(node.id);
    const std::string name(named == m_lambdaNames.end() ? std::string_view{} : named->second);
    m_out.lambdas.push_back({name, squeezed(textOf(childByField(node, "captures"), m_text)), lineAt(node)});
}

void StatementReader::assignment(TSNode node) {
    const TSNode target = unwrapped(childByField(node, "left"));
    if (ts_node_is_null(target)) return;
    m_roles[target.id] = textOf(childByField(node, "operator"), m_text) == "=" ? Role::Store : Role::Update;
}

void StatementReader::access(TSNode node) {
    const auto found = m_roles.find(node.id);
    const Role* role = found == m_roles.end() ? nullptr : &found->second;
    if (role != nullptr && *role == Role::None) return;
    if (is(node, "subscript_expression") && m_lanes->isRow(node)) return;
    const auto member = m_members.find(node.id);
    const std::string_view name = member == m_members.end() ? std::string_view{} : member->second;
    const Flow address = m_lanes->address(node);
    if (role == nullptr || *role == Role::Update) record(node, address, AccessKind::Load, name, {});
    if (role != nullptr) record(node, address, AccessKind::Store, name, {});
}

void StatementReader::record(TSNode node, const Flow& address, AccessKind kind, std::string_view member, std::string hint) {
    if (m_out.accesses.size() >= kMostAccesses) return;
    const TypeTable& types = m_lanes->file().types;
    MemoryAccess out;
    out.kind = kind;
    out.space = spaceOf(address.space);
    out.object = std::string(address.object);
    out.address = squeezed(textOf(node, m_text).substr(0, kAddressLength));
    out.hint = std::move(hint);
    out.loopDepth = m_loopDepth;
    out.line = lineAt(node);
    std::string_view type = address.pointee;
    LaneStep step = address.step;
    if (!member.empty()) {
        const int whole = types.of(type).bytes;
        type = types.memberType(type, member);
        const int part = types.of(type).bytes;
        const bool known = whole > 0 && part > 0 && whole % part == 0;
        step = scaled(step, known ? std::optional<std::int64_t>(whole / part) : std::nullopt, "sizeof");
    }
    out.elementType = std::string(type);
    const ElementType element = types.of(type);
    out.vectorWidth = element.components;
    out.bytes = element.bytes;
    judge(step, out);
    m_out.accesses.push_back(std::move(out));
}

void StatementReader::operation(OperationKind kind, std::string_view name, TSNode node) {
    m_out.operations.push_back({kind, std::string(name), m_divergence > 0, m_loopDepth, lineAt(node)});
}

void StatementReader::call(TSNode node) {
    const std::string_view name = calledName(node, m_text);
    const bool member = is(childByField(node, "function"), "field_expression");
    if (auto kind = operationOf(name, member); kind) {
        if (kind == OperationKind::Barrier && member) {
            const std::string_view group = textOf(childByField(childByField(node, "function"), "argument"), m_text);
            const bool grid = group.find("grid") != group.npos;
            const bool cluster = group.find("cluster") != group.npos;
            const bool tile = group.find("tile") != group.npos || group.find("warp") != group.npos;
            kind = grid ? OperationKind::GridSync : cluster ? OperationKind::ClusterSync : tile ? OperationKind::WarpSync : kind;
        }
        operation(*kind, name, node);
        if (kind == OperationKind::Atomic && !member) byFunction(node, name, AccessKind::Atomic);
    }
    if (isLoadFunction(name)) byFunction(node, name, AccessKind::Load);
    if (isStoreFunction(name)) byFunction(node, name, AccessKind::Store);
    if (isTextureFunction(name)) texture(node, name);
    if (!member) macro(node, name);
}

/// __ldg(p + i), atomicAdd(&p[i], x): the first argument is the address.
void StatementReader::byFunction(TSNode node, std::string_view name, AccessKind kind) {
    const std::vector<TSNode> arguments = argumentsOf(node);
    if (arguments.empty()) return;
    Flow address = m_lanes->of(arguments.front());
    if (address.space == Space::None) address.space = Space::Global;
    record(arguments.front(), address, kind, {}, std::string(name));
}

/// tex2D<float4>(object, x, y): the first coordinate is the one that should run with the threads.
void StatementReader::texture(TSNode node, std::string_view name) {
    const std::vector<TSNode> arguments = argumentsOf(node);
    const bool store = name.ends_with("write");
    const std::size_t object = store ? 1 : 0;
    if (arguments.size() < object + 2) return;
    Flow address = m_lanes->of(arguments[object + 1]);
    address.object = textOf(arguments[object], m_text);
    address.pointee = textOf(typeArgument(node), m_text);
    record(node, address, store ? AccessKind::Store : AccessKind::Load, {}, std::string(name));
    m_out.accesses.back().space = MemorySpace::Texture;
}

void StatementReader::inlinePtx(TSNode node) {
    const std::string code = literalText(childByField(node, "assembly_code"), m_text);
    std::vector<TSNode> operands;
    for (const char* field : {"output_operands", "input_operands"}) {
        const TSNode list = childByField(node, field);
        if (ts_node_is_null(list)) continue;
        for (const TSNode operand : namedChildren(list)) operands.push_back(childByField(operand, "value"));
    }
    InlinePtx ptx;
    ptx.line = lineAt(node);
    for (const PtxInstruction& instruction : ptxInstructions(code)) {
        if (const auto kind = operationOfPtx(instruction.opcode); kind) operation(*kind, instruction.opcode, node);
        for (const int address : instruction.addresses) {
            if (address < static_cast<int>(operands.size())) ptxAccess(instruction.opcode, operands[static_cast<std::size_t>(address)], node);
        }
        ptx.instructions.push_back(instruction.opcode);
    }
    m_out.inlinePtx.push_back(std::move(ptx));
}

/// ld, st, atom and red; what a copy unit moves is told by its operation.
void StatementReader::ptxAccess(const std::string& opcode, TSNode address, TSNode statement) {
    const bool load = opcode.starts_with("ld.");
    const bool atomic = opcode.starts_with("atom.") || opcode.starts_with("red.");
    if (!load && !atomic && !opcode.starts_with("st.")) return;
    Flow flow = m_lanes->of(address);
    if (opcode.find(".shared") != opcode.npos) flow.space = Space::Shared;
    if (flow.space == Space::None) flow.space = Space::Global;
    record(statement, flow, load ? AccessKind::Load : atomic ? AccessKind::Atomic : AccessKind::Store, {}, opcode);
    if (m_out.accesses.size() >= kMostAccesses) return;
    MemoryAccess& out = m_out.accesses.back();
    out.address = squeezed(textOf(address, m_text).substr(0, kAddressLength));
    const int width = opcode.find(".v8") != opcode.npos ? 8 : opcode.find(".v4") != opcode.npos ? 4 : opcode.find(".v2") != opcode.npos ? 2 : 1;
    const std::size_t digits = opcode.find_last_of(".") + 2;
    const std::string_view bits = digits < opcode.size() ? std::string_view(opcode).substr(digits) : std::string_view{};
    const int size = bits.starts_with("64") ? 8 : bits.starts_with("32") ? 4 : bits.starts_with("16") ? 2 : bits.starts_with("8") ? 1 : 0;
    out.vectorWidth = width;
    if (size > 0) out.bytes = width * size;
}

/// Reads a macro's body in place of its use, so that what it hides is seen.
void StatementReader::macro(TSNode node, std::string_view name) {
    const MacroBody* body = m_lanes->file().macros.find(name);
    if (body == nullptr || !body->acts || m_expansions >= kDeepestExpansion || m_out.accesses.size() >= kMostAccesses) return;
    const bool isCall = is(node, "call_expression");
    if (body->functionLike != isCall) return;
    const auto inner = m_lanes->expanded(*body, node);
    if (!inner) return;
    StatementReader reader(*inner, m_tokens, m_out);
    reader.m_line = lineAt(node);
    reader.m_loopDepth = m_loopDepth;
    reader.m_branchDepth = m_branchDepth;
    reader.m_divergence = m_divergence;
    reader.m_expansions = m_expansions + 1;
    const auto role = m_roles.find(node.id);
    if (role != m_roles.end() && !ts_node_is_null(body->expression)) reader.m_roles[unwrapped(body->expression).id] = role->second;
    reader.region(body->block);
}

}  // namespace ww::source
