// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ww::source {

inline constexpr std::int64_t kWarp = 32;

/// How an integer changes from one thread of a warp to the next (threadIdx.x to threadIdx.x + 1). Ordered: a later one is worse.
enum class Lane {
    Uniform,    ///< not at all: one broadcast serves the warp
    Unit,       ///< by one
    Strided,    ///< by a constant other than one
    Scattered,  ///< data dependent, or in no linear way
};

/// The same, with the amount and with how far it holds: threadIdx.x % 16 counts up in runs of 16 threads, threadIdx.x / 16 stays
/// for 16 threads and then steps by one.
struct LaneStep {
    Lane lane = Lane::Uniform;               ///< inside a run
    std::optional<std::int64_t> stride = 0;  ///< inside a run, where it is a constant
    std::int64_t run = kWarp;                ///< threads
    Lane outer = Lane::Uniform;              ///< from one run to the next
    std::string_view factor;                 ///< what the index is multiplied by, as written, where that is no constant

    [[nodiscard]] static LaneStep unit() { return {Lane::Unit, 1, kWarp, Lane::Uniform, {}}; }
    [[nodiscard]] static LaneStep scattered() { return {Lane::Scattered, std::nullopt, kWarp, Lane::Scattered, {}}; }

    [[nodiscard]] bool uniform() const noexcept { return lane == Lane::Uniform && outer == Lane::Uniform; }
    /// What a memory access with such an index is for the warp as a whole; short runs count by how they step.
    [[nodiscard]] Lane overall() const noexcept;
    bool operator==(const LaneStep&) const = default;
};

[[nodiscard]] LaneStep sum(const LaneStep& a, const LaneStep& b);
[[nodiscard]] LaneStep difference(const LaneStep& a, const LaneStep& b);
/// Times a number that is the same for all threads; nullopt where it is no constant, then `text` names it.
[[nodiscard]] LaneStep scaled(const LaneStep& a, std::optional<std::int64_t> by, std::string_view text);
/// Divided, or its remainder, by a number that is the same for all threads.
[[nodiscard]] LaneStep quotient(const LaneStep& a, std::optional<std::int64_t> by);
[[nodiscard]] LaneStep remainder(const LaneStep& a, std::optional<std::int64_t> by);
/// Either of two: the worse one.
[[nodiscard]] LaneStep either(const LaneStep& a, const LaneStep& b);

}  // namespace ww::source
