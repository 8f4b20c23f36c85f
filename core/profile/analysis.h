// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "compile/compile.h"
#include "device/device.h"
#include "profile/bottlenecks.h"
#include "profile/measurements.h"
#include "profile/metrics.h"
#include "profile/occupancy.h"
#include "profile/roofline.h"

namespace ww::profile {

/// What is known of a kernel's launch; the better the rung, the more of it.
struct Observation {
    MetricSet set = MetricSet::Trial;
    Measurements measured;  ///< counters, the activity record, opcodes: whatever could be had
    std::string noCounters; ///< why there are none, with the remedy; empty where there are
    std::string chip;       ///< as CUPTI calls it; empty without counters
    std::size_t passes = 0;
    double seconds = 0; ///< that counting took
    device::DeviceFacts device;
    device::LaunchShape shape;
    device::FunctionFacts function; ///< -1 where unknown
    compile::CompileFacts compiled; ///< -1 where unknown
    std::optional<double> timeNs;   ///< median of the bench
    DeclaredWork work;
};

/// A profile: the figures, what follows from them, and what is missing and why. A plain value.
struct Profile {
    MetricSet set = MetricSet::Trial;
    std::string chip;
    std::size_t passes = 0;
    double seconds = 0;
    Rung rung = Rung::Attributes; ///< of the throughput figures: what runs may be compared by
    Measurements values;
    std::optional<Occupancy> occupancy;
    std::optional<Roofline> roofline;
    std::vector<Bottleneck> bottlenecks;
    std::vector<std::string> notes; ///< what is missing, and why

    /// Nearness to the binding roof, b of the reward: max(DRAM %, issue-active %) / 100. nullopt unless both were counted.
    [[nodiscard]] std::optional<double> nearness() const noexcept;
    /// Bottlenecks with their sentences in both languages.
    [[nodiscard]] Json toJson() const;
};

/// Puts attributes, computed figures and estimates beside what was measured, and draws the conclusions.
[[nodiscard]] Profile analyse(const Observation& observation);

} // namespace ww::profile
