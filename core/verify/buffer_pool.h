// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "device/device.h"

namespace ww::verify {

/// Device buffers that outlive a run, so that repeated runs do not allocate. A slot (an argument's place) keeps its buffer
/// while the size fits exactly; sizes differ between workloads, so a slot that changes is reallocated. Owner: the device
/// worker's thread.
class BufferPool {
public:
    explicit BufferPool(device::Device& device) : m_device(device) {}
    ~BufferPool() { clear(); }
    BufferPool(const BufferPool&) = delete;
    BufferPool& operator=(const BufferPool&) = delete;

    /// Contents are undefined. Errors: those of Device::allocate().
    [[nodiscard]] Result<device::BufferId> take(std::size_t slot, std::size_t bytes);
    void clear();
    /// Bytes held, all slots together.
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    struct Slot {
        device::BufferId id = 0;
        std::size_t bytes = 0;
        bool used = false;
    };
    device::Device& m_device;
    std::vector<Slot> m_slots;
};

} // namespace ww::verify
