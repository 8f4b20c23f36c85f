// SPDX-License-Identifier: Apache-2.0
#include "engine/gradient.h"

#include <algorithm>
#include <cmath>

#include "verify/compare.h"

namespace ww::engine {
namespace {

constexpr double kLeastTolerance = 1e-3;
constexpr double kWideStep = 0x1p-6;    ///< of the range, float and double
constexpr double kCoarseStep = 0x1p-3;  ///< half and bfloat16
/// Two rounded values are subtracted, and their errors add up.
constexpr double kRoundings = 4;

bool isNudged(const spec::ResolvedArgument& argument) {
    return argument.memory != spec::MemoryKind::Scalar && argument.fill == spec::Fill::Random && isFloating(argument.type) &&
           argument.access != spec::Access::WriteOnly && argument.elements > 0;
}

bool isCoarse(DType type) { return type == DType::Half || type == DType::BFloat16; }

double stepShare(const spec::ResolvedLaunch& launch) {
    const bool coarse = std::any_of(launch.arguments.begin(), launch.arguments.end(),
                                    [](const auto& argument) { return isCoarse(argument.type) && (isNudged(argument) || argument.output); });
    return coarse ? kCoarseStep : kWideStep;
}

}  // namespace

double gradientError(const Response& candidate, const Response& reference) {
    double errors = 0, squares = 0;
    for (std::size_t output = 0; output < reference.above.size(); ++output) {
        for (std::size_t i = 0; i < reference.above[output].size(); ++i) {
            const double want = reference.above[output][i] - reference.below[output][i];
            const double got = candidate.above[output][i] - candidate.below[output][i];
            errors += (got - want) * (got - want);
            squares += want * want;
        }
    }
    return errors == 0.0 ? 0.0 : std::sqrt(errors / squares);
}

double gradientStep(const spec::ResolvedLaunch& launch) {
    double smallest = 0;
    for (const auto& argument : launch.arguments) {
        if (!isNudged(argument)) continue;
        const double bound = argument.fillValue == 0.0 ? 1.0 : std::fabs(argument.fillValue);
        smallest = smallest == 0.0 ? bound : std::min(smallest, bound);
    }
    return std::exp2(std::floor(std::log2(smallest == 0.0 ? 1.0 : smallest))) * stepShare(launch);
}

double gradientTolerance(const spec::ResolvedLaunch& launch) {
    double widest = 0;
    for (const auto& argument : launch.arguments) {
        if (argument.output && isFloating(argument.type)) widest = std::max(widest, verify::defaultRelativeTolerance(argument.type));
    }
    return std::max(kLeastTolerance, kRoundings * widest / stepShare(launch));
}

spec::WorkloadSpec gradientShape(const Task& task, const space::Configuration& configuration) {
    auto edges = spec::edgeWorkloads(task.spec, task.workload, task.space.scopeFor(configuration));
    const auto work = [](const spec::WorkloadSpec& shape) {
        double product = 1;
        for (const auto& [name, size] : shape.sizes) product *= static_cast<double>(size);
        return product;
    };
    const auto found = std::max_element(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return work(a) < work(b); });
    if (found == edges.end()) return task.workload;
    found->dtypes = task.workload.dtypes;
    return *found;
}

Result<void> canCheckGradient(const spec::Spec& spec, const spec::ResolvedLaunch& launch) {
    const auto refuse = [&](const std::string& reason) {
        return fail(ErrorCode::InvalidSpec, "GradientCheck is asked for, but " + reason + "; leave it out, or give what it needs", spec.file.string());
    };
    if (spec.reference.kind != spec::ReferenceKind::TorchScript) {
        return refuse("the differences need a reference in float64: give Warpwright.Reference.TorchScript");
    }
    if (std::none_of(launch.arguments.begin(), launch.arguments.end(), isNudged)) return refuse("no input is Random and floating-point");
    const bool differentiable = std::any_of(launch.arguments.begin(), launch.arguments.end(),
                                            [](const auto& argument) { return argument.output && isFloating(argument.type); });
    if (!differentiable) return refuse("no output is floating-point");
    return {};
}

}  // namespace ww::engine
