// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "compile/compile.h"
#include "device/device.h"
#include "sandbox/channel.h"

namespace ww::worker {

/// The front ends of a compile worker; where one is missing, why.
struct Compilers {
    std::unique_ptr<compile::Compiler> cpu, cuda;
    std::string cpuMissing, cudaMissing;
};

/// Worker side: greets and serves requests until the engine closes the channel. Main thread of the worker.
[[nodiscard]] Result<void> serveCompiles(sandbox::Channel& channel, Compilers& compilers);
[[nodiscard]] Result<void> serveDevice(sandbox::Channel& channel, device::Device& device);
/// Hardware counters of verified candidates, one launch a request. A CUDA device.
[[nodiscard]] Result<void> serveProfile(sandbox::Channel& channel, device::Device& device);

}  // namespace ww::worker
