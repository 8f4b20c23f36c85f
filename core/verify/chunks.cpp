// SPDX-License-Identifier: Apache-2.0
#include "verify/chunks.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace ww::verify {

void forEachChunk(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work) {
    constexpr std::size_t kMostThreads = 16;
    const std::size_t chunks = (count + kChunk - 1) / kChunk;
    std::atomic<std::size_t> next{0};
    const auto drain = [&] {
        for (std::size_t chunk = next++; chunk < chunks; chunk = next++)
            work(chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
    };
    const std::size_t threads = std::min({chunks, kMostThreads, static_cast<std::size_t>(std::max(1u, std::thread::hardware_concurrency()))});
    std::vector<std::jthread> helpers;
    try {
        for (std::size_t i = 1; i < threads; ++i)
            helpers.emplace_back(drain);
    } catch (const std::system_error&) {
        // A sandbox that allows no further thread: those that run do the work.
    }
    drain();
}

} // namespace ww::verify
