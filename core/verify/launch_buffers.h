// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "spec/spec.h"
#include "verify/buffer_pool.h"
#include "verify/compare.h"

namespace ww::verify {

/// Gives the content of a BinaryRaw argument's file; the bytes must live until prepare() returns.
using DataSource = std::function<Result<std::span<const std::byte>>(const spec::ResolvedArgument& argument)>;

/// The byte that poisons outputs: pattern 0 is NaN in every float type, pattern 1 a large negative number. A kernel that
/// leaves an element alone, or adds to it, cannot be right under both.
[[nodiscard]] constexpr std::byte poisonByte(int pattern) noexcept { return pattern == 0 ? std::byte{0xff} : std::byte{0xcb}; }

/// The device buffers of one launch (for a Symbol argument the buffer that its variable is filled from and read back to): inputs
/// filled from the seed, outputs poisoned, a guard zone before and after each, so that a write outside is seen and lands in nobody
/// else's data. Kept between runs. One thread: the device worker's.
/// Do not touch it again after a sticky Outcome other than by destroying it.
class LaunchBuffers {
public:
    /// Bytes of each guard zone; a multiple of the 256 bytes that device allocations are aligned to.
    static constexpr std::size_t kGuardBytes = 1024;

    explicit LaunchBuffers(device::Device& device) : m_device(device), m_pool(device), m_pristine(device) {}

    /// Errors: those of fillArgument() and scalarBytes(), of the device's memory, Internal.
    [[nodiscard]] Result<void> prepare(const spec::ResolvedLaunch& launch, std::uint64_t seed, int poison, const DataSource& data = {});

    /// The launch of `module` on these buffers; valid until the next prepare().
    [[nodiscard]] device::Launch launch(device::ModuleId module) const;

    /// True when an argument is changed in place, so that restore() is needed before each launch.
    [[nodiscard]] bool hasInOut() const noexcept;
    /// Puts the ReadWrite buffers back to what prepare() made of them, by a copy on the device.
    [[nodiscard]] Result<void> restore();

    /// Makes the buffers ready for another launch on the same inputs: restore(), and outputs poisoned with this pattern.
    [[nodiscard]] Result<void> rearm(int poison);

    /// One sentence per damaged guard zone: "y: 12 bytes after the end were overwritten, first at +4".
    [[nodiscard]] Result<std::vector<std::string>> guardViolations();
    /// Names of ReadOnly buffers whose contents are no longer those of prepare(). Of large ones only the ends and some places
    /// between, other ones for each seed, unless `whole`.
    [[nodiscard]] Result<std::vector<std::string>> changedInputs(bool whole = true);
    /// Bytes of each output argument in order; views into this object, valid until the next call or prepare().
    [[nodiscard]] Result<std::vector<std::span<const std::byte>>> outputs();
    /// "y: 3 of 1024 elements still hold the poison, first at [1021]", from the last outputs(). An integer output may hold
    /// that value rightly; only the comparison with the reference decides.
    [[nodiscard]] std::vector<std::string> unwrittenOutputs() const;

    /// How an output on the device differs from that of the last outputs(): NaN equals NaN of the same bits.
    struct Difference {
        std::string name;
        std::uint64_t elements = 0; ///< that differ
        std::uint64_t first = 0;    ///< index of the first
        std::uint64_t poisoned = 0; ///< of these: written before, and now holding the poison of the last rearm()
        Spread spread;              ///< against the earlier output
    };
    /// One entry per output that differs.
    [[nodiscard]] Result<std::vector<Difference>> differences();

private:
    struct Slot {
        spec::ResolvedArgument argument;
        bool isBuffer = false;
        device::ScalarArgument scalar;
        device::BufferId buffer = 0;
        std::vector<std::byte> filled; ///< what prepare() uploaded; empty for poisoned outputs
        std::uint64_t seed = 0;
        std::vector<std::byte> downloaded;
        [[nodiscard]] std::size_t offset() const noexcept { return kGuardBytes + argument.alignment; } ///< of the data in the buffer
    };

    [[nodiscard]] Result<void> prepareBuffer(std::size_t index, const spec::ResolvedArgument& argument, std::uint64_t seed,
                                             const DataSource& data);
    [[nodiscard]] static Result<void> fillSlot(Slot& slot, const spec::ResolvedArgument& argument, std::uint64_t seed,
                                               const DataSource& data);
    [[nodiscard]] Result<void> savePristine();
    [[nodiscard]] Result<bool> isUnchanged(const Slot& slot, bool whole);

    device::Device& m_device;
    BufferPool m_pool, m_pristine;
    std::vector<Slot> m_slots;
    spec::ResolvedLaunch m_launch;
    int m_poison = 0;
    bool m_pristineSaved = false;
    std::vector<std::byte> m_staging; ///< for reads that are only looked at
};

} // namespace ww::verify
