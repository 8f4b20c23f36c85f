// SPDX-License-Identifier: Apache-2.0
#include "compile/ptxas_report.h"

#include <algorithm>
#include <charconv>

namespace ww::compile {
namespace {

/// The integer in front of `unit` in `line`, or -1.
std::int64_t numberBefore(std::string_view line, std::string_view unit) {
    const auto at = line.find(unit);
    if (at == std::string_view::npos) return -1;
    auto begin = at;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    std::int64_t value = -1;
    const auto [end, failed] = std::from_chars(line.data() + begin, line.data() + at, value);
    return failed == std::errc{} && end == line.data() + at ? value : -1;
}

}  // namespace

CompileFacts readPtxasReport(std::string_view log, std::string_view entry) {
    CompileFacts facts;
    const std::string quoted = "'" + std::string(entry) + "'";
    bool ours = false;
    while (!log.empty()) {
        const auto end = log.find('\n');
        const auto line = log.substr(0, end);
        log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
        if (line.find("Compiling entry function") != std::string_view::npos) ours = line.find(quoted) != std::string_view::npos;
        if (!ours) continue;
        if (line.find("bytes stack frame") != std::string_view::npos) {
            facts.stackBytes = numberBefore(line, " bytes stack frame");
            facts.spillStoreBytes = numberBefore(line, " bytes spill stores");
            facts.spillLoadBytes = numberBefore(line, " bytes spill loads");
        } else if (line.find("Used ") != std::string_view::npos) {
            facts.registers = numberBefore(line, " registers");
            facts.staticSharedBytes = std::max<std::int64_t>(0, numberBefore(line, " bytes smem"));
            facts.constantBytes = std::max<std::int64_t>(0, numberBefore(line, " bytes cmem[0]"));
        }
    }
    return facts;
}

bool exceedsLimits(std::string_view log) {
    return log.find("uses too much shared data") != std::string_view::npos || log.find("uses too much global constant data") != std::string_view::npos ||
           log.find("uses too much constant") != std::string_view::npos;
}

}  // namespace ww::compile
