// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ww {

/// 128-bit xxHash (XXH3) of the bytes, as 32 lower-case hex digits: content keys of sources, objects and cache entries.
[[nodiscard]] std::string contentHash(std::string_view bytes);

/// 64-bit xxHash (XXH3), for digests that are compared within one process.
[[nodiscard]] std::uint64_t digest64(std::string_view bytes, std::uint64_t seed = 0) noexcept;

/// FNV-1a of a name, to derive seeds from names.
[[nodiscard]] constexpr std::uint64_t nameHash(std::string_view name) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return hash;
}

}  // namespace ww
