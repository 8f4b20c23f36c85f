// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "encode/encode.h"
#include "engine/session.h"

namespace ww::engine {

/// The launch of a configuration as the encoder sees it; nullopt where it does not resolve.
[[nodiscard]] std::optional<encode::Launch> encodedLaunch(const Task& task, const space::Configuration& configuration);

/// The state of a kernel before any trial: its source, launch and space, the device, and what NVRTC and ptxas say of the default
/// configuration.
struct EncodedKernel {
    encode::StateVector state{};
    std::optional<compile::CompileFacts> compiled;
    std::vector<std::string> notes;   ///< what could not be had, and why
};

/// Compiles for a CUDA device's own architecture, without one for `architecture` ("sm_90a"): that takes a toolkit, but no GPU.
/// Where something is missing, its elements are 0 and a note says so. Errors: those of spec::load and source::loadCuda.
[[nodiscard]] Result<EncodedKernel> encodeKernel(const std::filesystem::path& specPath, const device::DeviceFacts& device,
                                                 const std::string& architecture, bool allowNoSandbox);

}  // namespace ww::engine
