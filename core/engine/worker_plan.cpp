// SPDX-License-Identifier: Apache-2.0
#include "engine/worker_plan.h"

#include <sched.h>

#include <algorithm>

namespace ww::engine {

WorkerPlan planWorkers(device::DeviceKind kind, const std::vector<int>& cores) {
    const int count = std::max<int>(1, static_cast<int>(cores.size()));
    WorkerPlan plan;
    if (count <= 4) {
        plan.compileWorkers = std::max(1, count - 1);
        plan.pauseCompilers = kind == device::DeviceKind::Cpu;
        return plan;
    }
    const int forDevice = kind == device::DeviceKind::Cpu ? count / 2 : 2;
    plan.deviceCores.assign(cores.begin(), cores.begin() + forDevice);
    plan.compileCores.assign(cores.begin() + forDevice, cores.end());
    plan.compileWorkers = std::min(16, count - forDevice);
    return plan;
}

std::vector<int> usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cores;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (CPU_ISSET(core, &set)) cores.push_back(core);
        }
    }
    if (cores.empty()) cores.push_back(0);
    return cores;
}

}  // namespace ww::engine
