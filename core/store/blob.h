// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ww::store {

/// zstd frames, as `artifact.content`, `policy_snapshot.content` and `diagnostic.content` hold them.
[[nodiscard]] std::string compress(std::string_view bytes);
/// Errors: DatabaseCorrupt.
[[nodiscard]] Result<std::string> decompress(std::string_view frame);

/// Samples as `sample.values_ns` holds them: little-endian float64 in the order taken, zstd-compressed.
[[nodiscard]] std::string packSamples(const std::vector<double>& values);
[[nodiscard]] Result<std::vector<double>> unpackSamples(std::string_view frame);

} // namespace ww::store
