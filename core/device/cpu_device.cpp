// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <unistd.h>
#include <unordered_map>

#include "base/units.h"
#include "device/cpu_fault.h"
#include "device/cpu_memory.h"
#include "device/cpu_module.h"
#include "device/cpu_pool.h"
#include "device/device.h"
#include "device/symbols.h"

namespace ww::device {

namespace {

constexpr std::uint64_t kMaxChunk = 64;       // blocks an OS thread takes at a time at most
constexpr std::uint64_t kChunksPerCore = 16;  // enough to even out blocks of different length

Outcome refused(TrialStatus status, std::string message) {
    return {.status = status, .message = std::move(message)};
}

std::string shapeText(const std::array<std::uint32_t, 3>& v) {
    return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) + ")";
}

std::int64_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    std::int64_t pages = 0, resident = 0;
    file >> pages >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

/// What the module reads a texture through.
WwTexture textureOver(const TextureArgument& argument, const std::byte* texels) {
    const TextureSampling& sampling = argument.sampling;
    WwTexture texture{};
    texture.mark = WW_TEXTURE_MARK;
    texture.texels = texels;
    texture.texelCount = argument.texels;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        texture.dimensions += argument.extents[axis] > 0 ? 1 : 0;
        texture.extents[axis] = std::max(1U, argument.extents[axis]);
    }
    texture.kind = isFloating(argument.type) ? WwTexelFloat : isSigned(argument.type) ? WwTexelSigned : WwTexelUnsigned;
    texture.bytes = static_cast<int>(sizeOf(argument.type));
    texture.components = argument.components;
    texture.linear = sampling.filter == TextureFilter::Linear ? 1 : 0;
    switch (sampling.address) {
    case TextureAddress::Clamp: texture.address = WwClamp; break;
    case TextureAddress::Wrap: texture.address = WwWrap; break;
    case TextureAddress::Mirror: texture.address = WwMirror; break;
    case TextureAddress::Border: texture.address = WwBorder; break;
    }
    texture.normalized = sampling.normalized ? 1 : 0;
    texture.normalizedRead = sampling.read == TextureRead::NormalizedFloat ? 1 : 0;
    return texture;
}

/// The buffer behind an argument; nullptr for a scalar.
const BufferId* bufferOf(const Argument& argument) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) return &buffer->buffer;
    if (const auto* texture = std::get_if<TextureArgument>(&argument)) return &texture->buffer;
    return nullptr;
}

class CpuDevice final : public Device {
public:
    CpuDevice(DeviceFacts facts, int cores)
        : m_facts(std::move(facts)), m_pool(cores, static_cast<std::size_t>(m_facts.sharedPerBlockOptin + 4095) / 4096 * 4096),
          m_residentAtStart(residentBytes()) {}

    const DeviceFacts& facts() const override { return m_facts; }

    Result<Loaded> load(const ModuleImage& image, const LaunchShape& shape) override {
        Loaded loaded;
        auto opened = CpuModule::open(image.bytes, image.entry, BlockRunner::runtime());
        if (!opened) {
            loaded.outcome = refused(TrialStatus::ResourceError, opened.error().toString());
            return loaded;
        }
        loaded.facts.staticSharedBytes = opened->staticSharedBytes();
        loaded.facts.maxThreadsPerBlock = m_facts.maxThreadsPerBlock;
        loaded.facts.usesBarrier = opened->usesSync();
        loaded.outcome = checkShape(shape, *opened);
        loaded.facts.activeBlocksPerProcessor = loaded.outcome.status == TrialStatus::Ok ? 1 : 0;
        if (loaded.outcome.status == TrialStatus::ResourceError) return loaded;
        loaded.outcome = {};  // a wrong launch shape is the launch's failure, not the load's
        loaded.id = m_nextModule++;
        m_modules.emplace(loaded.id, *std::move(opened));
        return loaded;
    }

    void unload(ModuleId module) override { m_modules.erase(module); }

    Result<BufferId> allocate(std::size_t bytes) override { return m_memory.allocate(bytes); }
    void release(BufferId buffer) override { m_memory.release(buffer); }

