// SPDX-License-Identifier: Apache-2.0
// Takes the place of the CUDA device in builds without the toolkit's headers (CUDA=OFF).
#include "device/device.h"

namespace ww::device {

std::vector<DeviceFacts> listCudaDevices() { return {}; }

Result<std::unique_ptr<Device>> makeCudaDevice(int) {
    return fail(ErrorCode::EnvironmentMissing, "this build has no CUDA support; build it where the CUDA Toolkit is installed");
}

}  // namespace ww::device
