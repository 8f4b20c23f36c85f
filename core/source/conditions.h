// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/tokens.h"

namespace ww::source {

/// Whether the preprocessor keeps a piece of text: Maybe where a name decides over it of which the file alone does not tell.
enum class Live { No, Maybe, Yes };

/// What is known before the first line. Names in neither list count as undefined, until a header in quotes comes by: it may
/// define anything.
struct KnownMacros {
    std::map<std::string, std::string, std::less<>> defined;
    std::set<std::string, std::less<>> undefined;  ///< stays undefined whatever the headers hold
    std::set<std::string, std::less<>> open;       ///< tuned: every value must be expected, also where the file has a #define
};

/// The stretches of a file between its conditional directives.
class LiveText {
public:
    LiveText(const Tokens& tokens, const KnownMacros& known);
    [[nodiscard]] Live at(std::size_t offset) const;

private:
    struct Change {
        std::size_t offset;
        Live live;
    };
    std::vector<Change> m_changes;  // by offset
};

}  // namespace ww::source
