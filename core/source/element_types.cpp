// SPDX-License-Identifier: Apache-2.0
#include "source/element_types.h"

#include <algorithm>

#include "source/functions.h"

namespace ww::source {
namespace {

using namespace std::string_view_literals;

const std::map<std::string_view, int>& scalarBytes() {
    static const std::map<std::string_view, int> kBytes{
        {"bool"sv, 1}, {"char"sv, 1}, {"signed char"sv, 1}, {"unsigned char"sv, 1}, {"uchar"sv, 1}, {"int8_t"sv, 1}, {"uint8_t"sv, 1},
        {"byte"sv, 1}, {"__nv_fp8_e4m3"sv, 1}, {"__nv_fp8_e5m2"sv, 1}, {"short"sv, 2}, {"unsigned short"sv, 2}, {"ushort"sv, 2},
        {"int16_t"sv, 2}, {"uint16_t"sv, 2}, {"half"sv, 2}, {"__half"sv, 2}, {"half_t"sv, 2}, {"__nv_bfloat16"sv, 2},
        {"nv_bfloat16"sv, 2}, {"bfloat16_t"sv, 2}, {"int"sv, 4}, {"unsigned"sv, 4}, {"unsigned int"sv, 4}, {"signed"sv, 4}, {"uint"sv, 4},
        {"int32_t"sv, 4}, {"uint32_t"sv, 4}, {"float"sv, 4}, {"long"sv, 8}, {"unsigned long"sv, 8}, {"ulong"sv, 8}, {"long long"sv, 8},
        {"unsigned long long"sv, 8}, {"long long int"sv, 8}, {"unsigned long long int"sv, 8}, {"int64_t"sv, 8}, {"uint64_t"sv, 8},
        {"size_t"sv, 8}, {"ptrdiff_t"sv, 8}, {"double"sv, 8}, {"__half2"sv, 4}, {"half2"sv, 4}, {"__nv_bfloat162"sv, 4},
        {"nv_bfloat162"sv, 4}};
    return kBytes;
}

/// Bases of float4, uchar2, ...
const std::map<std::string_view, int>& vectorBases() {
    static const std::map<std::string_view, int> kBases{
        {"char"sv, 1}, {"uchar"sv, 1}, {"short"sv, 2}, {"ushort"sv, 2}, {"int"sv, 4}, {"uint"sv, 4}, {"float"sv, 4}, {"long"sv, 8},
        {"ulong"sv, 8}, {"longlong"sv, 8}, {"ulonglong"sv, 8}, {"double"sv, 8}};
    return kBases;
}

bool isPair(std::string_view name) {
    return name == "__half2" || name == "half2" || name == "__nv_bfloat162" || name == "nv_bfloat162";
}

}  // namespace

ElementType builtinType(std::string_view name) {
    if (const std::size_t colons = name.rfind("::"); colons != std::string_view::npos && name.find('<') == std::string_view::npos) {
        name.remove_prefix(colons + 2);
    }
    if (const auto found = scalarBytes().find(name); found != scalarBytes().end()) return {isPair(name) ? 2 : 1, found->second};
    if (name.size() < 4 || name.back() < '1' || name.back() > '4') return {};
    const int components = name.back() - '0';
    name.remove_suffix(1);
    const auto found = vectorBases().find(name);
    return found == vectorBases().end() ? ElementType{} : ElementType{components, components * found->second};
}

void TypeTable::read(TSNode root, std::string_view text) {
    walk(root, [&](const Cursor& cursor) {
        const TSNode node = cursor.node();
        const std::string_view type = typeOf(node);
        if (type == "struct_specifier" || type == "class_specifier" || type == "union_specifier") readRecord(node, text);
        if (type == "alias_declaration" || type == "type_definition") readAlias(node, text);
        return type != "compound_statement";
    });
}

void TypeTable::readAlias(TSNode node, std::string_view text) {
    const bool alias = is(node, "alias_declaration");
    const TSNode name = alias ? childByField(node, "name") : declaredName(childByField(node, "declarator"));
    const TSNode type = childByField(node, "type");
    const TSNode inner = is(type, "type_descriptor") ? childByField(type, "type") : type;
    if (!ts_node_is_null(name) && !ts_node_is_null(inner)) m_aliases.emplace(textOf(name, text), textOf(inner, text));
}

void TypeTable::readRecord(TSNode node, std::string_view text) {
    const std::string_view name = textOf(childByField(node, "name"), text);
    const TSNode body = childByField(node, "body");
    if (name.empty() || ts_node_is_null(body)) return;
    Record record;
    int offset = 0;
    int alignment = 1;
    bool known = !is(node, "union_specifier");
    for (const TSNode field : namedChildren(body)) {
        if (!is(field, "field_declaration")) continue;
        const std::string_view type = textOf(childByField(field, "type"), text);
        for (const TSNode declarator : childrenByField(field, "declarator")) {
            if (is(declarator, "function_declarator")) continue;
            const bool plain = is(declarator, "field_identifier");
            const int bytes = plain ? of(type).bytes : is(declarator, "pointer_declarator") ? 8 : 0;
            known = known && bytes > 0;
            if (plain) record.members.emplace(textOf(declarator, text), type);
            if (!known) continue;
            const int align = std::min(bytes & -bytes, 16);
            alignment = std::max(alignment, align);
            offset = (offset + align - 1) / align * align + bytes;
        }
    }
    if (known && offset > 0) record.bytes = (offset + alignment - 1) / alignment * alignment;
    m_records.emplace(name, std::move(record));
}

std::string_view TypeTable::resolved(std::string_view name) const {
    for (int hop = 0; hop < 8; ++hop) {
        const auto found = m_aliases.find(name);
        if (found == m_aliases.end() || found->second == name) break;
        name = found->second;
    }
    return name;
}

ElementType TypeTable::of(std::string_view name) const {
    name = resolved(name);
    const auto found = m_records.find(name);
    return found == m_records.end() ? builtinType(name) : ElementType{1, found->second.bytes};
}

std::string_view TypeTable::memberType(std::string_view type, std::string_view member) const {
    type = resolved(type);
    if (const auto found = m_records.find(type); found != m_records.end()) {
        const auto inner = found->second.members.find(member);
        return inner == found->second.members.end() ? std::string_view{} : inner->second;
    }
    if (builtinType(type).components < 2 || member.size() != 1 || std::string_view("xyzw").find(member) == std::string_view::npos) return {};
    static const std::map<std::string_view, std::string_view> kPairs{
        {"__half2"sv, "__half"sv}, {"half2"sv, "half"sv}, {"__nv_bfloat162"sv, "__nv_bfloat16"sv}, {"nv_bfloat162"sv, "nv_bfloat16"sv},
        {"longlong2"sv, "long long"sv}, {"longlong4"sv, "long long"sv}, {"ulonglong2"sv, "unsigned long long"sv},
        {"ulonglong4"sv, "unsigned long long"sv}};
    if (const auto found = kPairs.find(type); found != kPairs.end()) return found->second;
    const std::size_t colons = type.rfind("::");
    if (colons != std::string_view::npos) type.remove_prefix(colons + 2);
    return type.substr(0, type.size() - 1);
}

}  // namespace ww::source
