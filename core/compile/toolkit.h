// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace ww::compile {

/// Toolkit folders that exist on this machine, most specific first.
[[nodiscard]] std::vector<std::filesystem::path> toolkitFolders();

/// The include folders of the first toolkit that has any: include/ and, from 13.0 on, include/cccl. Empty without a toolkit.
[[nodiscard]] std::vector<std::filesystem::path> toolkitIncludeFolders();

/// A header of the C and C++ library that device code uses and that NVRTC does not have: types and limits, std::min, sqrt.
struct ServedHeader {
    const char* name;  ///< "cstdint"
    const char* text;
};

/// What NVRTC is given in memory, so that <cstdint>, <cmath> and the like can be included as under nvcc.
[[nodiscard]] const std::vector<ServedHeader>& servedHeaders();
[[nodiscard]] bool isServedHeader(std::string_view name);

}  // namespace ww::compile
