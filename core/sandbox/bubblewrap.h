// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sandbox/worker_process.h"

namespace ww::sandbox {

/// bwrap's path in $PATH; empty where there is none.
[[nodiscard]] std::filesystem::path findBubblewrap();

/// Tries `bwrap` with a trivial child in all the namespaces that a worker gets. `bwrap` may be empty (not installed).
/// availability() is this, once per process, with findBubblewrap().
[[nodiscard]] Availability probe(const std::filesystem::path& bwrap);

/// What a worker sees of the machine.
struct View {
    std::vector<std::filesystem::path> readable;  ///< read-only, at the same path
    std::map<std::filesystem::path, std::filesystem::path> copies;  ///< what is mounted in place of a readable folder
    std::vector<std::filesystem::path> devices;   ///< nodes below /dev
    bool wholeSys = false;                        ///< /sys read-only (the CUDA driver looks the GPU up there)
    std::uint64_t temporaryBytes = 0;             ///< size of the private /tmp
};

/// bwrap's arguments up to and with "--": namespaces, mounts and capabilities. bubblewrap 0.8 or newer gets a size for /tmp.
[[nodiscard]] std::vector<std::string> bubblewrapArguments(const std::filesystem::path& bwrap, const std::string& version,
                                                           const View& view);

/// Whether mounting this folder would show the user's home folder (it is the home, or holds it).
[[nodiscard]] bool exposesHome(const std::filesystem::path& folder);

}  // namespace ww::sandbox
