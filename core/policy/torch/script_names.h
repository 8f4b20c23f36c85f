// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/jit/frontend/resolver.h>

namespace ww::policy {

/// What `torch` and `math` mean in a reference. LibTorch's own resolver knows operators only, so that `torch.float32`,
/// `torch.inf` or `math.pi`, which Python's TorchScript has, would be refused.
[[nodiscard]] torch::jit::ResolverPtr scriptNames();

} // namespace ww::policy