    Result<void> upload(BufferId buffer, std::size_t offset, std::span<const std::byte> bytes) override {
        WW_TRY(target, m_memory.range(buffer, offset, bytes.size()));
        if (!bytes.empty()) std::memcpy(target.data(), bytes.data(), bytes.size());
        return {};
    }

    Result<void> download(BufferId buffer, std::size_t offset, std::span<std::byte> bytes) override {
        WW_TRY(source, m_memory.range(buffer, offset, bytes.size()));
        if (!bytes.empty()) std::memcpy(bytes.data(), source.data(), bytes.size());
        return {};
    }

    Result<void> fill(BufferId buffer, std::size_t offset, std::size_t bytes, std::byte value) override {
        WW_TRY(target, m_memory.range(buffer, offset, bytes));
        if (bytes > 0) std::memset(target.data(), static_cast<int>(value), bytes);
        return {};
    }

    Result<void> copy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset, std::size_t bytes) override {
        WW_TRY(source, m_memory.range(from, fromOffset, bytes));
        WW_TRY(target, m_memory.range(to, toOffset, bytes));
        if (bytes > 0) std::memmove(target.data(), source.data(), bytes);
        return {};
    }

    Outcome run(const Launch& launch) override {
        Outcome outcome = launchMany(launch, false, 1, true);
        if (outcome.status == TrialStatus::Ok) copySymbols(launch, m_modules.at(launch.module), SymbolCopy::FromModule);
        return outcome;
    }
    Outcome time(const Launch& launch, bool cold, int launches) override { return launchMany(launch, cold, std::max(1, launches), false); }

    std::int64_t foreignBytes() const override {
        return std::max<std::int64_t>(0, residentBytes() - m_residentAtStart - m_memory.allocatedBytes());
    }

    std::string takePrinted() override { return std::exchange(m_printed, {}); }

private:
    Outcome checkShape(const LaunchShape& shape, const CpuModule& module) const;
    Outcome bindArguments(const Launch& launch, const CpuModule& module);
    Outcome checkSymbols(const Launch& launch, const CpuModule& module) const;
    enum class SymbolCopy { ToModule, FromModule };
    void copySymbols(const Launch& launch, const CpuModule& module, SymbolCopy direction) const;
    Outcome launchMany(const Launch& launch, bool cold, int launches, bool checked);
    Outcome launchOnce(const Launch& launch, const CpuModule& module, bool checked);
    void flushBuffers(const Launch& launch);

    DeviceFacts m_facts;
    CpuMemory m_memory;
    SignalStack m_signalStack;
    CpuPool m_pool;
    std::unordered_map<ModuleId, CpuModule> m_modules;
    ModuleId m_nextModule = 1;
    std::int64_t m_residentAtStart;
    std::string m_printed;

    // Arguments of the launch in progress: storage, and the pointers the module reads them through.
    std::vector<std::array<std::byte, 16>> m_values;
    std::vector<void*> m_pointers;
    std::vector<WwTexture> m_textures;
};

