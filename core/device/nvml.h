// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ww::device {

/// What the driver tells of a GPU at one moment. Unset: this GPU or driver does not give it.
struct GpuState {
    std::optional<double> powerWatts, powerLimitWatts, energyJoules;    ///< energy: since the driver was loaded
    std::optional<int> temperatureC, slowdownTemperatureC;
    std::optional<int> clockMHz, maxClockMHz, memoryClockMHz;
    std::optional<std::uint64_t> throttleReasons;                       ///< NVML's bits
    std::optional<int> otherProcesses;                                  ///< compute and graphics, at the time of reading
    std::optional<bool> displayActive, persistence, ecc, mig;
    std::string driver;

    /// Throttling for heat, power or a brake, in words; the driver's idle state and applied settings are none.
    [[nodiscard]] std::vector<std::string> throttling() const;
    /// Within 3 degrees of the temperature at which it slows down, or slowed down for heat already.
    [[nodiscard]] bool nearItsLimit() const noexcept;
    [[nodiscard]] Json toJson() const;
};

/// Warnings that a user should see before trusting times of this GPU: sentences, most serious first.
[[nodiscard]] std::vector<std::string> warningsFor(const GpuState& state, bool laptop);

/// NVML, opened at run time; it only ever reads. One thread at a time.
class Nvml {
public:
    /// Errors: EnvironmentMissing (no library, no such GPU) with the driver's words.
    [[nodiscard]] static Result<std::unique_ptr<Nvml>> open(const std::string& uuid);
    virtual ~Nvml() = default;
    [[nodiscard]] virtual GpuState read() const = 0;
};

}  // namespace ww::device
