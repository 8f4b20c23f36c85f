// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ww {

/// The bytes of a file. Errors: NotFound; Unreadable for a folder, a file without permission, or one above `maxBytes`.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes = std::size_t{256} << 20);

/// Writes beside the target, syncs and renames: the target is the old or the new text, never half of one.
/// Errors: Unreadable with the folder's name where it cannot be written.
[[nodiscard]] Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view bytes);

/// The folder of the running executable.
[[nodiscard]] std::filesystem::path executableFolder();

/// The folder of shared resources (kernels/, resources/): $WARPWRIGHT_ROOT, else found upwards from the executable,
/// else the installed share/warpwright.
[[nodiscard]] std::filesystem::path resourceRoot();

/// $XDG_DATA_HOME/warpwright, else ~/.local/share/warpwright. Not created here.
[[nodiscard]] std::filesystem::path userDataFolder();

}  // namespace ww
