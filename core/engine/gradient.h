// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/session.h"

namespace ww::engine {

/// The gradient check of a forward kernel: a kernel has no gradient of its own, but its answer to a small step of its inputs along a
/// random direction, f(x + h v) - f(x - h v), can be compared with the reference's answer to the very same (rounded) inputs. The
/// truncation of the finite difference is then the same on both sides and cancels; what is left is a kernel that is right at a point
/// and wrong in how it depends on its inputs (a value that was detached, clamped or looked up).

/// The outputs at both ends of the step, one vector per checked argument.
struct Response {
    std::vector<std::vector<double>> above, below;
};

/// Relative L2 distance of the two differences. Infinite where the candidate has none and the reference has, NaN where not finite.
[[nodiscard]] double gradientError(const Response& candidate, const Response& reference);

/// The step h, in the unit of the inputs: a power of two of their range that the narrowest floating type still resolves well.
[[nodiscard]] double gradientStep(const spec::ResolvedLaunch& launch);

/// What rounding alone may give: 1e-3, or the outputs' relative tolerance over the relative step where that is more.
[[nodiscard]] double gradientTolerance(const spec::ResolvedLaunch& launch);

/// The largest edge shape, else the tuned one.
[[nodiscard]] spec::WorkloadSpec gradientShape(const Task& task, const space::Configuration& configuration);

/// Errors: InvalidSpec with the reason: no float64 reference (TorchScript), no Random floating-point input, no floating-point output.
[[nodiscard]] Result<void> canCheckGradient(const spec::Spec& spec, const spec::ResolvedLaunch& launch);

}  // namespace ww::engine
