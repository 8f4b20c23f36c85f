// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "source/source_model.h"

namespace ww::spec {

/// Why a bare source's parameter with proposed values is not tuned all the same; empty where it is.
[[nodiscard]] std::string whyLeftAlone(const source::ParameterSite& site);

}  // namespace ww::spec
