// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline.h"

#include <algorithm>

namespace ww::profile {
namespace {

constexpr double kNsPerSecond = 1e9;

struct Work {
    std::string precision;
    double flops = 0;
    double peakPerCycle = 0; ///< operations of the whole device
};

/// Scalar arithmetic of one type: thread instructions, an fma counts twice.
std::optional<Work> scalarWork(const Measurements& counted, const std::string& letter, const char* precision) {
    const auto add = counted.get("inst_" + letter + "add"), mul = counted.get("inst_" + letter + "mul"),
               fma = counted.get("inst_" + letter + "fma");
    const auto peak = counted.get("peak_" + letter + "fma");
    if (!add || !mul || !fma || !peak) return std::nullopt;
    // A half-precision instruction of a thread works on two elements; CUPTI counts it once per thread.
    const double lanes = letter == "h" ? 2 : 1;
    return Work{precision, lanes * (*add + *mul + 2 * *fma), lanes * 2 * *peak};
}

std::optional<Work> tensorWork(const Measurements& counted, const std::string& type) {
    const auto operations = counted.get("ops_tensor_" + type), peak = counted.get("peak_tensor_" + type);
    if (!operations || !peak) return std::nullopt;
    return Work{"tensor " + type, *operations, *peak};
}

/// Lanes for single precision per multiprocessor (CUDA C++ Programming Guide, arithmetic throughput).
std::optional<int> fp32Lanes(int ccMajor, int ccMinor) noexcept {
    switch (ccMajor) {
    case 7: return 64;
    case 8: return ccMinor == 0 ? 64 : 128;
    case 9:
    case 10:
    case 12: return 128;
    default: return std::nullopt;
    }
}

} // namespace

double Roofline::ofRoof() const noexcept {
    const double roof = std::min(peakFlops, intensity() * peakBandwidth);
    return roof > 0 ? achievedFlops() / roof : 0;
}

Json Roofline::toJson() const {
    return {{"precision", precision},
            {"flops", flops},
            {"bytes", bytes},
            {"seconds", seconds},
            {"intensity", intensity()},
            {"achieved_flops", achievedFlops()},
            {"achieved_bandwidth", achievedBandwidth()},
            {"peak_flops", peakFlops},
            {"peak_bandwidth", peakBandwidth},
            {"ridge", ridge()},
            {"of_roof", ofRoof()},
            {"bound", underMemoryRoof() ? "memory" : "compute"},
            {"rung", toString(rung)}};
}

std::optional<Roofline> rooflineFrom(const Measurements& counted) {
    const auto time = counted.get("time_ns"), bytes = counted.get("dram_bytes"), clock = counted.get("sm_clock_hz");
    const auto peakDram = counted.get("peak_dram"), dramClock = counted.get("dram_clock_hz");
    if (!time || !bytes || !clock || !peakDram || !dramClock || *time <= 0 || *bytes <= 0) return std::nullopt;
    std::optional<Work> most;
    for (const auto& work : {scalarWork(counted, "f", "fp32"), scalarWork(counted, "d", "fp64"), scalarWork(counted, "h", "fp16"),
                             tensorWork(counted, "fp16"), tensorWork(counted, "bf16"), tensorWork(counted, "tf32")}) {
        if (work && work->flops > 0 && work->peakPerCycle > 0 && (!most || work->flops > most->flops)) most = work;
    }
    if (!most) return std::nullopt;
    return Roofline{most->precision,        most->flops,   *bytes, *time / kNsPerSecond, most->peakPerCycle * *clock,
                    *peakDram * *dramClock, Rung::Counters};
}

std::optional<Roofline> rooflineFrom(const DeclaredWork& work, double seconds, const device::DeviceFacts& device) {
    const auto bandwidth = ratedBandwidth(device), flops = ratedFlops(device);
    if (!work.bytes || !work.flops || !bandwidth || !flops || *work.bytes <= 0 || *work.flops <= 0 || seconds <= 0) return std::nullopt;
    return Roofline{"fp32", *work.flops, *work.bytes, seconds, *flops, *bandwidth, Rung::Estimate};
}

std::optional<double> ratedBandwidth(const device::DeviceFacts& device) noexcept {
    if (device.kind != device::DeviceKind::Cuda || device.memoryClockKHz <= 0 || device.memoryBusBits <= 0) return std::nullopt;
    // Every memory of these GPUs moves data at both edges of the clock that the driver reports.
    return 2.0 * static_cast<double>(device.memoryClockKHz) * 1e3 * static_cast<double>(device.memoryBusBits) / 8;
}

std::optional<double> ratedFlops(const device::DeviceFacts& device) noexcept {
    const auto lanes = fp32Lanes(device.ccMajor, device.ccMinor);
    if (device.kind != device::DeviceKind::Cuda || !lanes || device.clockKHz <= 0) return std::nullopt;
    return 2.0 * *lanes * device.processors * static_cast<double>(device.clockKHz) * 1e3;
}

} // namespace ww::profile
