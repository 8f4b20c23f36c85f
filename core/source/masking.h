// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source/tokens.h"

namespace ww::source {

/// What a blanked attribute macro said about the function behind it.
struct AttributeMark {
    std::uint32_t at = 0;
    bool global = false;
    bool device = false;
    bool externC = false;
};

/// The text with everything blanked that has no effect on structure or that the grammar does not know: comments, attributes with
/// arguments (__cluster_dims__), macros that stand for attributes (CUTLASS_DEVICE, or ones that the file defines), pragma
/// macros. Offsets and lines stay what they were.
struct MaskedText {
    std::string text;
    std::vector<AttributeMark> marks;  ///< by offset

    /// The marks in the blank stretch directly before `offset`, joined.
    [[nodiscard]] AttributeMark before(std::size_t offset) const;
    /// The marks in [begin, end), joined.
    [[nodiscard]] AttributeMark within(std::size_t begin, std::size_t end) const;
};

[[nodiscard]] MaskedText maskAttributes(const Tokens& tokens);

}  // namespace ww::source
