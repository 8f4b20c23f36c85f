// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "base/trial_status.h"
#include "device/cpu_fiber.h"
#include "device/cpu_module.h"
#include "ww_abi.h"

namespace ww::device {

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kWarp = 32;
inline constexpr std::size_t kPrintBytes = std::size_t{1} << 20;  ///< size of CUDA's own printf FIFO

/// What the blocks of one launch share. The launching thread owns it; OS threads take blocks from `next`.
struct CpuLaunch {
    const WwModule* module = nullptr;
    void* const* arguments = nullptr;
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    bool fibers = false;
    const CpuModule* checked = nullptr;      ///< shared memory is poisoned and guarded, as this module has it
    std::size_t dynamicSharedBytes = 0;
    std::uint64_t blocks = 0;
    std::uint64_t chunk = 1;
    std::atomic<std::uint64_t> next{0};
    std::atomic<bool> failed{false};

    std::mutex mutex;                        // guards what follows
    TrialStatus status = TrialStatus::Ok;
    std::string message;
    std::string printed;
    std::uint64_t printsDropped = 0;
};

/// Runs blocks on the OS thread that owns it: the threads of a block as fibers that switch only at barriers and warp
/// operations, or as the module's plain loop. Never used by two OS threads.
class BlockRunner {
public:
    explicit BlockRunner(std::size_t sharedBytes);
    ~BlockRunner();
    BlockRunner(const BlockRunner&) = delete;
    BlockRunner& operator=(const BlockRunner&) = delete;

    /// Takes blocks until none is left or the launch has failed.
    void work(CpuLaunch& launch);

    /// Whether stacks for blocks of this many threads are there; grows the pool.
    [[nodiscard]] bool reserve(unsigned threads);
    [[nodiscard]] bool valid() const noexcept { return m_shared.valid() && m_plainStack.valid(); }

    /// The runner whose block runs on this OS thread, or nullptr outside kernels.
    [[nodiscard]] static BlockRunner* current() noexcept;

    /// The functions modules call.
    [[nodiscard]] static const WwRuntime& runtime() noexcept;

    /// Where the kernel is, for the fault handler; async-signal-safe. threadIndex is false for the plain loop.
    struct Place {
        std::array<unsigned, 3> block{};
        std::array<unsigned, 3> thread{};
        bool threadKnown = false;
    };
    [[nodiscard]] Place place() const noexcept;
    [[nodiscard]] bool inGuard(const void* address) const noexcept;

private:
    /// A thread's part in a warp operation.
    struct Lane {
        WwWarpCall call{};
        std::uint64_t result = 0;
    };

    static void plainEntry();
    static void fiberEntry();
    static int onBarrier(int kind, int predicate, int line);
    static unsigned long long onWarp(const WwWarpCall* call);
    static unsigned onLane();
    static void onPrint(const char* format, std::va_list arguments);
    static void onFail(int failure, const char* text, const char* file, int line, const unsigned* thread);

    bool takeBlocks();                       // false when none is left
    void beginBlock(std::uint64_t linear);
    void endBlock();
    [[nodiscard]] CheckedShared checkedShared() const;
    void runPlainBlocks();
    void runFiberBlock();
    void runThread(unsigned index);
    void callModule(const WwBlock& block);
    void threadEnded();
    int barrier(int kind, int predicate, int line);
    std::uint64_t warpOperation(const WwWarpCall& call);
    void releaseBarrier();
    bool tryCompleteWarp(unsigned warp, const WwWarpCall& call);
    bool releaseQuiescentWarps();
    void finishWarp(unsigned warp, std::uint32_t group);
    void yieldFiber();                       // to the next ready thread; ends the launch as divergent where there is none
    [[noreturn]] void diverged(int line);
    void recordDivergence(int line);
    void recordFailure(TrialStatus status, std::string message);
    /// Leaves the block for good, from inside a fiber. Its stack is never unwound: hold nothing when calling.
    [[noreturn]] void leaveBlock();
    [[nodiscard]] std::string blockText() const;
    [[nodiscard]] std::array<unsigned, 3> threadAt(unsigned index) const noexcept;
    [[nodiscard]] int pickReady() noexcept;

    FiberStack m_shared;                     // used as guarded memory, not as a stack
    std::size_t m_sharedBytes;
    FiberStack m_plainStack;
    std::vector<FiberStack> m_stacks;
    std::vector<FiberContext> m_contexts;    // dense: what every switch reads and writes
    std::vector<Lane> m_lanes;
    FiberContext m_main{};
    FiberContext m_plain{};

    CpuLaunch* m_launch = nullptr;
    std::uint64_t m_nextBlock = 0, m_endBlock = 0;
    WwBlock m_block{};
    CheckedShared m_checked;
    unsigned m_threads = 0;
    unsigned m_current = 0;
    bool m_plainRunning = false;
    bool m_stale = true;                     // fibers were left in the middle of a kernel and must be made anew

    unsigned m_alive = 0;                    // threads that have not returned
    unsigned m_waitingAtBarrier = 0;
    unsigned m_barrierTrue = 0;              // predicates seen so far
    int m_barrierKind = 0, m_barrierLine = 0, m_barrierResult = 0;
    std::array<std::uint32_t, kMaxThreads / kWarp> m_ready{};
    std::array<std::uint32_t, kMaxThreads / kWarp> m_aliveLanes{};
    std::array<std::uint32_t, kMaxThreads / kWarp> m_inWarpOperation{};
};

}  // namespace ww::device
