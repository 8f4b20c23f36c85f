// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"
#include "base/texture.h"
#include "base/trial_status.h"
#include "device/device_facts.h"

namespace ww::device {

using ModuleId = std::uint32_t;
using BufferId = std::uint32_t;

/// A compiled kernel: a CUBIN, or a shared object made by the CPU front end.
struct ModuleImage {
    std::vector<std::byte> bytes;
    std::string entry;          ///< lowered name of the entry in the CUBIN; for the CPU the launcher symbol
    std::vector<std::pair<std::string, std::string>> symbols{};  ///< variables by their name in the source, with that in the object
};

/// Attributes the device reports for a loaded entry. -1 where the device has no such figure.
struct FunctionFacts {
    std::int64_t registers = -1;        ///< per thread
    std::int64_t localBytes = -1;       ///< per thread: spills and stack
    std::int64_t staticSharedBytes = -1;
    std::int64_t constantBytes = -1;
    std::int64_t maxThreadsPerBlock = -1;
    std::int64_t activeBlocksPerProcessor = -1;  ///< at the launch shape asked for; 0 = cannot launch
    bool usesBarrier = false;           ///< CPU device: fibers are needed
};

/// A buffer argument (address = base of the buffer + byteOffset) or a scalar of up to 16 bytes.
struct BufferArgument {
    BufferId buffer = 0;
    std::size_t byteOffset = 0;
};
struct ScalarArgument {
    std::array<std::byte, 16> bytes{};
    std::size_t size = 0;
};
/// A texture object over the texels of a buffer: each launch starts with what the buffer holds then.
struct TextureArgument {
    BufferId buffer = 0;
    std::size_t byteOffset = 0;
    std::uint64_t texels = 0;
    DType type = DType::Float32;  ///< Float32, or an integer of up to 32 bits
    int components = 1;           ///< 1, 2 or 4
    TextureExtents extents{};
    TextureSampling sampling;
    bool operator==(const TextureArgument&) const = default;
    [[nodiscard]] std::size_t texelBytes() const noexcept { return static_cast<std::size_t>(components) * sizeOf(type); }
};
using Argument = std::variant<BufferArgument, ScalarArgument, TextureArgument>;

/// A __constant__ or __device__ variable of the module, and the part of a buffer that holds its contents. Every launch starts with
/// the buffer's bytes in it; run() puts what the kernel left there back into the buffer.
struct SymbolArgument {
    std::string name;
    BufferId buffer = 0;
    std::size_t byteOffset = 0;
    std::size_t bytes = 0;
};

struct LaunchShape {
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::size_t dynamicSharedBytes = 0;
    bool operator==(const LaunchShape&) const = default;
};

struct Launch {
    ModuleId module = 0;
    LaunchShape shape;
    std::vector<Argument> arguments;
    std::vector<SymbolArgument> symbols{};
};

/// How a candidate's own run ended; Ok, or one of resource_error, launch_error, runtime_error, out_of_memory.
struct Outcome {
    TrialStatus status = TrialStatus::Ok;
    std::string message;        ///< the driver's or runtime's own words
    bool sticky = false;        ///< the device context is poisoned: the process must be replaced
    std::int64_t timeNs = 0;    ///< of this launch, where it was timed
    double clockMHz = 0;        ///< of the processors while it was timed; 0 where the device has no clock to read
};

/// A device as the worker process sees it. One thread at a time. Faults of a candidate are Outcomes; Error is for a broken
/// harness. On the CPU device a candidate may also end the process: the engine sees that as the worker's death.
class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual const DeviceFacts& facts() const = 0;

    /// Outcome.status other than Ok when the image cannot be loaded on this device.
    struct Loaded {
        ModuleId id = 0;
        Outcome outcome;
        FunctionFacts facts;
    };
    [[nodiscard]] virtual Result<Loaded> load(const ModuleImage& image, const LaunchShape& shape) = 0;
    virtual void unload(ModuleId module) = 0;

    /// Errors: WorkerFailed when memory is exhausted. Contents are undefined.
    [[nodiscard]] virtual Result<BufferId> allocate(std::size_t bytes) = 0;
    virtual void release(BufferId buffer) = 0;
    [[nodiscard]] virtual Result<void> upload(BufferId buffer, std::size_t offset, std::span<const std::byte> bytes) = 0;
    [[nodiscard]] virtual Result<void> download(BufferId buffer, std::size_t offset, std::span<std::byte> bytes) = 0;
    [[nodiscard]] virtual Result<void> fill(BufferId buffer, std::size_t offset, std::size_t bytes, std::byte value) = 0;
    /// Device-to-device copy.
    [[nodiscard]] virtual Result<void> copy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset, std::size_t bytes) = 0;

    /// Launches once, waits, and reports every error the launch caused.
    [[nodiscard]] virtual Outcome run(const Launch& launch) = 0;
    /// As run(), timed: `launches` back to back launches, cold (caches flushed before) or hot; Outcome.timeNs is per launch.
    [[nodiscard]] virtual Outcome time(const Launch& launch, bool cold, int launches) = 0;
    /// As time(), for launches that differ (other buffers each), back to back behind one flush. Empty: Ok and no time.
    [[nodiscard]] virtual Outcome timeEach(std::span<const Launch> launches, bool cold);
    /// Of a range of a buffer, to be compared within this process. Errors: those of download().
    [[nodiscard]] virtual Result<std::uint64_t> digest(BufferId buffer, std::size_t offset, std::size_t bytes);

    /// Bytes of device memory in use by this process beyond what allocate() handed out.
    [[nodiscard]] virtual std::int64_t foreignBytes() const = 0;

    /// What kernels have printed since the last call, at most 1 MiB a launch (as CUDA's own FIFO); the rest is counted and dropped.
    [[nodiscard]] virtual std::string takePrinted() { return {}; }
};

/// The CPU device: shared objects from compile/host, blocks across `cores` threads. Never fails on a machine with a CPU.
[[nodiscard]] Result<std::unique_ptr<Device>> makeCpuDevice(int cores);

/// The CUDA device `index`, through the driver API opened at run time.
/// Errors: EnvironmentMissing (no driver, no such device) with what to install.
[[nodiscard]] Result<std::unique_ptr<Device>> makeCudaDevice(int index);

/// Facts without creating a context. All CUDA devices of the machine; an empty list where there is no driver.
[[nodiscard]] std::vector<DeviceFacts> listCudaDevices();
[[nodiscard]] DeviceFacts cpuFacts();

}  // namespace ww::device
