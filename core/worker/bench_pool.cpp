// SPDX-License-Identifier: Apache-2.0
#include "worker/bench_pool.h"

#include <algorithm>

#include "base/rng.h"

namespace ww::worker {
namespace {

using spec::Access;
using spec::MemoryKind;

constexpr int kManyValues = 3, kFewValues = 2;
constexpr int kFirstWork = 3;
constexpr std::uint64_t kBytesOnCpu = std::uint64_t{256} << 20, kBytesOnGpu = std::uint64_t{4} << 30;
constexpr std::uint64_t kShareOfGpu = 8;        ///< of its memory at most
/// Larger outputs are looked at in places.
constexpr std::size_t kWholeDigest = std::size_t{64} << 20;
constexpr std::size_t kDigestChunk = std::size_t{64} << 10, kDigestChunks = 64;

}  // namespace

std::uint64_t BenchPool::bytesPerSet() const noexcept {
    std::uint64_t total = 0;
    for (const auto& argument : m_resolved.arguments) {
        if (argument.memory != MemoryKind::Scalar) total += argument.bytes();
    }
    return std::max<std::uint64_t>(total, 1);
}

std::uint64_t BenchPool::bytesAllowed() const noexcept {
    const auto& facts = m_device.facts();
    if (facts.kind == device::DeviceKind::Cpu) return kBytesOnCpu;
    return std::min(kBytesOnGpu, static_cast<std::uint64_t>(std::max<std::int64_t>(facts.memoryBytes, 0)) / kShareOfGpu);
}

Result<BenchPool::Set> BenchPool::makeSet(std::uint64_t seed, const verify::DataSource& data) const {
    Set set;
    set.buffers = std::make_unique<verify::LaunchBuffers>(m_device);
    WW_CHECK(set.buffers->prepare(m_resolved, seed, 0, data));
    set.launch = set.buffers->launch(0);
    std::size_t nextArgument = 0, nextSymbol = 0;
    for (const auto& argument : m_resolved.arguments) {
        Place place;
        if (argument.memory == MemoryKind::Symbol) {
            const auto& symbol = set.launch.symbols.at(nextSymbol++);
            place = {symbol.buffer, symbol.byteOffset, symbol.bytes, false};
        } else {
            const auto& given = set.launch.arguments.at(nextArgument++);
            if (const auto* buffer = std::get_if<device::BufferArgument>(&given)) {
                place = {buffer->buffer, buffer->byteOffset, static_cast<std::size_t>(argument.bytes()), true};
            } else if (const auto* texture = std::get_if<device::TextureArgument>(&given)) {
                place = {texture->buffer, texture->byteOffset, static_cast<std::size_t>(argument.bytes()), true};
            }
        }
        set.places.push_back(place);
    }
    return set;
}

Result<void> BenchPool::open(const spec::ResolvedLaunch& launch, std::uint64_t seed, const verify::DataSource& data) {
    m_values.clear();
    m_work.clear();
    m_resolved = launch;
    m_seed = seed;
    const int values = (kManyValues + kFirstWork) * bytesPerSet() <= bytesAllowed() ? kManyValues : kFewValues;
    for (int value = 0; value < values; ++value) {
        WW_TRY(set, makeSet(deriveSeed(seed, static_cast<std::uint64_t>(value)), data));
        m_values.push_back(std::move(set));
    }
    m_before.assign(m_values.size(), std::nullopt);
    WW_CHECK(findVarying());
    WW_CHECK(reserve(kFirstWork, data));
    return {};
}

Result<void> BenchPool::findVarying() {
    m_varies.assign(m_resolved.arguments.size(), false);
    for (std::size_t i = 0; i < m_varies.size(); ++i) {
        const auto& argument = m_resolved.arguments[i];
        if (argument.access == Access::WriteOnly || m_values.front().places[i].bytes == 0) continue;
        WW_TRY(first, digestOf(m_values.front().places[i]));
        for (std::size_t value = 1; value < m_values.size() && !m_varies[i]; ++value) {
            WW_TRY(other, digestOf(m_values[value].places[i]));
            m_varies[i] = other != first;
        }
    }
    return {};
}

Result<int> BenchPool::reserve(int wanted, const verify::DataSource& data) {
    const std::uint64_t room = bytesAllowed() / bytesPerSet();
    const std::uint64_t forWork = room > m_values.size() ? room - m_values.size() : 1;
    const auto count = static_cast<std::size_t>(std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(wanted, 1)), 1, forWork));
    while (m_work.size() < count) {
        auto set = makeSet(deriveSeed(m_seed, 0), data);
        if (!set) {
            if (m_work.empty()) return Unexpected{std::move(set).error()};
            break;  // the device is fuller than its size tells: fewer will do
        }
        m_work.push_back(std::move(*set));
        m_trusted.push_back(false);
    }
    const bool ofModule = std::ranges::any_of(m_resolved.arguments, [](const auto& argument) { return argument.memory == MemoryKind::Symbol; });
    return ofModule ? 1 : static_cast<int>(std::min(m_work.size(), count));
}

