// SPDX-License-Identifier: Apache-2.0
#include "bench/work_check.h"

namespace ww::bench {

bool WorkCheck::referenceTells(int value, int other) const {
    const auto& known = m_programs.front().byValue;
    const auto first = known.find(value), second = known.find(other);
    return m_referenceRepeats && first != known.end() && second != known.end() && first->second != second->second;
}

std::optional<std::string> WorkCheck::see(std::size_t which, int value, std::uint64_t before, std::uint64_t after) {
    Program& program = m_programs.at(which);
    if (which == 0) {
        m_referenceWrites[value] = after != before;
        if (const auto earlier = program.byValue.find(value); earlier != program.byValue.end() && earlier->second != after) m_referenceRepeats = false;
        program.byValue[value] = after;
        return std::nullopt;
    }
    const auto writes = m_referenceWrites.find(value);
    if (after == before && writes != m_referenceWrites.end() && writes->second) {
        return "left its outputs untouched in a timed launch, where the baseline wrote them: the work was skipped";
    }
    const int first = program.byDigest.try_emplace(after, value).first->second;
    if (first != value && referenceTells(value, first)) {
        return "gave the same outputs for other input values in a timed launch, where the baseline's differ: results of an earlier launch were used again";
    }
    program.byValue[value] = after;
    return std::nullopt;
}

}  // namespace ww::bench
