// SPDX-License-Identifier: Apache-2.0
#include "verify/launch_buffers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/hash.h"
#include "base/rng.h"
#include "verify/inputs.h"

namespace ww::verify {

namespace {

using spec::Access;
using spec::MemoryKind;
using spec::ResolvedArgument;

/// No byte repeats nearby, so that a fill with any constant shows in all but a few bytes.
constexpr std::array<std::byte, LaunchBuffers::kGuardBytes> kGuard = [] {
    std::array<std::byte, LaunchBuffers::kGuardBytes> pattern{};
    for (std::size_t i = 0; i < pattern.size(); ++i)
        pattern[i] = static_cast<std::byte>((i * 151 + 89 + i / 256) & 0xff);
    return pattern;
}();

/// Large buffers are looked at in pieces of this; so many of them where a sample will do.
constexpr std::size_t kStagingBytes = std::size_t{1} << 20;
constexpr std::size_t kSampledPieces = 8;

bool holds(std::span<const std::byte> element, std::byte value) {
    return std::all_of(element.begin(), element.end(), [value](std::byte byte) { return byte == value; });
}

bool isFilled(const ResolvedArgument& argument) noexcept { return argument.access != Access::WriteOnly; }

/// Compares one guard zone; `side` is "before the start" or "after the end".
std::optional<std::string> describeDamage(const std::string& name, std::span<const std::byte> zone, bool before) {
    std::size_t count = 0, first = 0, last = 0;
    for (std::size_t i = 0; i < zone.size(); ++i) {
        if (zone[i] == kGuard[i]) continue;
        if (count++ == 0) first = i;
        last = i;
    }
    if (count == 0) return std::nullopt;
    // Distances are counted from the buffer: -1 is the last byte before it, +0 the first byte after it.
    const std::string place = before ? "-" + std::to_string(zone.size() - last) : "+" + std::to_string(first);
    return name + ": " + std::to_string(count) + (count == 1 ? " byte " : " bytes ") + (before ? "before the start" : "after the end") +
           (count == 1 ? " was" : " were") + " overwritten, " + (before ? "nearest at " : "first at ") + place;
}

device::TextureArgument textureArgument(const ResolvedArgument& argument, device::BufferId buffer) {
    return {buffer, LaunchBuffers::kGuardBytes, argument.elements / static_cast<std::uint64_t>(argument.components),
            argument.type, argument.components, argument.extents, argument.sampling};
}

} // namespace

Result<void> LaunchBuffers::fillSlot(Slot& slot, const ResolvedArgument& argument, std::uint64_t seed, const DataSource& data) {
    // A slot that is filled half way must not pass for a known one.
    slot = Slot{};
    std::span<const std::byte> content;
    if (isFilled(argument)) {
        if (argument.fill == spec::Fill::BinaryRaw) {
            if (!data) return fail(ErrorCode::Internal, "no source for the data file " + argument.dataFile, "argument " + argument.name);
            WW_TRY(given, data(argument));
            content = given;
        }
        slot.filled.resize(argument.bytes());
        WW_CHECK(fillArgument(argument, seed, slot.filled, content));
    }
    slot.argument = argument;
    slot.seed = seed;
    slot.isBuffer = true;
    return {};
}

Result<void> LaunchBuffers::prepareBuffer(std::size_t index, const ResolvedArgument& argument, std::uint64_t seed, const DataSource& data) {
    Slot& slot = m_slots[index];
    const std::size_t bytes = argument.bytes();
    const bool known =
        slot.isBuffer && slot.argument == argument && slot.seed == seed && (slot.filled.size() == bytes || !isFilled(argument));
    if (!known) WW_CHECK(fillSlot(slot, argument, seed, data));
    WW_TRY(buffer, m_pool.take(index, slot.offset() + bytes + kGuardBytes));
    slot.buffer = buffer;
    WW_CHECK(m_device.upload(buffer, slot.offset() - kGuardBytes, kGuard));
    WW_CHECK(m_device.upload(buffer, slot.offset() + bytes, kGuard));
    if (bytes == 0) return {};
    if (isFilled(argument)) return m_device.upload(buffer, slot.offset(), slot.filled);
    return m_device.fill(buffer, slot.offset(), bytes, poisonByte(m_poison));
}

Result<void> LaunchBuffers::prepare(const spec::ResolvedLaunch& launch, std::uint64_t seed, int poison, const DataSource& data) {
    m_launch = launch;
    m_poison = poison;
    m_pristineSaved = false;
    m_slots.resize(launch.arguments.size());
    for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
        const ResolvedArgument& argument = launch.arguments[index];
        if (argument.memory == MemoryKind::Vector || argument.memory == MemoryKind::Symbol || argument.memory == MemoryKind::Texture) {
            WW_CHECK(prepareBuffer(index, argument, seed, data));
        } else if (argument.memory == MemoryKind::Scalar) {
            WW_TRY(scalar, scalarBytes(argument));
            m_slots[index] = Slot{argument, false, scalar, 0, {}, 0, {}};
        } else {
            return fail(ErrorCode::Internal, "a Local argument reached the launch", "argument " + argument.name);
        }
    }
    return {};
}

