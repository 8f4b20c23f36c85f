// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu_watch.h"

#include <chrono>
#include <thread>

#include "base/units.h"

namespace ww::engine {
namespace {

constexpr double kLongestCoolDown = 30;
constexpr double kShortestEnergy = 0.05;        ///< seconds; the counter steps at about 20 to 100 ms
constexpr std::chrono::milliseconds kCoolStep{500};

double secondsSince(std::int64_t beganNs) { return static_cast<double>(monotonicNs() - beganNs) * 1e-9; }

}  // namespace

GpuWatch::GpuWatch(const device::DeviceFacts& device) : m_gpu(device.kind == device::DeviceKind::Cuda), m_laptop(device.laptop) {
    if (!m_gpu) return;
    auto opened = device::Nvml::open(device.uuid);
    if (!opened) {
        m_missing = opened.error().message;
        return;
    }
    m_nvml = std::move(*opened);
    m_initial = m_nvml->read();
}

Json GpuWatch::record() const {
    if (!m_gpu) return nullptr;
    if (!m_nvml) return Json{{"missing", m_missing}};
    auto record = m_initial.toJson();
    record["clocks_locked"] = false;
    return record;
}

std::vector<std::string> GpuWatch::warnings() const {
    if (!m_gpu) return {};
    auto warnings = device::warningsFor(m_initial, m_laptop);
    warnings.push_back(m_nvml ? "the GPU's clocks are not locked: the noise floor is what it is, and throttled samples are discarded" : m_missing);
    return warnings;
}

std::optional<double> GpuWatch::coolDown(const std::stop_token& stop) const {
    if (!m_nvml || !m_nvml->read().nearItsLimit()) return std::nullopt;
    const std::int64_t begin = monotonicNs();
    while (!stop.stop_requested() && secondsSince(begin) < kLongestCoolDown && m_nvml->read().nearItsLimit()) std::this_thread::sleep_for(kCoolStep);
    return secondsSince(begin);
}

void GpuWatch::beginReading() {
    m_energyBefore = m_nvml ? m_nvml->read().energyJoules : std::nullopt;
    m_beganNs = monotonicNs();
}

std::optional<GpuReading> GpuWatch::endReading() const {
    if (!m_nvml) return std::nullopt;
    GpuReading reading{m_nvml->read(), std::nullopt};
    const double seconds = secondsSince(m_beganNs);
    if (m_energyBefore && reading.after.energyJoules && seconds >= kShortestEnergy) {
        reading.meanWatts = (*reading.after.energyJoules - *m_energyBefore) / seconds;
    }
    return reading;
}

}  // namespace ww::engine
