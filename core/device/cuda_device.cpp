// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/hash.h"
#include "device/cuda_facts.h"
#include "device/cuda_instruments.h"
#include "device/cuda_textures.h"
#include "device/device.h"
#include "device/symbols.h"

namespace ww::device {
namespace {

/// How long the stream is held back while the host queues a sample.
constexpr std::uint64_t kHoldNs = 20'000, kHoldPerLaunchNs = 6'000, kLongestHoldNs = 1'000'000;
constexpr int kDigestBlocksPerProcessor = 4;

/// What a driver call of a candidate's launch or load means for its trial.
Outcome outcomeOf(const CudaDriver& driver, CUresult result, const std::string& during) {
    Outcome outcome;
    if (result == CUDA_SUCCESS) return outcome;
    outcome.message = during + ": " + driver.describe(result);
    switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY: outcome.status = TrialStatus::OutOfMemory; break;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_SOURCE: outcome.status = TrialStatus::ResourceError; break;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_NOT_FOUND: outcome.status = TrialStatus::LaunchError; break;
    default:
        // Illegal address, assert, misaligned access, ECC, launch timeout, ...: the context does not recover from these.
        outcome.status = result == CUDA_ERROR_LAUNCH_TIMEOUT ? TrialStatus::Timeout : TrialStatus::RuntimeError;
        outcome.sticky = true;
    }
    return outcome;
}

class CudaDevice final : public Device {
public:
    CudaDevice(const CudaDriver& driver, DeviceFacts facts) : m_driver(driver), m_facts(std::move(facts)), m_textures(std::make_unique<CudaTextures>(driver)) {}
    ~CudaDevice() override;

    Result<void> open();

    const DeviceFacts& facts() const override { return m_facts; }
    Result<Loaded> load(const ModuleImage& image, const LaunchShape& shape) override;
    void unload(ModuleId module) override;
    Result<BufferId> allocate(std::size_t bytes) override;
    void release(BufferId buffer) override;
    Result<void> upload(BufferId buffer, std::size_t offset, std::span<const std::byte> bytes) override;
    Result<void> download(BufferId buffer, std::size_t offset, std::span<std::byte> bytes) override;
    Result<void> fill(BufferId buffer, std::size_t offset, std::size_t bytes, std::byte value) override;
    Result<void> copy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset, std::size_t bytes) override;
    Outcome run(const Launch& launch) override;
    Outcome time(const Launch& launch, bool cold, int launches) override {
        return timeEach(std::vector<Launch>(static_cast<std::size_t>(std::max(1, launches)), launch), cold);
    }
    Outcome timeEach(std::span<const Launch> launches, bool cold) override;
    Result<std::uint64_t> digest(BufferId buffer, std::size_t offset, std::size_t bytes) override;
    std::int64_t foreignBytes() const override;

private:
    struct Module {
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        std::int64_t staticShared = 0;
        std::size_t allowedDynamic = 0;
        std::vector<std::pair<std::string, std::string>> symbols;  ///< source name, name in the CUBIN
    };
    struct Buffer {
        CUdeviceptr address = 0;
        std::size_t bytes = 0;
    };

    Result<CUdeviceptr> address(BufferId buffer, std::size_t offset, std::size_t bytes) const;
    CUresult allowShared(Module& module, std::size_t dynamicBytes) const;
    struct BoundSymbol {
        CUdeviceptr variable = 0, buffer = 0;
        std::size_t bytes = 0;
    };
    Outcome bindSymbols(const Launch& launch, std::vector<BoundSymbol>& bound) const;
    Outcome writeSymbols(const Launch& launch) const;
    Outcome readSymbols(const Launch& launch) const;
    Outcome bindTextures(const Launch& launch);
    Outcome writeInputs(const Launch& launch);
    Outcome start(const Launch& launch, int times);
    Result<void> prepareFlush();
    CUresult flush() const;

