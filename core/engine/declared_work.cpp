// SPDX-License-Identifier: Apache-2.0
#include "engine/declared_work.h"

#include "bench/comparison.h"

namespace ww::engine {
namespace {

/// Tensor cores with sparse 8-bit types do about this many times the single-precision rate, and a spec does not say what is used.
constexpr double kFastestPrecision = 64;

}  // namespace

profile::DeclaredWork declaredWork(const Task& task, const space::Configuration& configuration) {
    profile::DeclaredWork work;
    expr::Scope facts;
    task.device.addTo(facts);
    const auto constants = spec::constantsFor(task.spec, task.workload, &facts);
    if (!constants) return work;
    expr::Scope scope(&*constants);
    const auto& parameters = task.space.parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p)
        scope.set(parameters[p].name, task.space.valueOf(configuration, p));
    const auto number = [&](const std::optional<expr::Expression>& expression) -> std::optional<double> {
        if (!expression) return std::nullopt;
        const auto value = expression->evaluate(scope);
        return value && value->isNumber() ? std::optional(value->asDouble()) : std::nullopt;
    };
    work.bytes = number(task.spec.workBytes);
    work.flops = number(task.spec.workFlops);
    return work;
}

double physicalFloorNs(const Task& task, const space::Configuration& configuration) {
    const auto work = declaredWork(task, configuration);
    bench::PhysicalLimits limits;
    limits.bytes = work.bytes.value_or(0);
    limits.flops = work.flops.value_or(0);
    limits.bytesPerSecond = profile::ratedBandwidth(task.device).value_or(0);
    limits.flopsPerSecond = kFastestPrecision * profile::ratedFlops(task.device).value_or(0);
    limits.cachedBytes = static_cast<double>(task.device.l2Bytes);
    return bench::physicalFloorNs(limits);
}

}  // namespace ww::engine
