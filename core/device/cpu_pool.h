// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "device/cpu_block.h"

namespace ww::device {

/// Persistent OS threads, one BlockRunner each. The thread that calls run() is the first of them, so a pool of one starts none.
/// One caller at a time.
class CpuPool {
public:
    CpuPool(int cores, std::size_t sharedBytes);
    ~CpuPool();
    CpuPool(const CpuPool&) = delete;
    CpuPool& operator=(const CpuPool&) = delete;

    [[nodiscard]] int size() const noexcept { return static_cast<int>(m_runners.size()); }
    /// False when stacks for this many threads a block cannot be had.
    [[nodiscard]] bool reserve(unsigned threads);
    /// Runs the launch on all threads and waits.
    void run(CpuLaunch& launch);
    /// Calls job(part) on every thread, parts 0 .. size()-1, and waits.
    void forAll(const std::function<void(int)>& job);

private:
    void serve(int part);

    std::vector<std::unique_ptr<BlockRunner>> m_runners;
    std::vector<std::thread> m_threads;
    const std::function<void(int)>* m_job = nullptr;
    std::atomic<std::uint32_t> m_epoch{0};   // counts jobs; helpers wait on it
    std::atomic<int> m_pending{0};           // helpers that have not finished the job
    std::atomic<bool> m_stop{false};
};

}  // namespace ww::device
