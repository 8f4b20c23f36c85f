// SPDX-License-Identifier: Apache-2.0
#include "diagnose/compiler_log.h"

#include <algorithm>
#include <charconv>

namespace ww::diagnose {
namespace {

/// Paths longer than this are no paths; the bound keeps a hostile line linear.
constexpr std::size_t kMaxPath = 4096;
/// An error with more lines than this is a cascade of notes.
constexpr std::size_t kMaxBlock = 300;
/// So far above an error its "In file included from" lines are looked for, and so far below a fault its stack.
constexpr std::size_t kStack = 40;

/// "error:", "error   :", "Error:", "fatal   :", but not "3 errors detected".
bool reportsError(std::string_view line) {
    for (const std::string_view word : {"error", "Error", "fatal"}) {
        for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
            auto next = at + word.size();
            while (next < line.size() && line[next] == ' ') ++next;
            if (next < line.size() && line[next] == ':') return true;
        }
    }
    return false;
}

/// Reads digits at `at` and moves behind them; 0 when there are none.
int readNumber(std::string_view text, std::size_t& at) {
    int value = 0;
    const auto [end, failed] = std::from_chars(text.data() + std::min(at, text.size()), text.data() + text.size(), value);
    if (failed != std::errc{}) return 0;
    at = static_cast<std::size_t>(end - text.data());
    return value;
}

/// "(12)", ":12:5" or ":12" at the front of `text`, followed by ':' or ',' or the end.
std::optional<Place> readPosition(std::string_view text) {
    if (text.empty() || (text[0] != '(' && text[0] != ':')) return std::nullopt;
    const bool parenthesis = text[0] == '(';
    Place place;
    std::size_t at = 1;
    place.line = readNumber(text, at);
    if (place.line == 0) return std::nullopt;
    if (parenthesis) {
        if (at >= text.size() || text[at] != ')') return std::nullopt;
        return place;
    }
    if (at < text.size() && text[at] == ':') {
        ++at;
        place.column = readNumber(text, at);
    }
    return place;
}

/// The place that a line of a compiler begins with.
Place leadingPlace(std::string_view line) {
    const auto head = line.substr(0, kMaxPath);
    for (auto at = head.find_first_of("(:"); at != std::string_view::npos; at = head.find_first_of("(:", at + 1)) {
        if (auto place = readPosition(head.substr(at))) {
            place->file = line.substr(0, at);
            return *place;
        }
    }
    return {};
}

bool sameFile(std::string_view file, std::string_view fileName) {
    return file == fileName || (file.size() > fileName.size() && file.ends_with(fileName) && file[file.size() - fileName.size() - 1] == '/');
}

/// NVRTC shows the source line indented by two and a caret below it.
int caretColumn(const std::vector<std::string_view>& block) {
    constexpr std::size_t kIndent = 2;
    if (block.size() < 3) return 0;
    const auto caret = block[2].find_first_not_of(' ');
    const bool alone = caret != std::string_view::npos && block[2].find_last_not_of(" \r") == caret && block[2][caret] == '^';
    return alone && caret >= kIndent ? static_cast<int>(caret - kIndent + 1) : 0;
}

}  // namespace

std::optional<Place> findPlace(std::string_view line, std::string_view fileName) {
    if (fileName.empty()) return std::nullopt;
    for (auto at = line.find(fileName); at != std::string_view::npos; at = line.find(fileName, at + 1)) {
        if (at > 0 && line[at - 1] != ' ' && line[at - 1] != '/') continue;
        if (auto place = readPosition(line.substr(at + fileName.size()))) {
            place->file = line.substr(at, fileName.size());
            return place;
        }
    }
    return std::nullopt;
}

CompilerLog::CompilerLog(std::string_view text) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (reportsError(line)) {
            if (!m_errors.empty()) m_errors.back().end = m_lines.size();
            m_errors.push_back({m_lines.size(), 0, leadingPlace(line)});
        }
        m_lines.push_back(line);
    }
    if (!m_errors.empty()) m_errors.back().end = m_lines.size();
}

const ReportedError* CompilerLog::errorAt(std::size_t index) const {
    const auto found = std::lower_bound(m_errors.begin(), m_errors.end(), index, [](const ReportedError& e, std::size_t i) { return e.index < i; });
    return found != m_errors.end() && found->index == index ? &*found : nullptr;
}

std::string_view CompilerLog::fileOf(std::size_t index) const {
    const auto* error = errorAt(index);
    return error != nullptr ? error->place.file : std::string_view();
}

std::vector<std::string_view> CompilerLog::block(std::size_t index) const {
    const auto* error = errorAt(index);
    const auto end = std::min(error != nullptr ? error->end : m_lines.size(), index + (error != nullptr ? kMaxBlock : 1));
    return {m_lines.begin() + static_cast<std::ptrdiff_t>(index), m_lines.begin() + static_cast<std::ptrdiff_t>(end)};
}

Place CompilerLog::placeInFile(std::size_t index, std::string_view fileName) const {
    const auto* error = errorAt(index);
    if (error == nullptr) {
        // A sanitizer names the place in the stack below its headline.
        for (auto i = index; i < std::min(m_lines.size(), index + kStack); ++i) {
            if (auto place = findPlace(m_lines[i], fileName)) return *place;
        }
        return {};
    }
    const auto lines = block(index);
    if (sameFile(error->place.file, fileName)) {
        Place place = error->place;
        if (place.column == 0) place.column = caretColumn(lines);
        return place;
    }
    const std::string ofFile = " of \"" + std::string(fileName) + "\"";
    for (const auto line : lines) {
        if (auto place = findPlace(line, fileName)) return *place;
        // "instantiation of ... at line 6 of "kernel.cu""
        constexpr std::string_view kAtLine = "at line ";
        const auto from = line.find(kAtLine);
        if (from == std::string_view::npos || line.find(ofFile, from) == std::string_view::npos) continue;
        auto at = from + kAtLine.size();
        return {fileName, readNumber(line, at), 0};
    }
    const auto* before = error == m_errors.data() ? nullptr : error - 1;
    const auto first = std::max(before != nullptr ? before->index + 1 : 0, index - std::min(index, kStack));
    for (auto i = index; i-- > first;) {
        if (m_lines[i].find("from ") == std::string_view::npos) continue;
        if (auto place = findPlace(m_lines[i], fileName)) return *place;
    }
    return {};
}

}  // namespace ww::diagnose
