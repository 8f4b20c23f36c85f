// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/session.h"

namespace ww::engine {

/// What a device's compiler will see of a source, and what the user should know of it.
struct DeviceReading {
    source::DeviceText text;
    std::vector<source::IncludedFile> includes;
    std::vector<LocalDefine> defines;
    std::vector<std::string> notes;
};

/// The #includes of a source as the user's own folders answer them.
struct UserHeaders {
    std::vector<std::filesystem::path> found;
    std::vector<std::string> leftOut;  ///< as written, of the source itself: not found, and not given to the device's compiler
};
[[nodiscard]] UserHeaders userHeaders(std::string_view text, const std::filesystem::path& kernelFolder,
                                      const std::vector<std::filesystem::path>& includeFolders, device::DeviceKind kind);

/// Resolves the includes, sets host code aside, and finds a place for each parameter that comes in as a macro.
/// Errors: InvalidSpec for a parameter whose name means something else in a header, with file and line.
[[nodiscard]] Result<DeviceReading> readForDevice(const spec::Spec& spec, const source::SourceModel& model, const device::DeviceFacts& device);

}  // namespace ww::engine
