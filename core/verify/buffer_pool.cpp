// SPDX-License-Identifier: Apache-2.0
#include "verify/buffer_pool.h"

namespace ww::verify {

Result<device::BufferId> BufferPool::take(std::size_t slot, std::size_t bytes) {
    if (slot >= m_slots.size()) m_slots.resize(slot + 1);
    Slot& place = m_slots[slot];
    if (place.used && place.bytes == bytes) return place.id;
    if (place.used) m_device.release(place.id);
    place.used = false;
    auto id = m_device.allocate(bytes);
    if (!id) {
        // Buffers of an earlier, larger workload may be what is in the way.
        for (std::size_t other = slot + 1; other < m_slots.size(); ++other) {
            if (m_slots[other].used) m_device.release(m_slots[other].id);
            m_slots[other].used = false;
        }
        id = m_device.allocate(bytes);
        if (!id) return fail(id.error());
    }
    place = Slot{*id, bytes, true};
    return *id;
}

void BufferPool::clear() {
    for (Slot& place : m_slots)
        if (place.used) m_device.release(place.id);
    m_slots.clear();
}

std::size_t BufferPool::bytes() const noexcept {
    std::size_t sum = 0;
    for (const Slot& place : m_slots)
        sum += place.used ? place.bytes : 0;
    return sum;
}

} // namespace ww::verify
