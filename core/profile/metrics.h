// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::profile {

/// What a run of the counters is asked for. Trial takes one pass from compute capability 8.0 on; the others replay the kernel.
enum class MetricSet { Trial, SpeedOfLight, Stalls, Full };
[[nodiscard]] std::string_view toString(MetricSet set) noexcept; ///< "trial", "sol", "stalls", "full"
/// Errors: InvalidArgument naming the sets there are.
[[nodiscard]] Result<MetricSet> metricSetFrom(std::string_view word);

enum class MetricGroup { Trial, SpeedOfLight, Stalls, Roofline, Memory, Mix };
[[nodiscard]] std::string_view toString(MetricGroup group) noexcept; ///< "trial", "sol", "stalls", "roofline", "memory", "mix"

/// One figure of ours and the names under which chips have it.
struct Metric {
    std::string_view id;   ///< stable: names rows of `metric` and members of JSON
    std::string_view unit; ///< "ns", "byte", "%", "Hz", "1", ...
    MetricGroup group = MetricGroup::Trial;
    std::string_view title;
    std::array<std::string_view, 3> names; ///< of CUPTI, the first that the chip knows is taken; empty ones are none

    [[nodiscard]] bool isPercentage() const noexcept { return unit == "%"; }
};

[[nodiscard]] std::span<const Metric> allMetrics() noexcept;
/// nullptr for an id that is none.
[[nodiscard]] const Metric* findMetric(std::string_view id) noexcept;
/// The metrics of a set; every set holds the trial's.
[[nodiscard]] std::vector<const Metric*> metricsOf(MetricSet set);

} // namespace ww::profile
