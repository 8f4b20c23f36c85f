// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_pool.h"

#include <chrono>

#include "device/cpu_fault.h"

namespace ww::device {

namespace {

/// How long a helper looks for the next job before it sleeps: waking it costs tens of microseconds, which would be counted as
/// part of a short kernel when launches follow each other.
constexpr std::chrono::microseconds kSpin{50};

void pauseCore() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

template <typename T>
void waitWhile(const std::atomic<T>& value, T old) {
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
        for (int i = 0; i < 64; ++i) {
            if (value.load(std::memory_order_acquire) != old) return;
            pauseCore();
        }
    } while (std::chrono::steady_clock::now() < end);
    value.wait(old, std::memory_order_acquire);
}

}  // namespace

CpuPool::CpuPool(int cores, std::size_t sharedBytes) {
    for (int i = 0; i < cores; ++i) m_runners.push_back(std::make_unique<BlockRunner>(sharedBytes));
    for (int i = 1; i < cores; ++i) m_threads.emplace_back([this, i] { serve(i); });
}

CpuPool::~CpuPool() {
    m_stop.store(true);
    m_epoch.fetch_add(1, std::memory_order_release);
    m_epoch.notify_all();
    for (std::thread& thread : m_threads) thread.join();
}

bool CpuPool::reserve(unsigned threads) {
    for (const auto& runner : m_runners) {
        if (!runner->valid() || !runner->reserve(threads)) return false;
    }
    return true;
}

void CpuPool::run(CpuLaunch& launch) {
    if (m_threads.empty() || launch.blocks == 1) {
        m_runners.front()->work(launch);
        return;
    }
    forAll([&](int part) { m_runners[static_cast<std::size_t>(part)]->work(launch); });
}

void CpuPool::forAll(const std::function<void(int)>& job) {
    m_job = &job;
    m_pending.store(static_cast<int>(m_threads.size()), std::memory_order_relaxed);
    m_epoch.fetch_add(1, std::memory_order_release);
    m_epoch.notify_all();
    job(0);
    for (int left = m_pending.load(std::memory_order_acquire); left != 0; left = m_pending.load(std::memory_order_acquire)) {
        waitWhile(m_pending, left);
    }
    m_job = nullptr;
}

void CpuPool::serve(int part) {
    const SignalStack signalStack;
    std::uint32_t seen = 0;
    for (;;) {
        waitWhile(m_epoch, seen);
        ++seen;
        if (m_stop.load()) return;
        (*m_job)(part);
        if (m_pending.fetch_sub(1, std::memory_order_acq_rel) == 1) m_pending.notify_one();
    }
}

}  // namespace ww::device