int BenchPool::valueOf(int serial) const noexcept {
    // One further each time round, so that a set never has the values again that it had before.
    const auto number = static_cast<std::size_t>(serial);
    return static_cast<int>((number + number / m_work.size()) % m_values.size());
}

Result<void> BenchPool::prepare(int serial, device::Launch& launch) {
    const std::size_t at = static_cast<std::size_t>(serial) % m_work.size();
    const auto value = static_cast<std::size_t>(valueOf(serial));
    const Set& work = m_work[at];
    const Set& source = m_values[value];
    for (std::size_t i = 0; i < work.places.size(); ++i) {
        const auto& argument = m_resolved.arguments[i];
        const Place& to = work.places[i];
        if (to.bytes == 0) continue;
        if (argument.access == Access::WriteOnly) {
            WW_CHECK(m_device.fill(to.buffer, to.offset, to.bytes, verify::poisonByte(0)));
        } else if (m_varies[i] || argument.access == Access::ReadWrite || !m_trusted[at]) {
            WW_CHECK(m_device.copy(source.places[i].buffer, source.places[i].offset, to.buffer, to.offset, to.bytes));
        }
    }
    m_trusted[at] = true;
    launch.arguments = work.launch.arguments;
    launch.symbols = work.launch.symbols;
    if (!m_before[value] && hasOutputs()) {
        WW_TRY(before, digestOutputs(work));
        m_before[value] = before;
    }
    return {};
}

bool BenchPool::hasOutputs() const noexcept {
    for (std::size_t i = 0; i < m_resolved.arguments.size(); ++i) {
        const Place& place = m_values.front().places[i];
        if (m_resolved.arguments[i].output && place.ofLaunch && place.bytes > 0) return true;
    }
    return false;
}

Result<std::uint64_t> BenchPool::digestOf(const Place& place) const {
    if (place.bytes <= kWholeDigest) return m_device.digest(place.buffer, place.offset, place.bytes);
    std::uint64_t digest = 0;
    const std::size_t step = (place.bytes - kDigestChunk) / (kDigestChunks - 1) / 256 * 256;
    for (std::size_t chunk = 0; chunk < kDigestChunks; ++chunk) {
        WW_TRY(part, m_device.digest(place.buffer, place.offset + chunk * step, kDigestChunk));
        digest = deriveSeed(digest, part);
    }
    return digest;
}

Result<std::uint64_t> BenchPool::digestOutputs(const Set& set) const {
    std::uint64_t digest = 0;
    for (std::size_t i = 0; i < set.places.size(); ++i) {
        if (!m_resolved.arguments[i].output || !set.places[i].ofLaunch || set.places[i].bytes == 0) continue;
        WW_TRY(part, digestOf(set.places[i]));
        digest = deriveSeed(digest, part);
    }
    return digest;
}

Result<std::uint64_t> BenchPool::digestAfter(int serial) { return digestOutputs(workOf(serial)); }

}  // namespace ww::worker
