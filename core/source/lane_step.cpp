// SPDX-License-Identifier: Apache-2.0
#include "source/lane_step.h"

#include <algorithm>
#include <cstdlib>

namespace ww::source {
namespace {

/// Runs shorter than this do not hide how the next run lies.
constexpr std::int64_t kShortRun = 4;
/// Run assumed for a divisor that is no constant: part of a warp.
constexpr std::int64_t kUnknownRun = 16;

Lane laneOf(std::int64_t stride) {
    if (stride == 0) return Lane::Uniform;
    return stride == 1 || stride == -1 ? Lane::Unit : Lane::Strided;
}

Lane added(Lane a, Lane b) {
    if (a == Lane::Uniform) return b;
    if (b == Lane::Uniform) return a;
    return std::max({a, b, Lane::Strided});
}

/// Beyond this an offset is no index of anything; it keeps the arithmetic from overflowing.
constexpr std::int64_t kLargestStride = std::int64_t{1} << 48;

LaneStep withStride(LaneStep step, std::optional<std::int64_t> stride) {
    if (stride && (*stride > kLargestStride || *stride < -kLargestStride)) {
        step.lane = Lane::Strided;
        stride = std::nullopt;
    }
    step.stride = stride;
    if (stride) step.lane = laneOf(*stride);
    return step;
}

LaneStep combined(const LaneStep& a, const LaneStep& b, std::int64_t sign) {
    LaneStep out;
    out.run = std::min(a.run, b.run);
    if (a.stride && b.stride) {
        out = withStride(out, *a.stride + sign * *b.stride);
    } else {
        out.lane = added(a.lane, b.lane);
        out.stride = std::nullopt;
    }
    out.outer = added(a.run > out.run ? a.lane : a.outer, b.run > out.run ? b.lane : b.outer);
    out.factor = a.factor.empty() ? b.factor : a.factor;
    return out;
}

}  // namespace

Lane LaneStep::overall() const noexcept {
    if (run >= kWarp || lane == Lane::Scattered) return lane;
    if (lane == Lane::Uniform) return outer;
    return run >= kShortRun ? lane : std::max(lane, outer);
}

LaneStep sum(const LaneStep& a, const LaneStep& b) {
    return combined(a, b, 1);
}

LaneStep difference(const LaneStep& a, const LaneStep& b) {
    return combined(a, b, -1);
}

LaneStep scaled(const LaneStep& a, std::optional<std::int64_t> by, std::string_view text) {
    if (by == 0 || a.uniform()) return {};
    LaneStep out = a;
    std::int64_t product = 0;
    if (a.stride && by && !__builtin_mul_overflow(*a.stride, *by, &product)) {
        out = withStride(out, product);
    } else if (a.lane != Lane::Uniform) {
        out.stride = std::nullopt;
        out.lane = std::max(a.lane, Lane::Strided);
    }
    if (by != 1 && a.outer == Lane::Unit) out.outer = Lane::Strided;
    if (!by) out.factor = text;
    return out;
}

LaneStep quotient(const LaneStep& a, std::optional<std::int64_t> by) {
    if (a.uniform() || a.lane == Lane::Scattered) return a;
    if (!by) return a.lane == Lane::Unit ? LaneStep{Lane::Uniform, 0, kUnknownRun, Lane::Unit, {}} : a;
    if (!a.stride || *by < 1) return *by == 1 ? a : LaneStep::scattered();
    const std::int64_t step = std::abs(*a.stride);
    LaneStep out = a;
    if (step == 0) {  // already runs; they become longer
        out.run = *by >= kWarp ? kWarp : a.run * *by;
    } else if (step % *by == 0) {
        return withStride(out, *a.stride / *by);
    } else if (*by / step >= 2) {
        out = {Lane::Uniform, 0, std::min(a.run, *by / step), Lane::Unit, {}};
    } else {
        return LaneStep::scattered();
    }
    return out.run >= kWarp ? LaneStep{} : out;
}

LaneStep remainder(const LaneStep& a, std::optional<std::int64_t> by) {
    if (a.uniform() || by == 1) return {};
    if (a.lane == Lane::Scattered) return a;
    if (!by) return a.lane == Lane::Strided ? LaneStep::scattered() : a;
    if (!a.stride || *by < 1) return LaneStep::scattered();
    const std::int64_t step = std::abs(*a.stride);
    if (step == 0) return a;
    if (step % *by == 0) return {};
    if (*by / step < 2) return LaneStep::scattered();
    LaneStep out = a;
    out.run = std::min(a.run, *by / step);
    return out;
}

LaneStep either(const LaneStep& a, const LaneStep& b) {
    if (a == b || b.uniform()) return a;
    if (a.uniform()) return b;
    LaneStep out;
    out.lane = std::max(a.lane, b.lane);
    out.stride = a.stride == b.stride ? a.stride : std::nullopt;
    out.run = std::min(a.run, b.run);
    out.outer = std::max(a.outer, b.outer);
    out.factor = a.factor.empty() ? b.factor : a.factor;
    return out;
}

}  // namespace ww::source