    const CudaDriver& m_driver;
    std::optional<CudaInstruments> m_instruments;
    DeviceFacts m_facts;
    CUdevice m_device = 0;
    CUcontext m_context = nullptr;
    CUstream m_stream = nullptr;
    CUevent m_begin = nullptr, m_end = nullptr;
    CUdeviceptr m_flush = 0;
    std::size_t m_flushBytes = 0;
    std::unordered_map<ModuleId, Module> m_modules;
    std::map<BufferId, Buffer> m_buffers;
    std::unique_ptr<CudaTextures> m_textures;  ///< goes before the context
    ModuleId m_nextModule = 1;
    BufferId m_nextBuffer = 1;
    std::int64_t m_allocated = 0;
    std::int64_t m_freeAtStart = 0;
};

CudaDevice::~CudaDevice() {
    if (m_context == nullptr) return;
    // Failures here mean a poisoned context; the process ends soon and the driver cleans up.
    m_textures.reset();
    for (auto& [id, module] : m_modules) (void)m_driver.cuModuleUnload_(module.module);
    for (auto& [id, buffer] : m_buffers) (void)m_driver.cuMemFree_(buffer.address);
    m_instruments.reset();
    if (m_flush != 0) (void)m_driver.cuMemFree_(m_flush);
    if (m_begin != nullptr) (void)m_driver.cuEventDestroy_(m_begin);
    if (m_end != nullptr) (void)m_driver.cuEventDestroy_(m_end);
    if (m_stream != nullptr) (void)m_driver.cuStreamDestroy_(m_stream);
    (void)m_driver.cuDevicePrimaryCtxRelease_(m_device);
}

