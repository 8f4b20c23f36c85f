// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ww::profile {

/// resources/diagnoses/bottlenecks.json, put into the program by the build.
extern const std::string_view kBottleneckTexts;

} // namespace ww::profile
