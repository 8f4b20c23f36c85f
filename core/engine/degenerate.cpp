// SPDX-License-Identifier: Apache-2.0
#include "engine/degenerate.h"

#include <algorithm>
#include <cmath>

#include "verify/compare.h"

namespace ww::engine {
namespace {

/// Fewer elements may agree by chance (a flag, an index, a count).
constexpr std::size_t kFewest = 8;

double toleranceOf(const spec::ResolvedArgument& argument, const spec::ToleranceSpec& tolerance) {
    const auto check = verify::makeCheck(argument, tolerance);
    return check.tolerance.relative.value_or(verify::defaultRelativeTolerance(argument.type));
}

/// Within the tolerance of one another, by relative L2.
bool agree(const std::vector<double>& first, const std::vector<double>& second, double tolerance) {
    double errors = 0, squares = 0;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
        if (!std::isfinite(first[i]) || !std::isfinite(second[i])) continue;
        errors += (first[i] - second[i]) * (first[i] - second[i]);
        squares += first[i] * first[i];
    }
    return errors <= tolerance * tolerance * squares;
}

/// A constant in its place would pass.
bool isConstant(const std::vector<double>& values, double tolerance) {
    double sum = 0;
    std::size_t finite = 0;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        sum += value;
        ++finite;
    }
    if (finite == 0) return false;
    return agree(values, std::vector<double>(values.size(), sum / static_cast<double>(finite)), tolerance);
}

}  // namespace

std::optional<std::string> findDegenerate(const spec::ResolvedLaunch& launch, const Expected& first, const Expected& second,
                                          const spec::ToleranceSpec& tolerance) {
    const bool random = std::any_of(launch.arguments.begin(), launch.arguments.end(), [](const auto& argument) {
        return argument.memory != spec::MemoryKind::Scalar && argument.access != spec::Access::WriteOnly && argument.fill == spec::Fill::Random &&
               argument.elements > 0;
    });
    std::size_t at = 0, judged = 0, constant = 0, independent = 0;
    std::string names;
    for (const auto& argument : launch.arguments) {
        if (!argument.output) continue;
        const auto& one = first.outputs[at];
        const auto& other = second.outputs[at];
        ++at;
        if (one.size() < kFewest) continue;
        ++judged;
        const double allowed = toleranceOf(argument, tolerance);
        names += (names.empty() ? "\"" : ", \"") + argument.name + "\"";
        constant += isConstant(one, allowed) ? 1 : 0;
        independent += random && agree(one, other, allowed) ? 1 : 0;
    }
    const std::string remedy = "; give inputs on which it does (FillType Random), outputs that tell right from wrong, or a tighter Tolerance";
    if (judged == 0) return std::nullopt;
    if (constant == judged) {
        return "nothing can be tuned here: the output " + names + " is the same number in every element, so a kernel that writes a constant would pass" + remedy;
    }
    if (independent == judged) {
        return "nothing can be tuned here: the output " + names + " does not depend on the inputs (it is the same for two sets of random inputs), so a "
               "kernel that does no work would pass" + remedy;
    }
    return std::nullopt;
}

}  // namespace ww::engine
