// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "expr/expression.h"

namespace ww::device {

enum class DeviceKind { Cpu, Cuda };

[[nodiscard]] std::string_view toString(DeviceKind kind) noexcept;  ///< "cpu", "cuda"

/// What a device is and what it allows. Limits that a CPU does not have carry the values of a current GPU, so that one spec
/// serves both; `fact()` names are what constraints may use.
struct DeviceFacts {
    DeviceKind kind = DeviceKind::Cpu;
    std::string name;               ///< "NVIDIA H200", "Intel(R) Xeon(R) ..., 2 cores"
    std::string uuid;               ///< "GPU-..." or "CPU-<hash of model, cores and flags>"
    std::string architecture;       ///< "sm_90a", "x86-64"
    std::string driver;             ///< driver version, or the compiler's for the CPU
    int index = 0;                  ///< CUDA ordinal
    int ccMajor = 0, ccMinor = 0;   ///< 0 on the CPU
    int processors = 1;             ///< SMs, or cores
    std::int64_t maxThreadsPerBlock = 1024;
    std::int64_t maxThreadsPerProcessor = 2048;
    std::int64_t maxBlocksPerProcessor = 32;
    std::int64_t maxBlockX = 1024, maxBlockY = 1024, maxBlockZ = 64;
    std::int64_t maxGridX = 2147483647, maxGridY = 65535, maxGridZ = 65535;
    std::int64_t warpSize = 32;
    std::int64_t sharedPerBlock = 49152;       ///< bytes without opting in
    std::int64_t sharedPerBlockOptin = 49152;  ///< bytes
    std::int64_t sharedPerProcessor = 102400;  ///< bytes
    std::int64_t registersPerBlock = 65536;
    std::int64_t registersPerProcessor = 65536;
    std::int64_t l2Bytes = 0;                  ///< L2, or the CPU's last-level cache
    std::int64_t memoryBytes = 0;
    std::int64_t clockKHz = 0;
    std::int64_t memoryClockKHz = 0;
    std::int64_t memoryBusBits = 0;
    bool integrated = false;
    bool laptop = false;

    /// max_threads_per_block, max_block_x/y/z, max_grid_x/y/z, warp_size, smem_per_block, smem_per_block_optin, smem_per_sm,
    /// regs_per_block, regs_per_sm, max_threads_per_sm, max_blocks_per_sm, sm_count, cc_major, cc_minor, cc (major*10+minor),
    /// l2_bytes, memory_bytes, is_cpu. Every fact is an int.
    void addTo(expr::Scope& scope) const;
    [[nodiscard]] static std::vector<std::string> factNames();

    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static Result<DeviceFacts> fromJson(const Json& json);
};

}  // namespace ww::device
