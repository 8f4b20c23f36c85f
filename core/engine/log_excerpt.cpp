// SPDX-License-Identifier: Apache-2.0
#include "engine/log_excerpt.h"

#include <algorithm>

namespace ww::engine {

std::string firstProblem(const std::string& log) {
    constexpr int kLines = 8;
    // Compilers lead with "In file included from ..."; the first line that says error is the one to read.
    const auto word = std::min(log.find("error"), log.find("Error"));
    auto begin = word == std::string::npos ? 0 : log.rfind('\n', word) + 1;
    auto end = begin;
    for (int line = 0; line < kLines && end != std::string::npos; ++line) end = log.find('\n', line == 0 ? begin : end + 1);
    auto text = log.substr(begin, end == std::string::npos ? end : end - begin);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

}  // namespace ww::engine
