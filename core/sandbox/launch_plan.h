// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"
#include "sandbox/spawn.h"
#include "sandbox/worker_process.h"

namespace ww::sandbox {

/// The command that starts a worker, and the folder that is its /tmp where there is no private one.
struct LaunchPlan {
    SpawnPlan spawn;                    ///< all but the fds
    std::filesystem::path program;      ///< of the worker itself
    std::filesystem::path scratch;      ///< to be removed after the worker; empty where none was needed
};

/// Errors: EnvironmentMissing when the worker program is not there, SandboxUnavailable when the level asked for cannot be had,
/// InvalidArgument for a device name that is none.
[[nodiscard]] Result<LaunchPlan> planLaunch(const WorkerOptions& options);

}  // namespace ww::sandbox
