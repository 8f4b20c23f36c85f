// SPDX-License-Identifier: Apache-2.0
#include "source/masking.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace ww::source {
namespace {

using namespace std::string_view_literals;

/// Attributes that take arguments and that tree-sitter-cuda does not know.
const std::set<std::string_view> kWithArguments{"__cluster_dims__"sv, "__maxnreg__"sv, "__block_size__"sv, "__align__"sv, "_Pragma"sv,
                                                "C10_LAUNCH_BOUNDS_1"sv, "C10_LAUNCH_BOUNDS_2"sv};

struct Meaning {
    bool global = false;
    bool device = false;
    bool externC = false;
};

/// Well-known macros of libraries whose headers are not part of the file.
const std::map<std::string_view, Meaning> kKnownMacros{
    {"CUTLASS_GLOBAL"sv, {true, false, false}},   {"CUTLASS_DEVICE"sv, {false, true, false}},
    {"CUTLASS_HOST_DEVICE"sv, {false, true, false}}, {"CUTLASS_HOST"sv, {}},
    {"CUTE_DEVICE"sv, {false, true, false}},      {"CUTE_HOST_DEVICE"sv, {false, true, false}},
    {"CUTE_HOST"sv, {}},                          {"CUTLASS_PRAGMA_UNROLL"sv, {}},
    {"CUTLASS_PRAGMA_NO_UNROLL"sv, {}},           {"CUTE_UNROLL"sv, {}},
    {"CUTE_NO_UNROLL"sv, {}},                     {"__restrict"sv, {}},
    {"C10_DEVICE"sv, {false, true, false}},       {"C10_HOST_DEVICE"sv, {false, true, false}},
    {"_CCCL_KERNEL_ATTRIBUTES"sv, {true, false, false}}, {"CUB_DETAIL_KERNEL_ATTRIBUTES"sv, {true, false, false}},
    {"_CCCL_DEVICE"sv, {false, true, false}},     {"_CCCL_HOST_DEVICE"sv, {false, true, false}},
    {"_CCCL_DEVICE_API"sv, {false, true, false}}, {"_CCCL_API"sv, {false, true, false}},
    {"_CCCL_HOST"sv, {}},                         {"_CCCL_HOST_API"sv, {}},
    {"_CCCL_FORCEINLINE"sv, {}},                  {"_CCCL_VISIBILITY_HIDDEN"sv, {}},
    {"_CCCL_PRAGMA_UNROLL_FULL"sv, {}},           {"_CCCL_EXEC_CHECK_DISABLE"sv, {}},
    {"_CCCL_NODISCARD"sv, {}},                    {"_CCCL_GRID_CONSTANT"sv, {}},
    {"THRUST_DEVICE_FUNCTION"sv, {false, true, false}}, {"THRUST_RUNTIME_FUNCTION"sv, {}}};

const std::set<std::string_view> kAttributes{"__global__"sv, "__device__"sv, "__host__"sv, "__forceinline__"sv, "__noinline__"sv,
                                             "__inline__"sv, "inline"sv, "static"sv, "extern"sv, "\"C\""sv, "__launch_bounds__"sv,
                                             "__attribute__"sv, "__restrict__"sv, "__restrict"sv, "__cluster_dims__"sv,
                                             "__maxnreg__"sv, "__align__"sv, "_Pragma"sv, "__grid_constant__"sv};

/// The meaning of a macro body that holds attributes only.
bool attributeBody(const Tokens& tokens, std::size_t first, std::size_t end, Meaning& meaning) {
    if (first >= end) return false;
    for (std::size_t i = first; i < end;) {
        const std::string_view word = tokens.at(i);
        if (!kAttributes.contains(word)) return false;
        meaning.global |= word == "__global__";
        meaning.device |= word == "__device__";
        meaning.externC |= word == "\"C\"";
        ++i;
        if (i < end && tokens.at(i) == "(") i = std::min(end, tokens.afterGroup(i));
    }
    return true;
}

std::map<std::string_view, Meaning> attributeMacros(const Tokens& tokens) {
    std::map<std::string_view, Meaning> macros = kKnownMacros;
    for (const Directive& directive : tokens.directives) {
        if (directive.keyword != "define" || directive.firstToken >= directive.endToken) continue;
        const Token& name = tokens.list[directive.firstToken];
        if (name.kind != TokenKind::Identifier) continue;
        const bool functionLike = name.end < tokens.text.size() && tokens.text[name.end] == '(';
        Meaning meaning;
        if (!functionLike && attributeBody(tokens, directive.firstToken + 1, directive.endToken, meaning)) {
            macros[tokens.of(name)] = meaning;
        }
    }
    return macros;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        if (text[i] != '\n' && text[i] != '\r') text[i] = ' ';
    }
}

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

}  // namespace

AttributeMark MaskedText::before(std::size_t offset) const {
    std::size_t begin = std::min(offset, text.size());
    while (begin > 0 && isBlank(text[begin - 1])) --begin;
    return within(begin, offset);
}

AttributeMark MaskedText::within(std::size_t begin, std::size_t end) const {
    AttributeMark joined;
    auto mark = std::lower_bound(marks.begin(), marks.end(), begin,
                                 [](const AttributeMark& left, std::size_t at) { return left.at < at; });
    for (; mark != marks.end() && mark->at < end; ++mark) {
        joined.global |= mark->global;
        joined.device |= mark->device;
        joined.externC |= mark->externC;
    }
    return joined;
}

MaskedText maskAttributes(const Tokens& tokens) {
    MaskedText masked{std::string(tokens.text), {}};
    if (masked.text.starts_with("\xEF\xBB\xBF")) blank(masked.text, 0, 3);
    // A run of more than 65,535 comments overruns the parser's count of a node's children; without any it is quicker, too.
    for (const auto& [begin, end] : tokens.comments) blank(masked.text, begin, end);
    const auto macros = attributeMacros(tokens);
    for (std::size_t i = 0; i < tokens.list.size(); ++i) {
        const Token& token = tokens.list[i];
        if (token.kind != TokenKind::Identifier || token.directive >= 0) continue;
        const std::string_view word = tokens.of(token);
        if (kWithArguments.contains(word) && tokens.at(i + 1) == "(") {
            const std::size_t past = tokens.afterGroup(i + 1);
            if (tokens.at(past - 1) != ")") continue;
            blank(masked.text, token.begin, tokens.list[past - 1].end);
            i = past - 1;
        } else if (const auto macro = macros.find(word); macro != macros.end() && tokens.at(i + 1) != "(") {
            blank(masked.text, token.begin, token.end);
            masked.marks.push_back({token.begin, macro->second.global, macro->second.device, macro->second.externC});
        }
    }
    return masked;
}

}  // namespace ww::source
