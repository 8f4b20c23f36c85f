// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ww::profile {

/// Where a figure comes from, best first. Runs of different rungs are not ranked against each other without a warning.
enum class Rung {
    Counters,   ///< hardware counters of this very kernel
    Activity,   ///< CUPTI's activity record: duration, registers, shared memory
    Timed,      ///< by events or clock, around the launch
    Attributes, ///< what driver or compiler say about the function
    Computed,   ///< by formula from the above: theoretical occupancy
    Estimate,   ///< from declared bytes and operations, and the measured time
    Code        ///< counted in the machine code, not in its execution
};
[[nodiscard]] std::string_view
toString(Rung rung) noexcept; ///< "counters", "activity", "timed", "attributes", "computed", "estimate", "code"
[[nodiscard]] std::optional<Rung> rungFrom(std::string_view word) noexcept;

/// A figure, or why there is none: what is not available is never 0.
struct Value {
    std::string id;
    std::optional<double> value;
    std::string unit;
    Rung rung = Rung::Counters;
    std::string reason; ///< where there is no value
    bool operator==(const Value&) const = default;
};

/// Figures by their id, in the order in which they were put. A plain value.
class Measurements {
public:
    /// Takes the place of an absent value or one of a worse rung; a better one stays.
    void put(Value value);
    void put(std::string id, double value, std::string unit, Rung rung) { put({std::move(id), value, std::move(unit), rung, {}}); }
    void merge(const Measurements& other);

    [[nodiscard]] const Value* find(std::string_view id) const noexcept;
    /// The figure where there is one.
    [[nodiscard]] std::optional<double> get(std::string_view id) const noexcept;
    [[nodiscard]] const std::vector<Value>& all() const noexcept { return m_values; }
    [[nodiscard]] bool empty() const noexcept { return m_values.empty(); }

    /// {"dram_pct": {"value": 61.2, "unit": "%", "rung": "counters"}, "l2_pct": {"reason": "...", ...}}
    [[nodiscard]] Json toJson() const;
    /// Errors: WorkerFailed for JSON that toJson() has not made.
    [[nodiscard]] static Result<Measurements> fromJson(const Json& json);

private:
    std::vector<Value> m_values;
};

} // namespace ww::profile
