// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/measurement.h"

namespace ww::bench {

struct Compared {
    Estimate ratio;                 ///< reference / candidate; the interval is as wide as the correction made it
    Verdict verdict = Verdict::Ambiguous;
};

/// Several candidates against one reference (the first list), measured in rounds. The more are compared, the likelier one of
/// them looks faster by luck, so FASTER is subject to Holm's step-down correction: of m candidates, the first must pass at
/// 1 - 0.05/m, the next at 1 - 0.05/(m-1), ... until one fails. The other verdicts are those of judge() at 95 %.
/// The first entry of the result is the reference against itself.
[[nodiscard]] std::vector<Compared> compareTogether(const std::vector<std::vector<double>>& samplesNs, double noiseFloor, std::uint64_t seed);

/// What a launch must do at the least, and how fast the device can do it. 0: not known.
struct PhysicalLimits {
    double bytes = 0, flops = 0;
    double bytesPerSecond = 0, flopsPerSecond = 0;
    double cachedBytes = 0;         ///< written data that may still be in the L2 when the launch ends
};

/// Nanoseconds below which no honest launch can come; 0 where nothing is known.
[[nodiscard]] double physicalFloorNs(const PhysicalLimits& limits) noexcept;
/// A time under 90 % of the floor, or no time at all, is impossible: the work was not done, or not timed.
[[nodiscard]] bool isImpossible(double timeNs, double floorNs) noexcept;

}  // namespace ww::bench