device::Launch LaunchBuffers::launch(device::ModuleId module) const {
    device::Launch launch;
    launch.module = module;
    launch.shape = device::LaunchShape{m_launch.grid, m_launch.block, static_cast<std::size_t>(m_launch.dynamicSharedBytes)};
    for (const Slot& slot : m_slots) {
        if (slot.argument.memory == MemoryKind::Symbol) {
            launch.symbols.push_back({slot.argument.name, slot.buffer, slot.offset(), static_cast<std::size_t>(slot.argument.bytes())});
            continue;
        }
        if (slot.argument.memory == MemoryKind::Texture) launch.arguments.emplace_back(textureArgument(slot.argument, slot.buffer));
        else if (slot.isBuffer) launch.arguments.emplace_back(device::BufferArgument{slot.buffer, slot.offset()});
        else launch.arguments.emplace_back(slot.scalar);
    }
    return launch;
}

bool LaunchBuffers::hasInOut() const noexcept {
    return std::any_of(m_slots.begin(), m_slots.end(), [](const Slot& slot) {
        return slot.isBuffer && slot.argument.access == Access::ReadWrite && slot.argument.elements > 0;
    });
}

Result<void> LaunchBuffers::savePristine() {
    for (std::size_t index = 0; index < m_slots.size(); ++index) {
        const Slot& slot = m_slots[index];
        if (!slot.isBuffer || slot.argument.access != Access::ReadWrite || slot.filled.empty()) continue;
        WW_TRY(pristine, m_pristine.take(index, slot.filled.size()));
        WW_CHECK(m_device.upload(pristine, 0, slot.filled));
    }
    m_pristineSaved = true;
    return {};
}

Result<void> LaunchBuffers::restore() {
    if (!m_pristineSaved) WW_CHECK(savePristine());
    for (std::size_t index = 0; index < m_slots.size(); ++index) {
        const Slot& slot = m_slots[index];
        if (!slot.isBuffer || slot.argument.access != Access::ReadWrite || slot.filled.empty()) continue;
        WW_TRY(pristine, m_pristine.take(index, slot.filled.size()));
        WW_CHECK(m_device.copy(pristine, 0, slot.buffer, slot.offset(), slot.filled.size()));
    }
    return {};
}

Result<std::vector<std::string>> LaunchBuffers::guardViolations() {
    std::vector<std::string> found;
    std::array<std::byte, kGuardBytes> zone;
    for (const Slot& slot : m_slots) {
        if (!slot.isBuffer) continue;
        for (const bool before : {true, false}) {
            WW_CHECK(m_device.download(slot.buffer, before ? slot.offset() - kGuardBytes : slot.offset() + slot.argument.bytes(), zone));
            if (auto damage = describeDamage(slot.argument.name, zone, before)) found.push_back(std::move(*damage));
        }
    }
    return found;
}

Result<bool> LaunchBuffers::isUnchanged(const Slot& slot, bool whole) {
    m_staging.resize(kStagingBytes);
    const std::size_t size = slot.filled.size(), pieces = (size + kStagingBytes - 1) / kStagingBytes;
    const auto matches = [&](std::size_t piece) -> Result<bool> {
        const std::size_t at = piece * kStagingBytes;
        const auto now = std::span(m_staging).first(std::min(kStagingBytes, size - at));
        WW_CHECK(m_device.download(slot.buffer, slot.offset() + at, now));
        return std::memcmp(now.data(), slot.filled.data() + at, now.size()) == 0;
    };
    const bool all = whole || pieces <= kSampledPieces;
    SplitMix64 random(deriveSeed(slot.seed, nameHash(slot.argument.name)));
    for (std::size_t i = 0; i < (all ? pieces : kSampledPieces); ++i) {
        const std::size_t piece = all || i == 0 ? i : (i == 1 ? pieces - 1 : static_cast<std::size_t>(random.below(pieces)));
        WW_TRY(same, matches(piece));
        if (!same) return false;
    }
    return true;
}

