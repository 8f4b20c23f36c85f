// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "device/device_facts.h"

namespace ww::profile {

/// Empties the caches of a CUDA device by reading twice the L2: lines that a write had left behind go to memory now, and none of
/// this flush's own do later, which a flush by writing would add to the next kernel's DRAM traffic. Current context's thread.
class CacheReader {
public:
    /// Errors: EnvironmentMissing, WorkerFailed with the driver's words.
    [[nodiscard]] static Result<std::unique_ptr<CacheReader>> make(const device::DeviceFacts& facts);
    virtual ~CacheReader() = default;
    /// Runs and waits.
    [[nodiscard]] virtual Result<void> flush() = 0;
};

} // namespace ww::profile