Result<void> CudaDevice::open() {
    WW_CHECK(m_driver.check(m_driver.cuDeviceGet_(&m_device, m_facts.index), "cuDeviceGet"));
    WW_CHECK(m_driver.check(m_driver.cuDevicePrimaryCtxRetain_(&m_context, m_device), "cuDevicePrimaryCtxRetain"));
    WW_CHECK(m_driver.check(m_driver.cuCtxSetCurrent_(m_context), "cuCtxSetCurrent"));
    WW_CHECK(m_driver.check(m_driver.cuStreamCreate_(&m_stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
    WW_CHECK(m_driver.check(m_driver.cuEventCreate_(&m_begin, CU_EVENT_DEFAULT), "cuEventCreate"));
    WW_CHECK(m_driver.check(m_driver.cuEventCreate_(&m_end, CU_EVENT_DEFAULT), "cuEventCreate"));
    WW_CHECK(prepareFlush());
    // No line of the L2 may be kept across a flush. Where the limit cannot be set (MIG, older chips) there is none to keep.
    (void)m_driver.cuCtxSetLimit_(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
    m_instruments.emplace(m_driver);
    m_instruments->open();
    std::size_t free = 0, total = 0;
    WW_CHECK(m_driver.check(m_driver.cuMemGetInfo_(&free, &total), "cuMemGetInfo"));
    m_freeAtStart = static_cast<std::int64_t>(free);
    return {};
}

Result<void> CudaDevice::prepareFlush() {
    // Twice the L2, from the attribute: a fixed size would be too small for the next chip.
    m_flushBytes = static_cast<std::size_t>(std::max<std::int64_t>(2 * m_facts.l2Bytes, std::int64_t{8} << 20));
    return m_driver.check(m_driver.cuMemAlloc_(&m_flush, m_flushBytes), "cuMemAlloc of the flush buffer");
}

CUresult CudaDevice::allowShared(Module& module, std::size_t dynamicBytes) const {
    // Static and dynamic bytes count together against the 48 KiB that need no opting in.
    const auto needed = module.staticShared + static_cast<std::int64_t>(dynamicBytes);
    if (needed < m_facts.sharedPerBlock || dynamicBytes <= module.allowedDynamic) return CUDA_SUCCESS;
    const CUresult result = m_driver.cuFuncSetAttribute_(module.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(dynamicBytes));
    if (result == CUDA_SUCCESS) module.allowedDynamic = dynamicBytes;
    return result;
}

Result<Device::Loaded> CudaDevice::load(const ModuleImage& image, const LaunchShape& shape) {
    Loaded loaded;
    Module module;
    if (const CUresult result = m_driver.cuModuleLoadDataEx_(&module.module, image.bytes.data(), 0, nullptr, nullptr); result != CUDA_SUCCESS) {
        loaded.outcome = outcomeOf(m_driver, result, "loading the module");
        return loaded;
    }
    if (const CUresult result = m_driver.cuModuleGetFunction_(&module.function, module.module, image.entry.c_str()); result != CUDA_SUCCESS) {
        loaded.outcome = outcomeOf(m_driver, result, "finding the entry " + image.entry);
        (void)m_driver.cuModuleUnload_(module.module);
        return loaded;
    }
    const auto read = [&](CUfunction_attribute attribute) {
        int value = -1;
        (void)m_driver.cuFuncGetAttribute_(&value, attribute, module.function);
        return static_cast<std::int64_t>(value);
    };
    loaded.facts.registers = read(CU_FUNC_ATTRIBUTE_NUM_REGS);
    loaded.facts.localBytes = read(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    loaded.facts.staticSharedBytes = read(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    loaded.facts.constantBytes = read(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
    loaded.facts.maxThreadsPerBlock = read(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    module.staticShared = std::max<std::int64_t>(0, loaded.facts.staticSharedBytes);

    const auto threads = static_cast<std::int64_t>(shape.block[0]) * shape.block[1] * shape.block[2];
    if (const CUresult result = allowShared(module, shape.dynamicSharedBytes); result != CUDA_SUCCESS) {
        loaded.outcome.status = TrialStatus::ResourceError;
        loaded.outcome.message = "a block needs " + std::to_string(module.staticShared) + " + " + std::to_string(shape.dynamicSharedBytes) +
                                 " bytes of static and dynamic shared memory; this device allows " + std::to_string(m_facts.sharedPerBlockOptin);
    } else if (threads > loaded.facts.maxThreadsPerBlock) {
        loaded.outcome.status = TrialStatus::ResourceError;
        loaded.outcome.message = "a block of " + std::to_string(threads) + " threads does not fit: with " + std::to_string(loaded.facts.registers) +
                                 " registers per thread and the kernel's launch bounds at most " + std::to_string(loaded.facts.maxThreadsPerBlock) + " are possible";
    } else {
        int blocks = 0;
        const CUresult asked = m_driver.cuOccupancyMaxActiveBlocksPerMultiprocessor_(&blocks, module.function, static_cast<int>(threads), shape.dynamicSharedBytes);
        if (asked == CUDA_SUCCESS) loaded.facts.activeBlocksPerProcessor = blocks;
    }
    if (loaded.outcome.status != TrialStatus::Ok) {
        (void)m_driver.cuModuleUnload_(module.module);
        return loaded;
    }
    loaded.id = m_nextModule++;
    module.symbols = image.symbols;
    m_modules.emplace(loaded.id, std::move(module));
    return loaded;
}

void CudaDevice::unload(ModuleId module) {
    const auto found = m_modules.find(module);
    if (found == m_modules.end()) return;
    (void)m_driver.cuModuleUnload_(found->second.module);
    m_modules.erase(found);
}

Result<BufferId> CudaDevice::allocate(std::size_t bytes) {
    Buffer buffer;
    buffer.bytes = bytes;
    if (bytes > 0) {
        if (const CUresult result = m_driver.cuMemAlloc_(&buffer.address, bytes); result != CUDA_SUCCESS) {
            return fail(ErrorCode::WorkerFailed, "the GPU has no " + std::to_string(bytes >> 20) + " MiB left for a buffer (" + m_driver.describe(result) +
                                                     "); choose a smaller workload or free memory on the device");
        }
    }
    m_allocated += static_cast<std::int64_t>(bytes);
    m_buffers.emplace(m_nextBuffer, buffer);
    return m_nextBuffer++;
}

void CudaDevice::release(BufferId buffer) {
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end()) return;
    m_textures->release(buffer);
    if (found->second.address != 0) (void)m_driver.cuMemFree_(found->second.address);
    m_allocated -= static_cast<std::int64_t>(found->second.bytes);
    m_buffers.erase(found);
}

Result<CUdeviceptr> CudaDevice::address(BufferId buffer, std::size_t offset, std::size_t bytes) const {
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end() || offset > found->second.bytes || bytes > found->second.bytes - offset) {
        return fail(ErrorCode::Internal, "a range outside of buffer " + std::to_string(buffer) + " was asked for");
    }
    return found->second.address + offset;
}

Result<void> CudaDevice::upload(BufferId buffer, std::size_t offset, std::span<const std::byte> bytes) {
    WW_TRY(to, address(buffer, offset, bytes.size()));
    if (bytes.empty()) return {};
    return m_driver.check(m_driver.cuMemcpyHtoD_(to, bytes.data(), bytes.size()), "cuMemcpyHtoD");
}

Result<void> CudaDevice::download(BufferId buffer, std::size_t offset, std::span<std::byte> bytes) {
    WW_TRY(from, address(buffer, offset, bytes.size()));
    if (bytes.empty()) return {};
    return m_driver.check(m_driver.cuMemcpyDtoH_(bytes.data(), from, bytes.size()), "cuMemcpyDtoH");
}

Result<void> CudaDevice::fill(BufferId buffer, std::size_t offset, std::size_t bytes, std::byte value) {
    WW_TRY(to, address(buffer, offset, bytes));
    if (bytes == 0) return {};
    WW_CHECK(m_driver.check(m_driver.cuMemsetD8_(to, std::to_integer<unsigned char>(value), bytes), "cuMemsetD8"));
    return m_driver.check(m_driver.cuCtxSynchronize_(), "cuCtxSynchronize");
}

Result<void> CudaDevice::copy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset, std::size_t bytes) {
    WW_TRY(source, address(from, fromOffset, bytes));
    WW_TRY(target, address(to, toOffset, bytes));
    if (bytes == 0) return {};
    WW_CHECK(m_driver.check(m_driver.cuMemcpyDtoD_(target, source, bytes), "cuMemcpyDtoD"));
    return m_driver.check(m_driver.cuCtxSynchronize_(), "cuCtxSynchronize");
}

Outcome CudaDevice::bindSymbols(const Launch& launch, std::vector<BoundSymbol>& bound) const {
    const auto found = m_modules.find(launch.module);
    if (found == m_modules.end()) return {TrialStatus::LaunchError, "the module is not loaded", false, 0};
    const Module& module = found->second;
    for (const SymbolArgument& argument : launch.symbols) {
        const auto named = std::find_if(module.symbols.begin(), module.symbols.end(), [&](const auto& pair) { return pair.first == argument.name; });
        const std::string& lowered = named != module.symbols.end() ? named->second : argument.name;
        BoundSymbol symbol;
        std::size_t has = 0;
        const CUresult asked = m_driver.cuModuleGetGlobal_(&symbol.variable, &has, module.module, lowered.c_str());
        if (asked == CUDA_ERROR_NOT_FOUND) return {TrialStatus::LaunchError, missingSymbol(argument.name), false, 0};
        if (asked != CUDA_SUCCESS) return outcomeOf(m_driver, asked, "finding the variable " + argument.name);
        if (has < argument.bytes) return {TrialStatus::LaunchError, symbolTooSmall(argument.name, has, argument.bytes), false, 0};
        const auto at = address(argument.buffer, argument.byteOffset, argument.bytes);
        if (!at) return {TrialStatus::LaunchError, at.error().message, false, 0};
        symbol.buffer = *at;
        symbol.bytes = argument.bytes;
        if (argument.bytes > 0) bound.push_back(symbol);
    }
    return {};
}

/// On the stream of the launches, so that these see what was written.
Outcome CudaDevice::writeSymbols(const Launch& launch) const {
    std::vector<BoundSymbol> bound;
    if (auto outcome = bindSymbols(launch, bound); outcome.status != TrialStatus::Ok) return outcome;
    for (const BoundSymbol& symbol : bound) {
        const CUresult result = m_driver.cuMemcpyDtoDAsync_(symbol.variable, symbol.buffer, symbol.bytes, m_stream);
        if (result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "writing the module's variables");
    }
    return {};
}

Outcome CudaDevice::readSymbols(const Launch& launch) const {
    std::vector<BoundSymbol> bound;
    if (auto outcome = bindSymbols(launch, bound); outcome.status != TrialStatus::Ok) return outcome;
    for (const BoundSymbol& symbol : bound) {
        const CUresult result = m_driver.cuMemcpyDtoDAsync_(symbol.buffer, symbol.variable, symbol.bytes, m_stream);
        if (result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "reading the module's variables");
    }
    return outcomeOf(m_driver, m_driver.cuStreamSynchronize_(m_stream), "reading the module's variables");
}

/// On the stream of the launches, as writeSymbols().
Outcome CudaDevice::bindTextures(const Launch& launch) {
    for (const Argument& argument : launch.arguments) {
        const auto* texture = std::get_if<TextureArgument>(&argument);
        if (texture == nullptr) continue;
        const auto texels = address(texture->buffer, texture->byteOffset, texture->texels * texture->texelBytes());
        if (!texels) return {TrialStatus::LaunchError, texels.error().message, false, 0};
        const CUresult result = m_textures->bind(*texture, *texels, m_stream);
        if (result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "making a texture of " + std::to_string(texture->texels) + " texels");
    }
    return {};
}

Outcome CudaDevice::writeInputs(const Launch& launch) {
    if (auto written = writeSymbols(launch); written.status != TrialStatus::Ok) return written;
    return bindTextures(launch);
}

Outcome CudaDevice::start(const Launch& launch, int times) {
    const auto found = m_modules.find(launch.module);
    if (found == m_modules.end()) return {TrialStatus::LaunchError, "the module is not loaded", false, 0};
    Module& module = found->second;
    std::vector<CUdeviceptr> pointers(launch.arguments.size());
    std::vector<ScalarArgument> scalars(launch.arguments.size());
    std::vector<void*> parameters(launch.arguments.size());
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        if (const auto* buffer = std::get_if<BufferArgument>(&launch.arguments[i])) {
            const auto at = address(buffer->buffer, buffer->byteOffset, 0);
            if (!at) return {TrialStatus::LaunchError, at.error().message, false, 0};
            pointers[i] = *at;
            parameters[i] = &pointers[i];
        } else if (const auto* texture = std::get_if<TextureArgument>(&launch.arguments[i])) {
            static_assert(sizeof(CUtexObject) == sizeof(CUdeviceptr));
            pointers[i] = m_textures->find(*texture);
            parameters[i] = &pointers[i];
        } else {
            scalars[i] = std::get<ScalarArgument>(launch.arguments[i]);
            parameters[i] = scalars[i].bytes.data();
        }
    }
    if (const CUresult result = allowShared(module, launch.shape.dynamicSharedBytes); result != CUDA_SUCCESS) {
        return {TrialStatus::ResourceError, "too much dynamic shared memory: " + m_driver.describe(result), false, 0};
    }
    const auto& shape = launch.shape;
    for (int i = 0; i < times; ++i) {
        const CUresult result = m_driver.cuLaunchKernel_(module.function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                                                         shape.block[2], static_cast<unsigned>(shape.dynamicSharedBytes), m_stream, parameters.data(), nullptr);
        if (result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "launching");
    }
    return {};
}

Outcome CudaDevice::run(const Launch& launch) {
    if (auto written = writeInputs(launch); written.status != TrialStatus::Ok) return written;
    if (auto started = start(launch, 1); started.status != TrialStatus::Ok) return started;
    auto outcome = outcomeOf(m_driver, m_driver.cuStreamSynchronize_(m_stream), "running the kernel");
    return outcome.status == TrialStatus::Ok ? readSymbols(launch) : outcome;
}

CUresult CudaDevice::flush() const {
    (void)m_driver.cuCtxResetPersistingL2Cache_();
    const CUresult result = m_driver.cuMemsetD8Async_(m_flush, 0x5a, m_flushBytes, m_stream);
    return result == CUDA_SUCCESS ? m_driver.cuStreamSynchronize_(m_stream) : result;
}

Outcome CudaDevice::timeEach(std::span<const Launch> launches, bool cold) {
    for (const Launch& launch : launches) {
        if (auto written = writeInputs(launch); written.status != TrialStatus::Ok) return written;
    }
    if (cold) {
        if (const CUresult result = flush(); result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "flushing the caches");
    }
    const bool paced = m_instruments->usable();
    if (paced) {
        // While this runs, the host queues events and launches: their latency stays out of the window.
        const std::uint64_t holdNs = std::min<std::uint64_t>(kHoldNs + kHoldPerLaunchNs * launches.size(), kLongestHoldNs);
        if (const CUresult result = m_instruments->pace(m_stream, holdNs); result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "timing");
    }
    if (const CUresult result = m_driver.cuEventRecord_(m_begin, m_stream); result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "timing");
    for (const Launch& launch : launches) {
        if (auto started = start(launch, 1); started.status != TrialStatus::Ok) return started;
    }
    if (const CUresult result = m_driver.cuEventRecord_(m_end, m_stream); result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "timing");
    if (const CUresult result = m_driver.cuEventSynchronize_(m_end); result != CUDA_SUCCESS) return outcomeOf(m_driver, result, "running the kernel");
    float milliseconds = 0;
    if (const CUresult result = m_driver.cuEventElapsedTime_(&milliseconds, m_begin, m_end); result != CUDA_SUCCESS) {
        return outcomeOf(m_driver, result, "reading the timer");
    }
    Outcome outcome;
    const auto count = static_cast<double>(std::max<std::size_t>(launches.size(), 1));
    outcome.timeNs = static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6 / count + 0.5);
    if (paced) outcome.clockMHz = m_instruments->clockMHz();
    return outcome;
}

Result<std::uint64_t> CudaDevice::digest(BufferId buffer, std::size_t offset, std::size_t bytes) {
    WW_TRY(at, address(buffer, offset, bytes));
    const std::uint64_t words = bytes / sizeof(std::uint32_t);
    if (!m_instruments->usable() || words == 0 || at % sizeof(std::uint32_t) != 0) return Device::digest(buffer, offset, bytes);
    const auto body = m_instruments->digest(m_stream, at, words, static_cast<unsigned>(kDigestBlocksPerProcessor * m_facts.processors));
    if (!body) return Device::digest(buffer, offset, bytes);
    const std::size_t tail = bytes % sizeof(std::uint32_t);
    if (tail == 0) return *body;
    WW_TRY(rest, Device::digest(buffer, offset + bytes - tail, tail));
    return digest64({reinterpret_cast<const char*>(&rest), sizeof rest}, *body);
}

std::int64_t CudaDevice::foreignBytes() const {
    std::size_t free = 0, total = 0;
    if (m_driver.cuMemGetInfo_(&free, &total) != CUDA_SUCCESS) return 0;
    return std::max<std::int64_t>(0, m_freeAtStart - static_cast<std::int64_t>(free) - m_allocated - m_textures->bytes());
}

}  // namespace

Result<std::unique_ptr<Device>> makeCudaDevice(int index) {
    WW_TRY(driver, CudaDriver::open());
    int count = 0;
    WW_CHECK((*driver).check(driver->cuDeviceGetCount_(&count), "cuDeviceGetCount"));
    if (index < 0 || index >= count) {
        return fail(ErrorCode::EnvironmentMissing, "there is no CUDA device " + std::to_string(index) + "; this machine has " + std::to_string(count));
    }
    auto device = std::make_unique<CudaDevice>(*driver, readCudaFacts(*driver, index));
    WW_CHECK(device->open());
    return std::unique_ptr<Device>(std::move(device));
}

}  // namespace ww::device
