// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ww::diagnose {

/// A place in a file, as compilers name it: "kernel.cu(12)", "kernel.cu:12:5". 0 where unknown; lines and columns count from 1.
struct Place {
    std::string_view file;
    int line = 0;
    int column = 0;
};

/// One line of a log that reports an error, and the lines that belong to it.
struct ReportedError {
    std::size_t index = 0;      ///< into CompilerLog::lines
    std::size_t end = 0;        ///< one past its last line: the next error, or the end of the log
    Place place;
};

/// A compiler's output cut into lines and errors. Holds views of the text it was made from.
class CompilerLog {
public:
    explicit CompilerLog(std::string_view text);

    [[nodiscard]] const std::vector<std::string_view>& lines() const { return m_lines; }
    [[nodiscard]] const std::vector<ReportedError>& errors() const { return m_errors; }

    /// Where the error of line `index` stands in the file that the compiler knows as `fileName`: the error's own place, else
    /// the expansion, instantiation or include that led to it. Line 0 when the log does not tell.
    [[nodiscard]] Place placeInFile(std::size_t index, std::string_view fileName) const;
    /// The name of the file that the error of line `index` is reported in.
    [[nodiscard]] std::string_view fileOf(std::size_t index) const;
    /// The lines of the error that line `index` begins (one line where it is no error).
    [[nodiscard]] std::vector<std::string_view> block(std::size_t index) const;

private:
    const ReportedError* errorAt(std::size_t index) const;

    std::vector<std::string_view> m_lines;
    std::vector<ReportedError> m_errors;
};

/// The first place in `fileName` that `line` names.
[[nodiscard]] std::optional<Place> findPlace(std::string_view line, std::string_view fileName);

}  // namespace ww::diagnose
