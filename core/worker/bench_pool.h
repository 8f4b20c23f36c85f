// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/device.h"
#include "spec/spec.h"
#include "verify/launch_buffers.h"

namespace ww::worker {

/// The buffers that one list of arguments is timed on. Some sets hold input values and are never handed to a kernel; others are
/// worked on, and get the values copied in before each launch, other ones each time, while their outputs are poisoned. So no
/// launch can live on an earlier one, by address or by contents. Kept between trials. One thread: the device worker's.
class BenchPool {
public:
    explicit BenchPool(device::Device& device) : m_device(device) {}

    /// Errors: those of LaunchBuffers::prepare().
    [[nodiscard]] Result<void> open(const spec::ResolvedLaunch& launch, std::uint64_t seed, const verify::DataSource& data);
    [[nodiscard]] bool holds(const spec::ResolvedLaunch& launch, std::uint64_t seed) const {
        return m_seed == seed && m_resolved.arguments == launch.arguments;
    }

    /// Makes sets to work on, up to `wanted` and as memory allows; returns how many launches can be in flight.
    [[nodiscard]] Result<int> reserve(int wanted, const verify::DataSource& data);
    /// From now on nothing that was copied in before is relied upon.
    void distrust() { m_trusted.assign(m_work.size(), false); }
    /// The arguments of launch number `serial`, with its values in place.
    [[nodiscard]] Result<void> prepare(int serial, device::Launch& launch);

    /// Which values launch `serial` works on.
    [[nodiscard]] int valueOf(int serial) const noexcept;
    /// Digest of the outputs before a launch on these values; known once prepare() has served them.
    [[nodiscard]] std::uint64_t digestBefore(int value) const { return m_before.at(static_cast<std::size_t>(value)).value_or(0); }
    [[nodiscard]] Result<std::uint64_t> digestAfter(int serial);
    /// False where no output can be looked at: they all are variables of the module.
    [[nodiscard]] bool hasOutputs() const noexcept;

private:
    struct Place {
        device::BufferId buffer = 0;
        std::size_t offset = 0, bytes = 0;
        bool ofLaunch = false;          ///< an argument rather than a variable
    };
    /// Places by argument; a Place of no bytes for a scalar.
    struct Set {
        std::unique_ptr<verify::LaunchBuffers> buffers;
        device::Launch launch;
        std::vector<Place> places;
    };
    [[nodiscard]] Result<Set> makeSet(std::uint64_t seed, const verify::DataSource& data) const;
    [[nodiscard]] Result<std::uint64_t> digestOutputs(const Set& set) const;
    [[nodiscard]] Result<std::uint64_t> digestOf(const Place& place) const;
    [[nodiscard]] std::uint64_t bytesPerSet() const noexcept;
    [[nodiscard]] std::uint64_t bytesAllowed() const noexcept;
    [[nodiscard]] Result<void> findVarying();
    [[nodiscard]] const Set& workOf(int serial) const { return m_work[static_cast<std::size_t>(serial) % m_work.size()]; }

    device::Device& m_device;
    spec::ResolvedLaunch m_resolved;
    std::uint64_t m_seed = 0;
    std::vector<Set> m_values, m_work;
    std::vector<bool> m_varies;         ///< by argument: the values differ, so they are copied each time
    std::vector<bool> m_trusted;        ///< by work set: inputs that do not vary are in place
    std::vector<std::optional<std::uint64_t>> m_before;  ///< by value
};

}  // namespace ww::worker
