// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/trial_status.h"

namespace ww::cli {

/// Prints one JSON document to stdout.
void printJson(const Json& document);

/// Prints the error to stderr ("warpwright-cli: ..."), as JSON too where asked for, and returns the exit code for it.
[[nodiscard]] int report(const Error& error, bool json);

/// A table with right-aligned number columns.
class Table {
public:
    /// A title that starts with '>' makes its column right-aligned.
    explicit Table(std::vector<std::string> titles);
    void add(std::vector<std::string> cells);
    void print() const;

private:
    std::vector<std::string> m_titles;
    std::vector<bool> m_right;
    std::vector<std::vector<std::string>> m_rows;
};

/// "2.31x", "2.27 - 2.35", "±0.4 %"; an em dash where there is no figure.
[[nodiscard]] std::string ratioText(const std::optional<double>& ratio);
[[nodiscard]] std::string ratioRange(const std::optional<Interval>& interval);
[[nodiscard]] std::string timeText(const std::optional<std::int64_t>& timeNs);
[[nodiscard]] std::string spreadText(const std::optional<std::int64_t>& timeNs, const std::optional<Interval>& interval);
/// "TILE=64 VEC=4"
[[nodiscard]] std::string configText(const Json& config);

/// Whether stdout is a terminal that shows colours.
[[nodiscard]] bool colours();
/// Wraps in an ANSI colour when colours() and leaves it alone otherwise: "green", "red", "yellow", "bold", "dim".
[[nodiscard]] std::string paint(const std::string& text, const char* colour);

}  // namespace ww::cli
