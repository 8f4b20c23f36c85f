// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "source/source_model.h"

namespace ww::source {

/// Something that only the host needs, left out of the device compile.
struct SetAside {
    ByteRange range;
    int firstLine = 1;
    int lastLine = 1;
    std::string what;  ///< "main", "launch()", "#include <vector>"
};

/// A kernel file as device compilers get it: `text` is the original with host code blanked, so that every byte that is left
/// stands where it stood and messages name the user's own lines.
struct DeviceText {
    std::string text;
    std::vector<SetAside> setAside;  ///< by offset
    /// Functions without __device__ that device code calls: kept, and compiled for the device.
    std::vector<std::string> undecorated;

    /// "lines 3, 40-62 (#include <vector>, launch(), main) are host code, ...": for the user; empty where nothing was set aside.
    [[nodiscard]] std::string note() const;
};

/// Tells device code from host code at namespace scope, by declarations and names: what is decorated stays, and so does every
/// type, constant and constexpr function that it mentions, directly or through others; main, launches, undecorated functions and
/// variables, and headers of the host are blanked. `leaveOut` says of an #include as written ("<vector>") whether it goes as
/// well. Directives other than #include and #pragma stay wherever they are. Never fails: what is not understood stays.
[[nodiscard]] DeviceText separateHostCode(std::string_view text, const std::function<bool(std::string_view)>& leaveOut);

/// Headers that no device code can use: the C++ library's containers, streams and threads, POSIX, CUDA's host libraries.
[[nodiscard]] bool isHostHeader(std::string_view name);

}  // namespace ww::source
