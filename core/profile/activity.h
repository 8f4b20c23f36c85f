// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "device/device.h"
#include "profile/measurements.h"

namespace ww::profile {

/// The rung below the counters: CUPTI's record of a launch's last kernel (duration, registers, shared and local memory, launched
/// by the device or not). Needs no counter permission. The launch's own outcome goes into `outcome`; no values where it failed.
/// Errors: EnvironmentMissing without CUPTI, WorkerFailed with its words.
[[nodiscard]] Result<Measurements> recordActivity(const std::function<device::Outcome()>& launch, device::Outcome& outcome);

} // namespace ww::profile
