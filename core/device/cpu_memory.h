// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "base/result.h"
#include "device/device.h"

namespace ww::device {

/// The buffers of a CPU device: page-aligned mappings with an inaccessible page on either side, so that a kernel that runs far
/// out of a buffer faults instead of meeting its neighbour.
class CpuMemory {
public:
    CpuMemory() = default;
    ~CpuMemory();
    CpuMemory(const CpuMemory&) = delete;
    CpuMemory& operator=(const CpuMemory&) = delete;

    [[nodiscard]] Result<BufferId> allocate(std::size_t bytes);
    void release(BufferId buffer);
    /// Errors: InvalidArgument for an unknown buffer or a range outside it.
    [[nodiscard]] Result<std::span<std::byte>> range(BufferId buffer, std::size_t offset, std::size_t bytes) const;
    /// The whole buffer; empty for an unknown one.
    [[nodiscard]] std::span<std::byte> whole(BufferId buffer) const;
    [[nodiscard]] std::int64_t allocatedBytes() const noexcept { return m_allocated; }

private:
    struct Buffer {
        std::byte* mapping = nullptr;
        std::size_t mappingBytes = 0;
        std::size_t bytes = 0;
    };
    std::unordered_map<BufferId, Buffer> m_buffers;
    BufferId m_nextId = 1;
    std::int64_t m_allocated = 0;
};

/// Evicts these bytes from every cache level, dirty lines written back.
void flushFromCaches(std::span<const std::byte> bytes);

}  // namespace ww::device
