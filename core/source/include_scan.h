// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/tokens.h"

namespace ww::source {

/// `<name>` or `"name"` of an #include directive; nullopt where a macro stands instead.
[[nodiscard]] std::optional<std::string_view> includedName(const Tokens& tokens, const Directive& directive);

/// A place where headers are looked for, in order.
struct IncludeFolder {
    std::filesystem::path path;
    std::string what;       ///< "the kernel's folder", "the CUDA Toolkit": for the user
    bool followed = true;   ///< whether the headers that its headers include are wanted as well; false for system folders
};

/// An #include and the file it means.
struct IncludedFile {
    std::string written;         ///< `"tiles.cuh"`, `<cuda_fp16.h>`
    std::filesystem::path file;  ///< empty where it was not found
    std::string foundIn;         ///< IncludeFolder::what, or "beside the including file"
    std::filesystem::path from;  ///< the header that includes it; empty for the kernel's own file
    int line = 1;                ///< in `from`
    bool operator==(const IncludedFile&) const = default;
};

/// The #includes of `text`, those inside inactive regions too, and of the followed headers that they reach; each file once.
/// Headers that cannot be read or are above 16 MiB count as not found.
[[nodiscard]] std::vector<IncludedFile> resolveIncludes(std::string_view text, const std::vector<IncludeFolder>& folders);

}  // namespace ww::source
