// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "device/device_facts.h"
#include "device/nvml.h"

namespace ww::engine {

/// What a measurement cost and how the GPU stood after it. Unset: not given here.
struct GpuReading {
    device::GpuState after;
    std::optional<double> meanWatts;        ///< over the measurement, idle moments between launches included
};

/// Reads the state of the session's GPU through NVML; on the CPU device, or without NVML, it knows nothing. Changes nothing.
/// Engine thread only.
class GpuWatch {
public:
    /// Reads the GPU as it is before any process of ours is on it.
    explicit GpuWatch(const device::DeviceFacts& device);

    /// For the session's facts: state, whether clocks are locked (never by us), or why nothing is known. null on the CPU device.
    [[nodiscard]] Json record() const;
    /// Sentences for the user.
    [[nodiscard]] std::vector<std::string> warnings() const;

    /// Waits while the GPU is about to slow down for heat, 30 s at most. Seconds waited; nothing where there was no need.
    [[nodiscard]] std::optional<double> coolDown(const std::stop_token& stop) const;
    void beginReading();
    [[nodiscard]] std::optional<GpuReading> endReading() const;

private:
    bool m_gpu;
    bool m_laptop;
    std::unique_ptr<device::Nvml> m_nvml;
    std::string m_missing;
    device::GpuState m_initial;
    std::optional<double> m_energyBefore;
    std::int64_t m_beganNs = 0;
};

}  // namespace ww::engine
