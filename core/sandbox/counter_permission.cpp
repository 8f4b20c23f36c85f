// SPDX-License-Identifier: Apache-2.0
#include "sandbox/counter_permission.h"

#include "base/file.h"

namespace ww::sandbox {

bool countersNeedAdmin(std::string_view driverParameters) noexcept {
    constexpr std::string_view kKey = "RmProfilingAdminOnly:";
    const auto at = driverParameters.find(kKey);
    if (at == std::string_view::npos) return true;
    const auto value = driverParameters.find_first_not_of(" \t", at + kKey.size());
    return value == std::string_view::npos || driverParameters[value] != '0';
}

bool countersNeedAdmin() {
    const auto text = readFile("/proc/driver/nvidia/params", std::size_t{64} << 10);
    return !text || countersNeedAdmin(*text);
}

}  // namespace ww::sandbox
