// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ww::engine {

/// The part of a compiler's log to read first: eight lines from the first that says "error", else its beginning.
[[nodiscard]] std::string firstProblem(const std::string& log);

}  // namespace ww::engine
