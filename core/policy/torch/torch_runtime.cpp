// SPDX-License-Identifier: Apache-2.0
#include "policy/torch/torch_runtime.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <exception>

namespace ww::policy {

std::string torchVersion() { return std::string("LibTorch ") + TORCH_VERSION; }

void limitTorchThreads() {
    at::set_num_threads(1);
    try {
        at::set_num_interop_threads(1);
    } catch (const std::exception&) {
        // Somebody in this process has already started LibTorch's pool; its size can no longer be changed.
    }
}

} // namespace ww::policy
