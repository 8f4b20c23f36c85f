// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/device.h"

namespace ww::worker {

/// Passes everything on to a device, and ends a launch as out_of_memory when the process' device memory grew by more than
/// `limit` bytes during it, beyond what was allocated for buffers. Same thread as the device.
class WatchedDevice final : public device::Device {
public:
    explicit WatchedDevice(device::Device& device) : m_device(device) {}
    /// 0: no limit.
    void setLimit(std::int64_t bytes) noexcept { m_limit = bytes; }

    [[nodiscard]] const device::DeviceFacts& facts() const override { return m_device.facts(); }
    [[nodiscard]] Result<Loaded> load(const device::ModuleImage& image, const device::LaunchShape& shape) override { return m_device.load(image, shape); }
    void unload(device::ModuleId module) override { m_device.unload(module); }
    [[nodiscard]] Result<device::BufferId> allocate(std::size_t bytes) override { return m_device.allocate(bytes); }
    void release(device::BufferId buffer) override { m_device.release(buffer); }
    [[nodiscard]] Result<void> upload(device::BufferId buffer, std::size_t offset, std::span<const std::byte> bytes) override {
        return m_device.upload(buffer, offset, bytes);
    }
    [[nodiscard]] Result<void> download(device::BufferId buffer, std::size_t offset, std::span<std::byte> bytes) override {
        return m_device.download(buffer, offset, bytes);
    }
    [[nodiscard]] Result<void> fill(device::BufferId buffer, std::size_t offset, std::size_t bytes, std::byte value) override {
        return m_device.fill(buffer, offset, bytes, value);
    }
    [[nodiscard]] Result<void> copy(device::BufferId from, std::size_t fromOffset, device::BufferId to, std::size_t toOffset,
                                    std::size_t bytes) override {
        return m_device.copy(from, fromOffset, to, toOffset, bytes);
    }
    [[nodiscard]] device::Outcome run(const device::Launch& launch) override;
    [[nodiscard]] device::Outcome time(const device::Launch& launch, bool cold, int launches) override {
        return m_device.time(launch, cold, launches);
    }
    [[nodiscard]] device::Outcome timeEach(std::span<const device::Launch> launches, bool cold) override { return m_device.timeEach(launches, cold); }
    [[nodiscard]] Result<std::uint64_t> digest(device::BufferId buffer, std::size_t offset, std::size_t bytes) override {
        return m_device.digest(buffer, offset, bytes);
    }
    [[nodiscard]] std::int64_t foreignBytes() const override { return m_device.foreignBytes(); }
    [[nodiscard]] std::string takePrinted() override { return m_device.takePrinted(); }

private:
    device::Device& m_device;
    std::int64_t m_limit = 0;
};

}  // namespace ww::worker
