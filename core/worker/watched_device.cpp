// SPDX-License-Identifier: Apache-2.0
#include "worker/watched_device.h"

#include "base/units.h"

namespace ww::worker {

device::Outcome WatchedDevice::run(const device::Launch& launch) {
    const std::int64_t before = m_limit > 0 ? m_device.foreignBytes() : 0;
    auto outcome = m_device.run(launch);
    if (m_limit <= 0 || outcome.sticky) return outcome;
    const std::int64_t growth = m_device.foreignBytes() - before;
    if (outcome.status == TrialStatus::Ok && growth > m_limit) {
        outcome.status = TrialStatus::OutOfMemory;
        outcome.message = "the launch made the process' device memory grow by " + formatBytes(static_cast<std::uint64_t>(growth)) +
                          " beyond its buffers; " + formatBytes(static_cast<std::uint64_t>(m_limit)) + " are allowed";
        // The memory may never come back: a fresh process serves the next candidate.
        outcome.sticky = true;
    }
    return outcome;
}

}  // namespace ww::worker
