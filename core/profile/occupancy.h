// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "device/device_facts.h"

namespace ww::profile {

/// What keeps more blocks from being resident on a multiprocessor.
enum class Limiter { Warps, Registers, SharedMemory, Blocks };
[[nodiscard]] std::string_view toString(Limiter limiter) noexcept; ///< "warps", "registers", "shared memory", "blocks"

/// What a block of the kernel takes.
struct BlockNeeds {
    std::int64_t threads = 0;
    std::int64_t registersPerThread = 0;
    std::int64_t sharedBytes = 0; ///< static and dynamic
};

/// Blocks and warps that a multiprocessor can hold at once, by each limit and by the tightest.
struct Occupancy {
    std::int64_t blocks = 0, warps = 0, maxWarps = 0;
    std::int64_t byWarps = 0, byRegisters = 0, byShared = 0, byBlocks = 0; ///< in blocks
    Limiter limiter = Limiter::Warps;

    /// 0 to 1; 0 where not even one block fits.
    [[nodiscard]] double fraction() const noexcept { return maxWarps > 0 ? static_cast<double>(warps) / static_cast<double>(maxWarps) : 0; }
    [[nodiscard]] Json toJson() const;
};

/// Theoretical occupancy, by the device's limits and the granules of its compute capability (7.0 and up), with the largest shared
/// memory carve-out, which the driver chooses where a kernel gains from it.
[[nodiscard]] Occupancy theoreticalOccupancy(const device::DeviceFacts& device, const BlockNeeds& needs) noexcept;

} // namespace ww::profile
