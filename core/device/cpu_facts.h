// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ww::device {

/// What this machine says about its processor.
struct CpuInfo {
    std::string model;      ///< "Intel(R) Xeon(R) Processor"; "unknown CPU" where the system does not tell
    std::string flags;      ///< instruction-set flags, as listed
    int cores = 1;          ///< cores this process may use
    std::int64_t lastLevelCacheBytes = 0;
    std::int64_t memoryBytes = 0;
    std::int64_t clockKHz = 0;
};

[[nodiscard]] CpuInfo readCpuInfo();

}  // namespace ww::device
