// SPDX-License-Identifier: Apache-2.0
#include "profile/occupancy.h"

#include <algorithm>

namespace ww::profile {
namespace {

constexpr std::int64_t kRegisterGranule = 256; ///< registers, per warp
constexpr std::int64_t kPartitions = 4;        ///< schedulers with a register file of their own

constexpr std::int64_t roundUp(std::int64_t value, std::int64_t granule) noexcept { return (value + granule - 1) / granule * granule; }

/// From 8.0 on the system keeps 1 KiB of each block for itself.
std::int64_t reservedShared(int ccMajor) noexcept { return ccMajor >= 8 ? 1024 : 0; }
std::int64_t sharedGranule(int ccMajor) noexcept { return ccMajor >= 8 ? 128 : 256; }

std::int64_t blocksByRegisters(const device::DeviceFacts& device, std::int64_t warps, std::int64_t registersPerThread) noexcept {
    const auto perWarp = roundUp(registersPerThread * device.warpSize, kRegisterGranule);
    if (perWarp <= 0) return device.maxBlocksPerProcessor;
    if (perWarp * warps > device.registersPerBlock) return 0;
    const auto warpsThatFit = device.registersPerProcessor / kPartitions / perWarp * kPartitions;
    return warpsThatFit / warps;
}

} // namespace

std::string_view toString(Limiter limiter) noexcept {
    switch (limiter) {
    case Limiter::Warps: return "warps";
    case Limiter::Registers: return "registers";
    case Limiter::SharedMemory: return "shared memory";
    case Limiter::Blocks: break;
    }
    return "blocks";
}

Json Occupancy::toJson() const {
    return {{"percent", 100 * fraction()},
            {"blocks_per_sm", blocks},
            {"warps_per_sm", warps},
            {"max_warps_per_sm", maxWarps},
            {"limiter", toString(limiter)},
            {"blocks_by", {{"warps", byWarps}, {"registers", byRegisters}, {"shared_memory", byShared}, {"blocks", byBlocks}}}};
}

Occupancy theoreticalOccupancy(const device::DeviceFacts& device, const BlockNeeds& needs) noexcept {
    Occupancy occupancy;
    if (device.warpSize <= 0 || needs.threads <= 0) return occupancy;
    const auto warps = (needs.threads + device.warpSize - 1) / device.warpSize;
    occupancy.maxWarps = device.maxThreadsPerProcessor / device.warpSize;
    occupancy.byWarps = needs.threads > device.maxThreadsPerBlock ? 0 : occupancy.maxWarps / warps;
    occupancy.byBlocks = device.maxBlocksPerProcessor;
    occupancy.byRegisters = blocksByRegisters(device, warps, needs.registersPerThread);
    const auto shared = roundUp(needs.sharedBytes + reservedShared(device.ccMajor), sharedGranule(device.ccMajor));
    occupancy.byShared = needs.sharedBytes > device.sharedPerBlockOptin ? 0
                         : needs.sharedBytes <= 0                       ? occupancy.byBlocks
                                                                        : device.sharedPerProcessor / shared;
    // Where two limits agree, the first named is the one that a kernel's author can change least.
    const std::pair<std::int64_t, Limiter> limits[] = {{occupancy.byWarps, Limiter::Warps},
                                                       {occupancy.byBlocks, Limiter::Blocks},
                                                       {occupancy.byRegisters, Limiter::Registers},
                                                       {occupancy.byShared, Limiter::SharedMemory}};
    const auto tightest =
        std::min_element(std::begin(limits), std::end(limits), [](const auto& a, const auto& b) { return a.first < b.first; });
    occupancy.blocks = tightest->first;
    occupancy.limiter = tightest->second;
    occupancy.warps = occupancy.blocks * warps;
    return occupancy;
}

} // namespace ww::profile
