// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ww::bench {

/// Tells from digests of outputs whether timed launches did their work: every launch finds poisoned outputs, and other values at
/// the same addresses than the time before. Only what the reference does too is held against a candidate, and nothing is
/// compared for equality across programs, since correct results differ in rounding.
class WorkCheck {
public:
    explicit WorkCheck(std::size_t programs) : m_programs(programs) {}

    /// `which` 0 is the reference; `value` names the contents of the inputs; digests of the outputs before and after the launch.
    /// What is wrong, in a sentence without subject, or nothing.
    [[nodiscard]] std::optional<std::string> see(std::size_t which, int value, std::uint64_t before, std::uint64_t after);

private:
    struct Program {
        std::map<int, std::uint64_t> byValue;   ///< the last digest
        std::map<std::uint64_t, int> byDigest;  ///< the values it was first seen for
    };
    [[nodiscard]] bool referenceTells(int value, int other) const;

    std::vector<Program> m_programs;
    std::map<int, bool> m_referenceWrites;      ///< by value
    bool m_referenceRepeats = true;             ///< the same digest whenever it had the same values
};

}  // namespace ww::bench
