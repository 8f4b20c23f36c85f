// SPDX-License-Identifier: Apache-2.0
#include "diagnose/source_place.h"

#include <algorithm>
#include <array>

namespace ww::diagnose {
namespace {

bool isWordByte(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Next place of `word` with no letter beside it, at or after `from`.
std::size_t findWhole(std::string_view text, std::string_view word, std::size_t from) {
    for (auto at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !isWordByte(text[at - 1])) && (end >= text.size() || !isWordByte(text[end]))) return at;
    }
    return std::string_view::npos;
}

/// Comments become blanks; lines and columns stay.
std::string withoutComments(std::string_view source) {
    std::string text(source);
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        if (text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*')) continue;
        const bool line = text[at + 1] == '/';
        const auto close = line ? text.find('\n', at) : text.find("*/", at + 2);
        const auto end = close == std::string::npos ? text.size() : close + (line ? 0 : 2);
        for (; at < end; ++at) {
            if (text[at] != '\n') text[at] = ' ';
        }
        --at;
    }
    return text;
}

/// Where the definition of the kernel `entry` begins: at the `__global__` before its name.
std::size_t kernelBegin(std::string_view text, std::string_view entry) {
    const auto plain = entry.substr(entry.rfind(':') == std::string_view::npos ? 0 : entry.rfind(':') + 1);
    if (plain.empty()) return 0;
    for (auto at = findWhole(text, plain, 0); at != std::string_view::npos; at = findWhole(text, plain, at + 1)) {
        const auto global = text.rfind("__global__", at);
        if (global != std::string_view::npos && text.substr(global, at - global).find_first_of(";{}") == std::string_view::npos) return global;
    }
    return 0;
}

}  // namespace

WordPlace findWord(std::string_view source, std::string_view word, std::string_view entry) {
    if (word.empty()) return {};
    const auto text = withoutComments(source);
    auto at = findWhole(text, word, kernelBegin(text, entry));
    if (at == std::string::npos) at = findWhole(text, word, 0);
    if (at == std::string::npos) return {};
    const auto lineBegin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    return {static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1, static_cast<int>(at - lineBegin) + 1};
}

int includeLine(std::string_view source, std::string_view file) {
    const auto name = file.substr(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
    if (name.empty()) return 0;
    int number = 0;
    while (!source.empty()) {
        ++number;
        const auto end = source.find('\n');
        const auto line = source.substr(0, end);
        source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
        const auto hash = line.find_first_not_of(" \t");
        if (hash == std::string_view::npos || line[hash] != '#' || line.find("include", hash) == std::string_view::npos) continue;
        for (const char close : {'"', '>'}) {
            if (line.find(std::string(name) + close) != std::string_view::npos) return number;
        }
    }
    return 0;
}

std::string_view lineOf(std::string_view source, int line) {
    for (int i = 1; i < line && !source.empty(); ++i) {
        const auto end = source.find('\n');
        source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
    }
    return line < 1 ? std::string_view() : source.substr(0, source.find('\n'));
}

std::optional<std::string> declaredName(std::string_view text, const std::vector<std::string>& names) {
    constexpr std::array<std::string_view, 6> kNoTypes{"return", "case", "else", "sizeof", "define", "pragma"};
    for (const auto& name : names) {
        if (name.empty()) continue;
        for (auto at = findWhole(text, name, 0); at != std::string_view::npos; at = findWhole(text, name, at + 1)) {
            auto end = at;
            while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '*' || text[end - 1] == '&')) --end;
            auto begin = end;
            while (begin > 0 && isWordByte(text[begin - 1])) --begin;
            const auto before = text.substr(begin, end - begin);
            if (before.empty() || end == at || (before[0] >= '0' && before[0] <= '9')) continue;
            if (std::find(kNoTypes.begin(), kNoTypes.end(), before) == kNoTypes.end()) return name;
        }
    }
    return std::nullopt;
}

}  // namespace ww::diagnose
