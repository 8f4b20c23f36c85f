// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ww::sandbox {

/// Everything of a child that is settled before its exec. Resource limits in the units of setrlimit; 0: left as it is.
struct SpawnPlan {
    std::vector<std::string> arguments;     ///< [0] is the program's absolute path
    std::vector<std::string> environment;   ///< "NAME=value", the whole of it
    int input = -1, output = -1, errors = -1, arena = -1;  ///< become fds 0, 1, 2, 3; every other fd is closed
    std::uint64_t addressSpaceBytes = 0;
    std::uint64_t fileBytes = 0;
    std::uint64_t openFiles = 0;
    std::uint64_t processes = 0;
    std::vector<int> cores;
};

/// Starts the program as leader of a session and process group of its own; the pid is the group.
/// The fork is done by one thread that lives as long as this process, because "die with the parent" (PR_SET_PDEATHSIG) fires
/// when the forking *thread* ends. Thread-safe. Errors: EnvironmentMissing when the program cannot be executed, WorkerFailed.
[[nodiscard]] Result<pid_t> spawn(const SpawnPlan& plan);

/// The fd that a spawned child has its arena under.
inline constexpr int kArenaFd = 3;

}  // namespace ww::sandbox
