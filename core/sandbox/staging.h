// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"

namespace ww::sandbox {

/// Whether every user may list `folder` and read the files directly in it. A folder that is not there counts as open.
[[nodiscard]] bool openToEveryone(const std::filesystem::path& folder);

/// Copies the files of `folder` (subfolders included, links followed) to `copy`, readable by everyone: a worker that gave up
/// root cannot read what its owner keeps private, a 0700 folder of root's for one. At most 64 MiB in 5,000 files.
/// Errors: Unreadable, when the folder is larger (advises a folder of its own for the kernel) or cannot be copied.
[[nodiscard]] Result<void> copyForEveryone(const std::filesystem::path& folder, const std::filesystem::path& copy);

}  // namespace ww::sandbox