/// The limits a GPU would check, in the driver's words.
Outcome CpuDevice::checkShape(const LaunchShape& shape, const CpuModule& module) const {
    const std::array<std::int64_t, 3> maxBlock{m_facts.maxBlockX, m_facts.maxBlockY, m_facts.maxBlockZ};
    const std::array<std::int64_t, 3> maxGrid{m_facts.maxGridX, m_facts.maxGridY, m_facts.maxGridZ};
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        if (shape.block[i] == 0 || shape.grid[i] == 0) {
            return refused(TrialStatus::LaunchError, "invalid configuration argument: grid " + shapeText(shape.grid) + " and block " +
                                                         shapeText(shape.block) + " must not be zero anywhere");
        }
        if (shape.block[i] > maxBlock[i] || shape.grid[i] > maxGrid[i]) {
            return refused(TrialStatus::LaunchError, "invalid configuration argument: grid " + shapeText(shape.grid) + ", block " +
                                                         shapeText(shape.block) + "; at most " + std::to_string(maxGrid[i]) +
                                                         " blocks and " + std::to_string(maxBlock[i]) + " threads along " +
                                                         "xyz"[i]);
        }
        threads *= shape.block[i];
    }
    if (threads > m_facts.maxThreadsPerBlock) {
        return refused(TrialStatus::LaunchError, "invalid configuration argument: a block of " + shapeText(shape.block) + " has " +
                                                     std::to_string(threads) + " threads; the limit is " +
                                                     std::to_string(m_facts.maxThreadsPerBlock));
    }
    const std::int64_t shared = module.staticSharedBytes() + static_cast<std::int64_t>(shape.dynamicSharedBytes);
    if (shape.dynamicSharedBytes > std::size_t{1} << 40 || shared > m_facts.sharedPerBlockOptin) {
        return refused(TrialStatus::ResourceError,
                       "too much shared memory for a block: " + std::to_string(module.staticSharedBytes()) + " bytes static and " +
                           std::to_string(shape.dynamicSharedBytes) + " dynamic; the limit is " +
                           std::to_string(m_facts.sharedPerBlockOptin));
    }
    return {};
}

Outcome CpuDevice::bindArguments(const Launch& launch, const CpuModule& module) {
    const WwModule& entry = module.entry();
    if (launch.arguments.size() != static_cast<std::size_t>(entry.argumentCount)) {
        return refused(TrialStatus::LaunchError, "the kernel takes " + std::to_string(entry.argumentCount) + " arguments, the spec gives " +
                                                     std::to_string(launch.arguments.size()));
    }
    m_values.assign(launch.arguments.size(), {});
    m_pointers.assign(launch.arguments.size(), nullptr);
    m_textures.assign(launch.arguments.size(), {});
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        std::size_t size = sizeof(void*);
        if (const auto* scalar = std::get_if<ScalarArgument>(&launch.arguments[i])) {
            m_values[i] = scalar->bytes;
            size = scalar->size;
        } else if (const auto* texture = std::get_if<TextureArgument>(&launch.arguments[i])) {
            const auto texels = m_memory.range(texture->buffer, texture->byteOffset, texture->texels * texture->texelBytes());
            if (!texels) return refused(TrialStatus::LaunchError, texels.error().message);
            m_textures[i] = textureOver(*texture, texels->data());
            const WwTexture* const address = &m_textures[i];
            std::memcpy(m_values[i].data(), &address, sizeof address);
        } else {
            const auto& where = std::get<BufferArgument>(launch.arguments[i]);
            const auto whole = m_memory.whole(where.buffer);
            std::byte* const address = whole.data() + where.byteOffset;
            std::memcpy(m_values[i].data(), &address, sizeof address);
        }
        if (size != entry.argumentBytes[i]) {
            return refused(TrialStatus::LaunchError, "argument " + std::to_string(i + 1) + " of the kernel has " +
                                                         std::to_string(entry.argumentBytes[i]) + " bytes, the spec gives " +
                                                         std::to_string(size));
        }
        m_pointers[i] = m_values[i].data();
    }
    return {};
}

Outcome CpuDevice::checkSymbols(const Launch& launch, const CpuModule& module) const {
    for (const SymbolArgument& argument : launch.symbols) {
        const WwSymbol* symbol = module.findSymbol(argument.name);
        if (symbol == nullptr) return refused(TrialStatus::LaunchError, missingSymbol(argument.name));
        if (symbol->bytes < argument.bytes) return refused(TrialStatus::LaunchError, symbolTooSmall(argument.name, symbol->bytes, argument.bytes));
        if (auto range = m_memory.range(argument.buffer, argument.byteOffset, argument.bytes); !range) {
            return refused(TrialStatus::LaunchError, range.error().message);
        }
    }
    return {};
}

void CpuDevice::copySymbols(const Launch& launch, const CpuModule& module, SymbolCopy direction) const {
    for (const SymbolArgument& argument : launch.symbols) {
        void* const variable = module.findSymbol(argument.name)->address;
        std::byte* const buffer = m_memory.whole(argument.buffer).data() + argument.byteOffset;
        if (argument.bytes == 0) continue;
        if (direction == SymbolCopy::ToModule) std::memcpy(variable, buffer, argument.bytes);
        else std::memcpy(buffer, variable, argument.bytes);
    }
}

