// SPDX-License-Identifier: Apache-2.0
#include "diagnose/pattern.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace ww::diagnose {
namespace {

/// Longer words are no names; the bound keeps a hostile line linear.
constexpr std::size_t kMaxWord = 512;

bool isWordByte(char c) { return static_cast<unsigned char>(c) > ' ' && c != '"' && c != '\'' && c != '`' && c != ',' && c != ';' && c != ')'; }

std::string_view wordAt(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && length < kMaxWord && isWordByte(text[length])) ++length;
    return text.substr(0, length);
}

/// The number at the front of `text` and how many characters it takes.
std::optional<std::pair<std::uint64_t, std::size_t>> numberAt(std::string_view text) {
    const bool hex = text.starts_with("0x");
    const auto digits = text.substr(hex ? 2 : 0, 20);
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (failed != std::errc{}) return std::nullopt;
    return std::pair(value, static_cast<std::size_t>(end - text.data()));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
}

}  // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
    Pattern pattern;
    pattern.m_segments.emplace_back();
    const auto bad = [&](const std::string& why) { return fail(ErrorCode::ParseError, why, "pattern \"" + std::string(text) + "\""); };
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '{') {
            const auto end = std::min(text.find('{', at), text.size());
            pattern.m_segments.back().parts.push_back({Kind::Literal, std::string(text.substr(at, end - at))});
            at = end;
            continue;
        }
        const auto close = text.find('}', at);
        if (close == std::string_view::npos) return bad("a hole has no closing brace");
        const auto hole = text.substr(at + 1, close - at - 1);
        const auto colon = hole.find(':');
        const std::string name(hole.substr(0, colon));
        const auto kind = colon == std::string_view::npos ? std::string_view() : hole.substr(colon + 1);
        if (pattern.m_segments.back().parts.empty()) return bad("a hole needs text before it");
        if (kind == "number" || kind == "word") {
            pattern.m_segments.back().parts.push_back({kind == "number" ? Kind::Number : Kind::Word, name});
        } else if (kind.empty()) {
            pattern.m_segments.back().gapAfter = true;
            pattern.m_segments.back().gapName = name;
            pattern.m_segments.emplace_back();
        } else {
            return bad("a hole is of kind number, word or none, not " + std::string(kind));
        }
        at = close + 1;
    }
    if (pattern.m_segments.back().parts.empty()) pattern.m_segments.pop_back();
    if (pattern.m_segments.empty()) return bad("a pattern needs text");
    return pattern;
}

bool Pattern::fits(const Segment& segment, std::string_view line, std::size_t at, std::size_t& end, Captures& captures) {
    for (const auto& part : segment.parts) {
        const auto rest = line.substr(at);
        std::size_t length = part.text.size();
        if (part.kind == Kind::Literal) {
            if (!rest.starts_with(part.text)) return false;
        } else if (part.kind == Kind::Number) {
            const auto number = numberAt(rest);
            if (!number) return false;
            length = number->second;
            if (!part.text.empty()) captures[part.text] = std::to_string(number->first);
        } else {
            const auto word = wordAt(rest);
            if (word.empty()) return false;
            length = word.size();
            if (!part.text.empty()) captures[part.text] = word;
        }
        at += length;
    }
    end = at;
    return true;
}

bool Pattern::findSegment(const Segment& segment, std::string_view line, std::size_t from, Range& range, Captures& captures) {
    const auto& literal = segment.parts.front().text;
    for (auto at = line.find(literal, from); at != std::string_view::npos; at = line.find(literal, at + 1)) {
        range.begin = at;
        if (fits(segment, line, at, range.end, captures)) return true;
    }
    return false;
}

bool Pattern::find(std::string_view line, Captures& captures) const {
    Captures found;
    Range range{0, 0};
    // The first place of each segment in turn: with nothing but gaps between them, a later place could not help the next one.
    for (std::size_t i = 0; i < m_segments.size(); ++i) {
        const auto gapBegin = range.end;
        if (!findSegment(m_segments[i], line, range.end, range, found)) return false;
        if (i > 0 && !m_segments[i - 1].gapName.empty()) found[m_segments[i - 1].gapName] = trimmed(line.substr(gapBegin, range.begin - gapBegin));
    }
    if (m_segments.back().gapAfter && !m_segments.back().gapName.empty()) found[m_segments.back().gapName] = trimmed(line.substr(range.end));
    for (auto& [name, text] : found) captures[name] = std::move(text);
    return true;
}

}  // namespace ww::diagnose
