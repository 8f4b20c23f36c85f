// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ww::policy {

/// "LibTorch 1.13.0": the version that the headers had.
[[nodiscard]] std::string torchVersion();

/// One thread inside an operator and one between them: the policy's tensors are small, and other cores belong to compilers
/// and to the kernel that is being timed. Holds for the whole process.
void limitTorchThreads();

}  // namespace ww::policy
