// SPDX-License-Identifier: Apache-2.0
#include "profile/counter_access.h"

#include <cupti_result.h>
#include <unistd.h>

#include "sandbox/counter_permission.h"

namespace ww::profile {
namespace {

/// The driver lets root alone read counters unless told otherwise, and a container's root only with SYS_ADMIN.
std::string permissionRemedy() {
    if (::geteuid() == 0 && sandbox::countersNeedAdmin()) {
        return "this process is root but lacks the capability SYS_ADMIN: start the container with --cap-add=SYS_ADMIN, or on the host open "
               "the counters "
               "to everyone (put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia-counters.conf, then "
               "reboot); "
               "a cloud that refuses both cannot serve counters";
    }
    return "the driver gives hardware counters to administrators only: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into "
           "/etc/modprobe.d/nvidia-counters.conf, run `sudo update-initramfs -u` (or dracut -f) and reboot; in a container start it with "
           "--cap-add=SYS_ADMIN as root; a cloud that refuses both cannot serve counters";
}

} // namespace

std::string remedyFor(int cuptiResult) {
    switch (cuptiResult) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: return permissionRemedy();
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return "the virtual GPU's host has to allow profiling for this machine (enable_profiling in the vGPU's plugin parameters)";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED: return "virtual GPUs of this kind have no counters; use a passed-through GPU";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED: return "confidential computing hides the counters; use a GPU without it";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED: return "a MIG slice of this GPU has no counters; use the whole GPU";
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED: return "mining cards have no counters; use another GPU";
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED: return "counters need SLI to be off";
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
        return "under WSL counters need a newer driver and the developer mode of the NVIDIA control panel";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
        return "another profiler (ncu, nsys, DCGM) holds the counters; end it and try again";
    default: return {};
    }
}

} // namespace ww::profile
