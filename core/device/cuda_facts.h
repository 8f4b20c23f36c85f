// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda_driver.h"
#include "device/device_facts.h"

namespace ww::device {

/// Facts of CUDA device `index`, without creating a context.
[[nodiscard]] DeviceFacts readCudaFacts(const CudaDriver& driver, int index);

}  // namespace ww::device
