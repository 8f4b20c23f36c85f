// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"

#include "base/hash.h"

namespace ww::device {

Outcome Device::timeEach(std::span<const Launch> launches, bool cold) {
    Outcome together;
    std::int64_t totalNs = 0;
    for (const Launch& launch : launches) {
        together = time(launch, cold, 1);
        if (together.status != TrialStatus::Ok) return together;
        totalNs += together.timeNs;
    }
    if (!launches.empty()) together.timeNs = totalNs / static_cast<std::int64_t>(launches.size());
    return together;
}

Result<std::uint64_t> Device::digest(BufferId buffer, std::size_t offset, std::size_t bytes) {
    std::vector<std::byte> content(bytes);
    WW_CHECK(download(buffer, offset, content));
    return digest64({reinterpret_cast<const char*>(content.data()), content.size()});
}

}  // namespace ww::device
