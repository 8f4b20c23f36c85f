// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ww::compile {

/// A C++ compiler found on this machine.
struct HostTool {
    std::vector<std::string> command;   ///< {"g++"}, {"ccache", "g++"}
    std::string version;                ///< first line of --version
    bool clang = false;
};

/// $CXX, c++, g++, clang++: the first that answers --version. Errors: EnvironmentMissing with what to install.
[[nodiscard]] Result<HostTool> findHostTool(const std::string& scratchFolder);

/// A spec's compiler options in the words of a host compiler.
struct HostOptions {
    std::vector<std::string> flags;
    std::vector<std::pair<std::string, std::string>> defines;  ///< from -DNAME=value
    std::vector<std::string> undefines;
    std::vector<std::string> includeFolders;
    std::vector<std::string> dropped;   ///< meaningless or not allowed here
};
[[nodiscard]] HostOptions translateOptions(const std::vector<std::string>& options);

}  // namespace ww::compile
