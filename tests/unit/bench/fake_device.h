// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "device/device.h"

namespace ww::test {

/// A device without a device: the time of a launch comes from a function of its module, and a clock of its own advances by
/// what is timed, so that a test of seconds runs in milliseconds.
class FakeDevice : public device::Device {
public:
    std::map<device::ModuleId, std::function<double()>> launchNs;
    device::ModuleId failing = 0; ///< this module's launches fail after `failAfter` launches
    int failAfter = 0;
    std::int64_t clockNs = 0;
    std::function<double()> clockMHz; ///< of each sample; unset: not known
    std::vector<device::ModuleId> order;
    std::vector<int> batches;
    std::vector<bool> colds;

    [[nodiscard]] std::function<std::int64_t()> clock() {
        return [this] { return clockNs; };
    }

    device::Outcome time(const device::Launch& launch, bool cold, int launches) override {
        order.push_back(launch.module);
        batches.push_back(launches);
        colds.push_back(cold);
        if (launch.module == failing && failAfter-- <= 0) return {TrialStatus::RuntimeError, "illegal address", true, 0};
        const double ns = launchNs.at(launch.module)();
        clockNs += static_cast<std::int64_t>(ns * launches);
        return {TrialStatus::Ok, "", false, static_cast<std::int64_t>(std::llround(ns))};
    }

    device::Outcome timeEach(std::span<const device::Launch> launches, bool cold) override {
        auto outcome = time(launches.front(), cold, static_cast<int>(launches.size()));
        if (clockMHz) outcome.clockMHz = clockMHz();
        return outcome;
    }

    const device::DeviceFacts& facts() const override { return m_facts; }
    Result<Loaded> load(const device::ModuleImage&, const device::LaunchShape&) override { return Loaded{}; }
    void unload(device::ModuleId) override {}
    Result<device::BufferId> allocate(std::size_t) override { return device::BufferId{1}; }
    void release(device::BufferId) override {}
    Result<void> upload(device::BufferId, std::size_t, std::span<const std::byte>) override { return {}; }
    Result<void> download(device::BufferId, std::size_t, std::span<std::byte>) override { return {}; }
    Result<void> fill(device::BufferId, std::size_t, std::size_t, std::byte) override { return {}; }
    Result<void> copy(device::BufferId, std::size_t, device::BufferId, std::size_t, std::size_t) override { return {}; }
    device::Outcome run(const device::Launch& launch) override { return time(launch, false, 1); }
    std::int64_t foreignBytes() const override { return 0; }

private:
    device::DeviceFacts m_facts;
};

} // namespace ww::test
