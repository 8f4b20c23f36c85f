// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/torch_module.h"

namespace ww::policy {

/// TorchModule::evaluate. Its own file, because it alone needs the headers of TorchScript's compiler.
[[nodiscard]] Result<std::vector<std::vector<double>>> evaluateScript(const std::string& source, const std::vector<ReferenceInput>& inputs);

}  // namespace ww::policy
