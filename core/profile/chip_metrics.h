// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "profile/measurements.h"
#include "profile/metrics.h"

namespace ww::profile {

/// A set of metrics, made ready for one chip: names that it knows, the image that programs its counters, the passes that takes.
struct CounterPlan {
    std::string chip;
    std::vector<std::pair<const Metric*, const char*>> metrics; ///< with the chip's name for each
    Measurements missing;                                       ///< those that the chip has under no name
    std::vector<std::uint8_t> configImage;
    std::size_t passes = 0;

    [[nodiscard]] std::vector<const char*> names() const;
};

/// What one kind of chip can count. Needs libcupti, no GPU and no driver. One thread.
class ChipMetrics {
public:
    /// Names of the chips that this CUPTI knows: "GA100", "GH100", ... Errors: EnvironmentMissing.
    [[nodiscard]] static Result<std::vector<std::string>> chips();

    /// `availability`: the counter availability image of a real device, which a chip newer than this CUPTI needs; may be empty.
    explicit ChipMetrics(std::string chip, std::vector<std::uint8_t> availability = {})
        : m_chip(std::move(chip)), m_availability(std::move(availability)) {}

    [[nodiscard]] const std::string& chip() const noexcept { return m_chip; }
    /// Whether the chip has a metric of this full CUPTI name. Errors: EnvironmentMissing, Unsupported (a chip that CUPTI refuses).
    [[nodiscard]] Result<bool> knows(const char* name) const;
    /// Errors: as knows(); Unsupported where none of the metrics is there.
    [[nodiscard]] Result<CounterPlan> plan(std::span<const Metric* const> metrics) const;
    /// The plan's figures out of a decoded counter data image.
    [[nodiscard]] Result<Measurements> evaluate(const CounterPlan& plan, std::span<const std::uint8_t> counterData,
                                                std::size_t range) const;

private:
    std::string m_chip;
    std::vector<std::uint8_t> m_availability;
};

} // namespace ww::profile
