// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_shared.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace ww::device {
namespace {

/// Words that are NaN as float and as the upper half of a double, and all different: a kernel that fills with a constant shows.
constexpr auto kGuard = [] {
    std::array<std::uint32_t, kSharedGuardBytes / sizeof(std::uint32_t)> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0xffc00000U | ((static_cast<std::uint32_t>(i) + 1) * 2654435761U >> 10);
    return words;
}();

std::string damageOf(const CheckedShared::Area& area, const char* kind) {
    if (area.guard.empty() || std::memcmp(area.guard.data(), kGuard.data(), area.guard.size()) == 0) return {};
    const auto* const expected = reinterpret_cast<const std::byte*>(kGuard.data());
    std::size_t count = 0, first = area.guard.size();
    for (std::size_t i = 0; i < area.guard.size(); ++i) {
        if (area.guard[i] == expected[i]) continue;
        first = std::min(first, i);
        ++count;
    }
    return "the kernel wrote behind its " + std::string(kind) + " shared memory: " + std::to_string(count) + (count == 1 ? " byte" : " bytes") +
           " after the end " + (count == 1 ? "was" : "were") + " overwritten, first at +" + std::to_string(first);
}

}  // namespace

CheckedShared::CheckedShared(Area statics, Area dynamic) : m_static(statics), m_dynamic(dynamic) {
    for (const Area& area : {statics, dynamic}) {
        if (!area.guard.empty()) std::memcpy(area.guard.data(), kGuard.data(), area.guard.size());
    }
}

void CheckedShared::poison() const {
    for (const Area& area : {m_static, m_dynamic}) {
        if (!area.memory.empty()) std::memset(area.memory.data(), 0xff, area.memory.size());
    }
}

std::string CheckedShared::damage() const {
    std::string found = damageOf(m_static, "static");
    return found.empty() ? damageOf(m_dynamic, "dynamic") : found;
}

}  // namespace ww::device
