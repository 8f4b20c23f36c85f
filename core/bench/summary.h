// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"

namespace ww::bench {

/// What raw samples look like, in their own unit. No sample is left out of it.
struct SampleSummary {
    std::size_t count = 0;
    double median = 0;
    double mad = 0;                 ///< median absolute deviation from the median
    double iqr = 0;
    double p5 = 0, p95 = 0, min = 0;
    std::size_t outliers = 0;       ///< samples above median + 5 MAD
    [[nodiscard]] Json toJson() const;
};

[[nodiscard]] SampleSummary summarize(const std::vector<double>& samples);

/// The smallest difference of medians, as a fraction, that samples of this spread show four times out of five at 5 % risk.
/// The spread is taken from the MAD; drift makes samples dependent, so the figure is optimistic. 0 where nothing can be said.
[[nodiscard]] double minimumDetectable(const SampleSummary& reference, const SampleSummary& candidate);

}  // namespace ww::bench
