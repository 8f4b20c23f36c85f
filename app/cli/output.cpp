// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/units.h"
#include "expr/value.h"

namespace ww::cli {
namespace {

constexpr const char* kNone = "\u2014";

/// Columns a UTF-8 text takes, colour codes not counted.
std::size_t width(const std::string& text) {
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            while (i < text.size() && text[i] != 'm') ++i;
            continue;
        }
        if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) ++columns;
    }
    return columns;
}

std::string format(const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

}  // namespace

void printJson(const Json& document) {
    std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
}

int report(const Error& error, bool json) {
    if (json) printJson({{"error", {{"code", toString(error.code)}, {"message", error.message}, {"context", error.context}}}});
    std::cerr << "warpwright-cli: " << error.toString() << std::endl;
    return exitCodeFor(error.code);
}

Table::Table(std::vector<std::string> titles) : m_titles(std::move(titles)) {
    for (auto& title : m_titles) {
        m_right.push_back(title.starts_with('>'));
        if (m_right.back()) title.erase(0, 1);
    }
}

void Table::add(std::vector<std::string> cells) {
    cells.resize(m_titles.size());
    m_rows.push_back(std::move(cells));
}

void Table::print() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < m_titles.size(); ++c) {
        std::size_t widest = width(m_titles[c]);
        for (const auto& row : m_rows) widest = std::max(widest, width(row[c]));
        widths.push_back(widest);
    }
    const auto line = [&](const std::vector<std::string>& cells, bool head) {
        std::string text;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string cell = head ? paint(cells[c], "dim") : cells[c];
            const std::string padding(widths[c] - width(cells[c]), ' ');
            const bool last = c + 1 == cells.size();
            text += m_right[c] ? padding + cell : last ? cell : cell + padding;
            if (!last) text += "  ";
        }
        std::cout << text << '\n';
    };
    line(m_titles, true);
    for (const auto& row : m_rows) line(row, false);
    std::cout << std::flush;
}

std::string ratioText(const std::optional<double>& ratio) { return ratio ? format("%.2fx", *ratio) : kNone; }

std::string ratioRange(const std::optional<Interval>& interval) {
    return interval ? format("%.2f", interval->low) + " - " + format("%.2f", interval->high) : kNone;
}

std::string timeText(const std::optional<std::int64_t>& timeNs) { return timeNs ? formatTimeNs(static_cast<double>(*timeNs)) : kNone; }

std::string spreadText(const std::optional<std::int64_t>& timeNs, const std::optional<Interval>& interval) {
    if (!timeNs || !interval || *timeNs <= 0) return kNone;
    return "\u00b1" + format("%.1f %%", 50.0 * (interval->high - interval->low) / static_cast<double>(*timeNs));
}

std::string configText(const Json& config) {
    std::string text;
    for (const auto& [name, value] : config.items()) {
        text += (text.empty() ? "" : " ") + name + "=" + expr::Value::fromJson(value).display();
    }
    return text;
}

bool colours() {
    static const bool wanted = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr &&
                               (std::getenv("TERM") == nullptr || std::strcmp(std::getenv("TERM"), "dumb") != 0);
    return wanted;
}

std::string paint(const std::string& text, const char* colour) {
    if (!colours()) return text;
    static constexpr std::pair<const char*, const char*> kCodes[] = {
        {"green", "32"}, {"red", "31"}, {"yellow", "33"}, {"bold", "1"}, {"dim", "2"}};
    for (const auto& [name, code] : kCodes) {
        if (std::strcmp(name, colour) == 0) return std::string("\x1b[") + code + "m" + text + "\x1b[0m";
    }
    return text;
}

}  // namespace ww::cli
