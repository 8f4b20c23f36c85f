// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "source/conditions.h"
#include "source/source_model.h"

namespace ww::source {

/// A construct that the CPU device cannot run, in code that the entry reaches.
struct CpuGap {
    std::size_t offset = 0;  ///< of its first byte
    int line = 1;
    std::string what;        ///< "inline PTX (cp.async)"
    std::string text;        ///< the construct itself, shortened
    bool certain = true;     ///< false where an open name decides whether the preprocessor keeps it
    bool include = false;    ///< an #include line
};

struct CpuGaps {
    std::vector<CpuGap> found;      ///< in document order
    /// Definitions that the entry does not reach and that would not compile: they hold gaps, or use one that does.
    std::vector<ByteRange> unused;
};

/// Follows the calls from `entry` (plain or qualified name) by the names of functions, types and macros, so that too much may count
/// as reached but nothing too little; where the file has no such entry, everything counts. Errors: those of the parser.
[[nodiscard]] Result<CpuGaps> findCpuGaps(std::string_view text, std::string_view entry, const KnownMacros& known);

/// The macros of a compile for the CPU device; the caller adds its own defines and open names.
[[nodiscard]] KnownMacros cpuMacros();

/// One message that names every certain gap with its line. Errors: Unsupported; Ok where there is none.
/// `file` is for the message.
[[nodiscard]] Result<void> checkRunsOnCpu(std::string_view text, std::string_view entry, const KnownMacros& known,
                                          const std::filesystem::path& file);

}  // namespace ww::source