Outcome CpuDevice::launchOnce(const Launch& launch, const CpuModule& module, bool checked) {
    CpuLaunch work;
    work.module = &module.entry();
    work.arguments = m_pointers.data();
    work.grid = launch.shape.grid;
    work.block = launch.shape.block;
    work.fibers = module.usesSync();
    work.checked = checked ? &module : nullptr;
    work.dynamicSharedBytes = launch.shape.dynamicSharedBytes;
    work.blocks = std::uint64_t{work.grid[0]} * work.grid[1] * work.grid[2];
    work.chunk = std::clamp<std::uint64_t>(work.blocks / (static_cast<std::uint64_t>(m_pool.size()) * kChunksPerCore), 1, kMaxChunk);
    const std::int64_t start = monotonicNs();
    m_pool.run(work);
    Outcome outcome{.status = work.status, .message = std::move(work.message)};
    outcome.timeNs = monotonicNs() - start;
    if (work.printsDropped > 0) {
        work.printed += "\n[" + std::to_string(work.printsDropped) + " more lines were printed and dropped]\n";
    }
    if (m_printed.size() < kPrintBytes) m_printed += work.printed;
    return outcome;
}

/// Cold means that no line of the launch's buffers is in any cache of any core. Flushing exactly those lines is faster and
/// surer than walking a large buffer: last-level caches of servers have hundreds of megabytes.
void CpuDevice::flushBuffers(const Launch& launch) {
    m_pool.forAll([&](int part) {
        for (const Argument& argument : launch.arguments) {
            const BufferId* const buffer = bufferOf(argument);
            if (buffer == nullptr) continue;
            const auto whole = m_memory.whole(*buffer);
            const std::size_t share = whole.size() / static_cast<std::size_t>(m_pool.size()) + 64;
            const std::size_t first = std::min(whole.size(), share * static_cast<std::size_t>(part));
            flushFromCaches(whole.subspan(first, std::min(share, whole.size() - first)));
        }
    });
}

Outcome CpuDevice::launchMany(const Launch& launch, bool cold, int launches, bool checked) {
    const auto found = m_modules.find(launch.module);
    if (found == m_modules.end()) return refused(TrialStatus::LaunchError, "the module is not loaded");
    const CpuModule& module = found->second;
    if (Outcome outcome = checkShape(launch.shape, module); outcome.status != TrialStatus::Ok) return outcome;
    if (Outcome outcome = bindArguments(launch, module); outcome.status != TrialStatus::Ok) return outcome;
    if (Outcome outcome = checkSymbols(launch, module); outcome.status != TrialStatus::Ok) return outcome;
    const std::uint32_t threads = launch.shape.block[0] * launch.shape.block[1] * launch.shape.block[2];
    if (!m_pool.reserve(module.usesSync() ? threads : 0)) {
        return refused(TrialStatus::OutOfMemory, "out of memory: no stacks for " + std::to_string(threads) + " threads a block");
    }
    std::int64_t total = 0;
    for (int i = 0; i < launches; ++i) {
        copySymbols(launch, module, SymbolCopy::ToModule);
        if (cold) flushBuffers(launch);
        Outcome outcome = launchOnce(launch, module, checked);
        total += outcome.timeNs;
        if (outcome.status != TrialStatus::Ok) return outcome;
    }
    Outcome outcome;
    outcome.timeNs = total / launches;
    return outcome;
}

}  // namespace

Result<std::unique_ptr<Device>> makeCpuDevice(int cores) {
    if (cores < 1 || cores > 4096) {
        return fail(ErrorCode::InvalidArgument, "the CPU device needs between 1 and 4096 cores, not " + std::to_string(cores));
    }
    installFaultHandlers();
    return std::unique_ptr<Device>(std::make_unique<CpuDevice>(cpuFacts(), cores));
}

}  // namespace ww::device
