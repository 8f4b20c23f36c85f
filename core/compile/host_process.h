// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace ww::compile {

/// How a compiler's process ended and what it printed (stdout and stderr together, at most 1 MiB).
struct ProcessResult {
    int exitCode = -1;      ///< -1 when a signal or the deadline ended it
    int signal = 0;
    bool timedOut = false;
    std::string output;
};

/// Runs a program in a process group of its own, in `folder`, in the C locale, without stdin; kills the group at the deadline.
/// Errors: EnvironmentMissing where it cannot be started.
[[nodiscard]] Result<ProcessResult> runProcess(const std::vector<std::string>& command, const std::string& folder,
                                               std::chrono::milliseconds deadline);

}  // namespace ww::compile
