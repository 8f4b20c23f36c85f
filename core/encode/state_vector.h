// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace ww::encode {

inline constexpr std::size_t kStateSize = 128;

/// What a strategy sees of kernel, device and search: every element lies in [0, 1]. state_table.h names each of them.
using StateVector = std::array<float, kStateSize>;

}  // namespace ww::encode
