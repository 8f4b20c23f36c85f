// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ww {

/// "812 ns", "4.31 us", "12.0 ms", "1.25 s": three significant digits, the unit that fits.
[[nodiscard]] std::string formatTimeNs(double ns);

/// "48.0 KiB", "227 KiB", "1.50 MiB", "12 B".
[[nodiscard]] std::string formatBytes(std::uint64_t bytes);

/// "42 s", "3 min 12 s", "2 h 05 min".
[[nodiscard]] std::string formatDuration(double seconds);

/// Now as ISO 8601 in UTC with milliseconds: "2026-01-31T12:00:00.000Z".
[[nodiscard]] std::string utcNow();

/// Nanoseconds of the monotonic clock.
[[nodiscard]] std::int64_t monotonicNs() noexcept;

}  // namespace ww
