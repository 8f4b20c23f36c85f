// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "spec/spec.h"
#include "verify/launch_buffers.h"

namespace ww::verify {

/// What one verification launch left behind; the worker's half of worker::RunResult.
struct CheckedRun {
    device::Outcome outcome; ///< other than Ok: the rest is empty
    std::vector<std::string> guardViolations;
    std::vector<std::string> changedInputs;
    std::vector<std::string> unwrittenOutputs;
    std::vector<std::span<const std::byte>> outputs; ///< in argument order; views into the buffers, valid until their next use
};

/// Prepares the buffers, launches once, and looks at everything the launch may have touched. An empty launch (a grid
/// dimension of 0) is not launched; its outputs keep the poison. Errors: those of LaunchBuffers; a fault of the candidate is
/// the Outcome.
[[nodiscard]] Result<CheckedRun> checkedRun(device::Device& device, LaunchBuffers& buffers, device::ModuleId module,
                                            const spec::ResolvedLaunch& launch, std::uint64_t seed, int poison,
                                            const DataSource& data = {});

} // namespace ww::verify
