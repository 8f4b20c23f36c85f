// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_block.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <new>

namespace ww::device {

namespace {

thread_local BlockRunner* t_current = nullptr;

std::string triple(const std::array<unsigned, 3>& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

}  // namespace

BlockRunner::BlockRunner(std::size_t sharedBytes)
    : m_shared(sharedBytes + kSharedGuardBytes), m_sharedBytes(sharedBytes), m_plainStack(kPlainStackBytes) {}

BlockRunner::~BlockRunner() = default;

BlockRunner* BlockRunner::current() noexcept {
    return t_current;
}

bool BlockRunner::reserve(unsigned threads) {
    while (m_stacks.size() < threads) {
        FiberStack stack(kFiberStackBytes);
        if (!stack.valid()) return false;
        m_stacks.push_back(std::move(stack));
        m_stale = true;
    }
    m_lanes.resize(m_stacks.size());
    m_contexts.resize(m_stacks.size());
    return true;
}

void BlockRunner::work(CpuLaunch& launch) {
    m_launch = &launch;
    m_threads = launch.block[0] * launch.block[1] * launch.block[2];
    m_block = {};
    for (int i = 0; i < 3; ++i) {
        m_block.grid[i] = launch.grid[static_cast<std::size_t>(i)];
        m_block.block[i] = m_block.last[i] = launch.block[static_cast<std::size_t>(i)];
    }
    m_block.shared = m_shared.top() - kSharedGuardBytes - m_sharedBytes;
    m_checked = launch.checked != nullptr ? checkedShared() : CheckedShared{};
    t_current = this;
    while (takeBlocks()) {
        if (launch.fibers) {
            while (m_nextBlock < m_endBlock && !launch.failed.load(std::memory_order_relaxed)) {
                beginBlock(m_nextBlock++);
                runFiberBlock();
                endBlock();
            }
        } else {
            m_plain = makeFiber<&BlockRunner::plainEntry>(m_plainStack, 0);
            switchFiber(m_main, m_plain);
        }
    }
    t_current = nullptr;
    m_launch = nullptr;
}

bool BlockRunner::takeBlocks() {
    if (m_launch->failed.load(std::memory_order_relaxed)) return false;
    m_nextBlock = m_launch->next.fetch_add(m_launch->chunk, std::memory_order_relaxed);
    m_endBlock = std::min(m_nextBlock + m_launch->chunk, m_launch->blocks);
    return m_nextBlock < m_launch->blocks;
}

CheckedShared BlockRunner::checkedShared() const {
    auto* const dynamic = static_cast<std::byte*>(m_block.shared);
    const std::size_t bytes = m_launch->dynamicSharedBytes;
    return {m_launch->checked->staticShared(), {{dynamic, bytes}, {dynamic + bytes, kSharedGuardBytes}}};
}

void BlockRunner::beginBlock(std::uint64_t linear) {
    const std::uint64_t x = m_block.grid[0], y = m_block.grid[1];
    m_block.index[0] = static_cast<unsigned>(linear % x);
    m_block.index[1] = static_cast<unsigned>(linear / x % y);
    m_block.index[2] = static_cast<unsigned>(linear / x / y);
    if (m_launch->checked != nullptr) m_checked.poison();
}

void BlockRunner::endBlock() {
    if (m_launch->checked == nullptr || m_launch->failed.load(std::memory_order_relaxed)) return;
    if (std::string damage = m_checked.damage(); !damage.empty()) recordFailure(TrialStatus::RuntimeError, std::move(damage) + ", in block " + blockText());
}

void BlockRunner::callModule(const WwBlock& block) {
    try {
        m_launch->module->run(&block, m_launch->arguments);
        return;
    } catch (const std::bad_alloc&) {
        recordFailure(TrialStatus::OutOfMemory, "out of memory: an allocation inside the kernel failed in block " + blockText());
    } catch (...) {
        recordFailure(TrialStatus::RuntimeError, "the kernel threw a C++ exception in block " + blockText());
    }
    leaveBlock();
}

std::string BlockRunner::blockText() const {
    return triple({m_block.index[0], m_block.index[1], m_block.index[2]});
}

// ---- plain loop: every thread of a block in one call ----

void BlockRunner::plainEntry() {
    BlockRunner& self = *t_current;
    self.runPlainBlocks();
    switchFiber(self.m_plain, self.m_main);
}

void BlockRunner::runPlainBlocks() {
    m_plainRunning = true;
    do {
        while (m_nextBlock < m_endBlock && !m_launch->failed.load(std::memory_order_relaxed)) {
            beginBlock(m_nextBlock++);
            callModule(m_block);
            endBlock();
        }
    } while (takeBlocks());
    m_plainRunning = false;
}

// ---- fibers: one thread in each ----

void BlockRunner::fiberEntry() {
    BlockRunner& self = *t_current;
    const unsigned index = self.m_current;
    for (;;) {  // a fiber serves the same thread index in block after block
        self.runThread(index);
        self.threadEnded();
    }
}

void BlockRunner::runFiberBlock() {
    if (m_stale) {
        for (unsigned i = 0; i < m_stacks.size(); ++i) m_contexts[i] = makeFiber<&BlockRunner::fiberEntry>(m_stacks[i], i);
        m_stale = false;
    }
    m_alive = m_threads;
    m_waitingAtBarrier = 0;
    m_barrierTrue = 0;
    for (unsigned warp = 0; warp * kWarp < m_threads; ++warp) {
        const unsigned lanes = std::min(kWarp, m_threads - warp * kWarp);
        m_ready[warp] = m_aliveLanes[warp] = lanes == kWarp ? ~0u : (1u << lanes) - 1;
        m_inWarpOperation[warp] = 0;
    }
    m_current = 0;
    switchFiber(m_main, m_contexts[0]);
}

std::array<unsigned, 3> BlockRunner::threadAt(unsigned index) const noexcept {
    const unsigned x = m_block.block[0], y = m_block.block[1];
    return {index % x, index / x % y, index / x / y};
}

void BlockRunner::runThread(unsigned index) {
    WwBlock block = m_block;
    const auto thread = threadAt(index);
    for (unsigned i = 0; i < 3; ++i) {
        block.first[i] = thread[i];
        block.last[i] = thread[i] + 1;
    }
    callModule(block);
}

void BlockRunner::threadEnded() {
    const unsigned warp = m_current / kWarp;
    const std::uint32_t bit = 1u << (m_current % kWarp);
    m_ready[warp] &= ~bit;
    m_aliveLanes[warp] &= ~bit;
    if (--m_alive == 0) {
        switchFiber(m_contexts[m_current], m_main);
        return;
    }
    // Lanes that have ended count as absent, so a group may be complete now.
    for (std::uint32_t waiting = m_inWarpOperation[warp]; waiting != 0; waiting &= m_inWarpOperation[warp]) {
        const unsigned lane = static_cast<unsigned>(std::countr_zero(waiting));
        waiting &= ~(1u << lane);
        tryCompleteWarp(warp, m_lanes[warp * kWarp + lane].call);
    }
    yieldFiber();
}

[[gnu::always_inline]] inline int BlockRunner::pickReady() noexcept {
    const unsigned warps = (m_threads + kWarp - 1) / kWarp;
    const unsigned here = m_current / kWarp;
    if (const std::uint32_t ready = m_ready[here]; ready != 0) {
        const std::uint32_t after = ready & (~1u << (m_current % kWarp));
        return static_cast<int>(here * kWarp + static_cast<unsigned>(std::countr_zero(after != 0 ? after : ready)));
    }
    for (unsigned step = 1; step < warps; ++step) {
        const unsigned warp = here + step < warps ? here + step : here + step - warps;
        if (m_ready[warp] != 0) return static_cast<int>(warp * kWarp + static_cast<unsigned>(std::countr_zero(m_ready[warp])));
    }
    return -1;
}

void BlockRunner::yieldFiber() {
    int next = pickReady();
    if (next < 0) [[unlikely]] {
        if (!releaseQuiescentWarps()) diverged(0);
        next = pickReady();
    }
    const unsigned self = m_current;
    if (static_cast<unsigned>(next) == self) return;
    m_current = static_cast<unsigned>(next);
    // Hundreds of stacks do not fit the first-level cache; fetch the likely next one while this thread runs.
    if (m_current + 1 < m_threads) {
        const auto* stack = static_cast<const std::byte*>(m_contexts[m_current + 1]);
        for (int line = 0; line < 5; ++line) __builtin_prefetch(stack + 64 * line, 1);
    }
    switchFiber(m_contexts[self], m_contexts[m_current]);
}

[[gnu::always_inline]] inline int BlockRunner::barrier(int kind, int predicate, int line) {
    if (m_waitingAtBarrier == 0) {
        m_barrierKind = kind;
        m_barrierLine = line;
    }
    m_barrierTrue += predicate != 0 ? 1 : 0;
    // Threads that wait in different lines would let each other through on some GPUs; CUDA leaves that undefined.
    if (line != m_barrierLine || kind != m_barrierKind) [[unlikely]] diverged(line);
    if (++m_waitingAtBarrier == m_threads) {
        releaseBarrier();
    } else {
        m_ready[m_current / kWarp] &= ~(1u << (m_current % kWarp));
        yieldFiber();
    }
    return m_barrierResult;
}

int BlockRunner::onBarrier(int kind, int predicate, int line) {
    return t_current->barrier(kind, predicate, line);
}

void BlockRunner::diverged(int line) {
    recordDivergence(line);
    leaveBlock();
}

void BlockRunner::releaseBarrier() {
    switch (m_barrierKind) {
    case WwAnd: m_barrierResult = m_barrierTrue == m_threads; break;
    case WwOr: m_barrierResult = m_barrierTrue != 0; break;
    default: m_barrierResult = static_cast<int>(m_barrierTrue); break;
    }
    m_barrierTrue = 0;
    m_waitingAtBarrier = 0;
    for (unsigned warp = 0; warp * kWarp < m_threads; ++warp) m_ready[warp] = m_aliveLanes[warp];
}

/// `line` is where the current thread asked for another barrier than the others wait at; 0 where no thread can go on.
void BlockRunner::recordDivergence(int line) {
    std::map<std::string, unsigned> places;  // in words -> threads
    unsigned running = 0;
    for (unsigned i = 0; i < m_threads; ++i) {
        const auto bit = [i](const auto& masks) { return (masks[i / kWarp] >> (i % kWarp) & 1) != 0; };
        if (!bit(m_aliveLanes)) continue;
        if (line != 0 && i == m_current) {
            ++places["at the barrier in line " + std::to_string(line)];
        } else if (bit(m_ready)) {
            ++running;
        } else if (bit(m_inWarpOperation)) {
            ++places["at the warp operation in line " + std::to_string(m_lanes[i].call.line)];
        } else {
            ++places["at the barrier in line " + std::to_string(m_barrierLine)];
        }
    }
    std::string found;
    const auto add = [&found](unsigned count, const std::string& what) {
        if (count > 0) found += (found.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    };
    for (const auto& [place, count] : places) add(count, "wait " + place);
    add(m_threads - m_alive, "have returned");
    add(running, "have not come that far");
    recordFailure(TrialStatus::RuntimeError, "not all threads reach the same barrier in block " + blockText() + ": of " +
                                                 std::to_string(m_threads) + " threads " + found);
}

void BlockRunner::recordFailure(TrialStatus status, std::string message) {
    const std::lock_guard lock(m_launch->mutex);
    if (m_launch->status == TrialStatus::Ok) {
        m_launch->status = status;
        m_launch->message = std::move(message);
    }
    m_launch->failed.store(true, std::memory_order_relaxed);
}

void BlockRunner::leaveBlock() {
    m_stale = true;
    m_plainRunning = false;
    FiberContext left{};
    switchFiber(left, m_main);
    std::abort();  // nobody resumes an abandoned fiber
}

BlockRunner::Place BlockRunner::place() const noexcept {
    Place place;
    place.block = {m_block.index[0], m_block.index[1], m_block.index[2]};
    place.threadKnown = !m_plainRunning;
    if (place.threadKnown) place.thread = threadAt(m_current);
    return place;
}

bool BlockRunner::inGuard(const void* address) const noexcept {
    if (m_plainRunning) return m_plainStack.guards(address);
    for (const FiberStack& stack : m_stacks) {
        if (stack.guards(address)) return true;
    }
    return false;
}

}  // namespace ww::device
