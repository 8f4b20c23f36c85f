// SPDX-License-Identifier: Apache-2.0
#include "store/records.h"

#include <array>

namespace ww::store {

namespace {

constexpr std::array<std::string_view, 5> kWords{"running", "paused", "finished", "interrupted", "failed"};

} // namespace

std::string_view toString(SessionStatus status) noexcept { return kWords[static_cast<std::size_t>(status)]; }

std::optional<SessionStatus> sessionStatusFrom(std::string_view word) noexcept {
    for (std::size_t i = 0; i < kWords.size(); ++i)
        if (kWords[i] == word) return static_cast<SessionStatus>(i);
    return std::nullopt;
}

} // namespace ww::store
