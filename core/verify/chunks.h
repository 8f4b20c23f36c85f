// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace ww::verify {

/// Elements of one chunk. Fixed, so that sums over chunks do not depend on the number of cores.
inline constexpr std::size_t kChunk = std::size_t{1} << 18;

/// Calls `work(begin, end)` for each chunk of [0, count), on as many threads as there are usable cores (at most 16); small counts
/// stay on the caller's thread. Returns when all are done. `work` must not throw and must be safe for disjoint chunks.
void forEachChunk(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& work);

} // namespace ww::verify
