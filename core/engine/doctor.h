// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ww::engine {

enum class Health {
    Good,
    Missing,  ///< something is not there; the rest works
    Broken,   ///< the main job cannot run
};
[[nodiscard]] std::string_view toString(Health health) noexcept;

/// One part of the environment: what was found, what its absence costs, and what to do about it.
struct Finding {
    std::string part;
    Health health = Health::Good;
    std::string found;
    std::string costs;
    std::string remedy;
};

/// Looks at this machine: worker, sandbox, compiler, LibTorch, GPU driver, devices, NVRTC, database folder.
/// Starts short-lived children; takes up to a second or two.
[[nodiscard]] std::vector<Finding> examine();

}  // namespace ww::engine
