// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ww::diagnose {

/// Line and column of `word` as a whole word of `source`, outside comments: in the kernel `entry` and behind it, else the first;
/// 0, 0 when it does not occur.
struct WordPlace {
    int line = 0;
    int column = 0;
};
[[nodiscard]] WordPlace findWord(std::string_view source, std::string_view word, std::string_view entry);

/// The line of `#include <...file>`; 0 when nothing includes it.
[[nodiscard]] int includeLine(std::string_view source, std::string_view file);

/// The text of a line, from 1; empty when there is none.
[[nodiscard]] std::string_view lineOf(std::string_view source, int line);

/// The first of `names` that `text` declares as a name of its own ("int N", "typename T"), where a macro of that name breaks it.
[[nodiscard]] std::optional<std::string> declaredName(std::string_view text, const std::vector<std::string>& names);

}  // namespace ww::diagnose