Result<std::vector<std::string>> LaunchBuffers::changedInputs(bool whole) {
    std::vector<std::string> changed;
    for (const Slot& slot : m_slots) {
        if (!slot.isBuffer || slot.argument.access != Access::ReadOnly || slot.argument.output || slot.filled.empty()) continue;
        WW_TRY(unchanged, isUnchanged(slot, whole));
        if (!unchanged) changed.push_back(slot.argument.name);
    }
    return changed;
}

Result<void> LaunchBuffers::rearm(int poison) {
    m_poison = poison;
    if (hasInOut()) WW_CHECK(restore());
    for (const Slot& slot : m_slots) {
        if (!slot.isBuffer || isFilled(slot.argument) || slot.argument.bytes() == 0) continue;
        WW_CHECK(m_device.fill(slot.buffer, slot.offset(), slot.argument.bytes(), poisonByte(poison)));
    }
    return {};
}

Result<std::vector<LaunchBuffers::Difference>> LaunchBuffers::differences() {
    std::vector<Difference> found;
    std::vector<std::byte> now;
    const std::byte poison = poisonByte(m_poison);
    for (const Slot& slot : m_slots) {
        if (!slot.isBuffer || !slot.argument.output || slot.downloaded.empty()) continue;
        now.resize(slot.downloaded.size());
        WW_CHECK(m_device.download(slot.buffer, slot.offset(), now));
        if (std::memcmp(now.data(), slot.downloaded.data(), now.size()) == 0) continue;
        Difference difference{slot.argument.name, 0, 0, 0, spreadBetween(slot.argument.type, slot.downloaded, now)};
        const std::size_t width = sizeOf(slot.argument.type);
        for (std::size_t at = 0; at + width <= now.size(); at += width) {
            if (std::memcmp(now.data() + at, slot.downloaded.data() + at, width) == 0) continue;
            if (difference.elements++ == 0) difference.first = at / width;
            // What still held a poison after the first launch was never written, and is no news.
            const std::span<const std::byte> before = std::span(slot.downloaded).subspan(at, width), element = std::span(now).subspan(at, width);
            const bool written = !holds(before, poisonByte(0)) && !holds(before, poisonByte(1));
            if (written && holds(element, poison)) ++difference.poisoned;
        }
        found.push_back(std::move(difference));
    }
    return found;
}

Result<std::vector<std::span<const std::byte>>> LaunchBuffers::outputs() {
    std::vector<std::span<const std::byte>> views;
    for (Slot& slot : m_slots) {
        if (!slot.isBuffer || !slot.argument.output) continue;
        slot.downloaded.resize(slot.argument.bytes());
        if (!slot.downloaded.empty()) WW_CHECK(m_device.download(slot.buffer, slot.offset(), slot.downloaded));
        views.emplace_back(slot.downloaded);
    }
    return views;
}

std::vector<std::string> LaunchBuffers::unwrittenOutputs() const {
    std::vector<std::string> found;
    const std::byte poison = poisonByte(m_poison);
    for (const Slot& slot : m_slots) {
        if (!slot.isBuffer || slot.argument.access != Access::WriteOnly || m_launch.empty) continue;
        const std::size_t width = sizeOf(slot.argument.type);
        std::uint64_t count = 0, first = 0;
        for (std::size_t at = 0; at + width <= slot.downloaded.size(); at += width) {
            const auto element = std::span(slot.downloaded).subspan(at, width);
            if (!holds(element, poison)) continue;
            if (count++ == 0) first = at / width;
        }
        if (count == 0) continue;
        found.push_back(slot.argument.name + ": " + std::to_string(count) + " of " + std::to_string(slot.argument.elements) +
                        (count == 1 ? " elements still holds" : " elements still hold") + " the poison, first at [" +
                        std::to_string(first) + "]");
    }
    return found;
}

} // namespace ww::verify
