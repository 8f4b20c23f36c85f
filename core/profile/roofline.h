// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "device/device_facts.h"
#include "profile/measurements.h"

namespace ww::profile {

/// Where a kernel stands under the roofs of its device.
struct Roofline {
    std::string precision; ///< whose roof counts: "fp32", "fp64", "fp16", "tensor fp16", ...: the one that did most work
    double flops = 0;      ///< operations of the launch; an fma is two
    double bytes = 0;      ///< moved to and from DRAM
    double seconds = 0;
    double peakFlops = 0;       ///< per second
    double peakBandwidth = 0;   ///< bytes per second
    Rung rung = Rung::Counters; ///< Estimate where bytes or operations are the declared ones

    [[nodiscard]] double intensity() const noexcept { return flops / bytes; } ///< flop per byte
    [[nodiscard]] double achievedFlops() const noexcept { return flops / seconds; }
    [[nodiscard]] double achievedBandwidth() const noexcept { return bytes / seconds; }
    [[nodiscard]] double ridge() const noexcept { return peakFlops / peakBandwidth; } ///< flop per byte
    [[nodiscard]] bool underMemoryRoof() const noexcept { return intensity() < ridge(); }
    /// Share of the roof above the kernel's intensity, 0 to 1.
    [[nodiscard]] double ofRoof() const noexcept;
    [[nodiscard]] Json toJson() const;
};

/// From the counters of the set `full`. nullopt where operations, traffic or peaks are missing, or no operation was counted.
[[nodiscard]] std::optional<Roofline> rooflineFrom(const Measurements& counted);

/// What the launch declares: bytes and operations it must do at least.
struct DeclaredWork {
    std::optional<double> bytes, flops;
};
/// From declared work, a measured time and the device's attributes; single precision's roof. nullopt where one of these is missing.
[[nodiscard]] std::optional<Roofline> rooflineFrom(const DeclaredWork& work, double seconds, const device::DeviceFacts& device);

/// Bytes per second that the memory could move at its rated clock. nullopt on the CPU device.
[[nodiscard]] std::optional<double> ratedBandwidth(const device::DeviceFacts& device) noexcept;
/// Single-precision operations per second at the rated clock. nullopt on the CPU and for a compute capability that is not known.
[[nodiscard]] std::optional<double> ratedFlops(const device::DeviceFacts& device) noexcept;

} // namespace ww::profile
