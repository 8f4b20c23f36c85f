// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/device_facts.h"

namespace ww::engine {

/// How the machine's cores are shared between compile workers and the device worker.
struct WorkerPlan {
    int compileWorkers = 1;
    std::vector<int> compileCores;      ///< empty: any
    std::vector<int> deviceCores;       ///< empty: any
    bool pauseCompilers = false;        ///< while the CPU device times: compilers beside it would nearly double a timing
};

/// Up to four cores: one compile worker per spare core, paused while the CPU device times. More: disjoint sets; the CPU device
/// gets half, a GPU's worker two cores, compilers the rest (at most 16).
[[nodiscard]] WorkerPlan planWorkers(device::DeviceKind kind, const std::vector<int>& cores);

/// The cores this process may use.
[[nodiscard]] std::vector<int> usableCores();

}  // namespace ww::engine
