// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "device/device.h"

namespace ww::test {

/// A device whose memory is the host's and whose kernels are functions of the launch's addresses, so that every fault of a
/// kernel can be written down in one line.
class MemoryDevice : public device::Device {
public:
    using Kernel = std::function<device::Outcome(const std::vector<std::byte*>& buffers)>;
    std::map<device::ModuleId, Kernel> kernels;
    std::map<device::BufferId, std::vector<std::byte>> memory;
    int allocations = 0;
    std::size_t capacity = std::size_t{1} << 30;

    Result<device::BufferId> allocate(std::size_t bytes) override {
        std::size_t used = bytes;
        for (const auto& [id, content] : memory)
            used += content.size();
        if (used > capacity) return fail(ErrorCode::WorkerFailed, "out of device memory");
        ++allocations;
        memory[++m_next].assign(bytes, std::byte{0x11});
        return m_next;
    }
    void release(device::BufferId buffer) override { memory.erase(buffer); }
    Result<void> upload(device::BufferId buffer, std::size_t offset, std::span<const std::byte> bytes) override {
        std::memcpy(at(buffer, offset, bytes.size()), bytes.data(), bytes.size());
        return {};
    }
    Result<void> download(device::BufferId buffer, std::size_t offset, std::span<std::byte> bytes) override {
        std::memcpy(bytes.data(), at(buffer, offset, bytes.size()), bytes.size());
        return {};
    }
    Result<void> fill(device::BufferId buffer, std::size_t offset, std::size_t bytes, std::byte value) override {
        std::memset(at(buffer, offset, bytes), static_cast<int>(value), bytes);
        return {};
    }
    Result<void> copy(device::BufferId from, std::size_t fromOffset, device::BufferId to, std::size_t toOffset,
                      std::size_t bytes) override {
        std::memcpy(at(to, toOffset, bytes), at(from, fromOffset, bytes), bytes);
        return {};
    }
    device::Outcome run(const device::Launch& launch) override {
        std::vector<std::byte*> buffers;
        for (const device::Argument& argument : launch.arguments)
            if (const auto* buffer = std::get_if<device::BufferArgument>(&argument))
                buffers.push_back(at(buffer->buffer, buffer->byteOffset, 0));
        return kernels.at(launch.module)(buffers);
    }
    device::Outcome time(const device::Launch& launch, bool, int) override { return run(launch); }
    const device::DeviceFacts& facts() const override { return m_facts; }
    Result<Loaded> load(const device::ModuleImage&, const device::LaunchShape&) override { return Loaded{}; }
    void unload(device::ModuleId) override {}
    std::int64_t foreignBytes() const override { return 0; }

private:
    std::byte* at(device::BufferId buffer, std::size_t offset, std::size_t bytes) {
        std::vector<std::byte>& content = memory.at(buffer);
        if (offset + bytes > content.size()) qFatal("access of %zu bytes at %zu outside a buffer of %zu", bytes, offset, content.size());
        return content.data() + offset;
    }
    device::DeviceFacts m_facts;
    device::BufferId m_next = 0;
};

} // namespace ww::test
