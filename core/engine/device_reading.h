// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
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

/// Resolves the includes, sets host code aside, and finds a place for each parameter that comes in as a macro.
/// Errors: InvalidSpec for a parameter whose name means something else in a header, with file and line.
[[nodiscard]] Result<DeviceReading> readForDevice(const spec::Spec& spec, const source::SourceModel& model, const device::DeviceFacts& device);

}  // namespace ww::engine
