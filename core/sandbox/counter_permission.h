// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ww::sandbox {

/// Whether the text of /proc/driver/nvidia/params says that only administrators may read counters. True where it does not say:
/// drivers restrict them by default.
[[nodiscard]] bool countersNeedAdmin(std::string_view driverParameters) noexcept;
/// The same for the driver of this machine.
[[nodiscard]] bool countersNeedAdmin();

}  // namespace ww::sandbox
