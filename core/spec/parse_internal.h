// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/reader.h"
#include "spec/spec.h"

/// The parts of parse(), in the order they run; each fills its share of one Spec. Private to core/spec.
namespace ww::spec {

/// ConfigurationSpace.
[[nodiscard]] Result<void> readSpace(const Reader& root, Spec& spec);
/// KernelSpecification and ProblemSize. A document without it is fine.
[[nodiscard]] Result<void> readKernel(const Reader& root, Spec& spec);
/// The Warpwright section.
[[nodiscard]] Result<void> readWarpwright(const Reader& root, Spec& spec);
/// What needs the whole document: names in conditions, references, GridDiv against GlobalSize.
[[nodiscard]] Result<void> finishSpec(Spec& spec);

/// How policy and plots see a domain where nobody says it.
[[nodiscard]] space::Scale proposedScale(const std::vector<expr::Value>& values);

/// Why a parameter or size may not carry this name ("is a word of C++"), or "".
[[nodiscard]] std::string whyNotAName(std::string_view name);

/// Names of device facts: conditions may use them although no device is chosen yet.
[[nodiscard]] const std::vector<std::string>& deviceFactNames();

/// Every name that expressions of the spec may use, device facts included.
[[nodiscard]] std::vector<std::string> knownNames(const Spec& spec);

/// KTT's threshold in our terms: nullopt where none is given. Relative: |got - want| <= t |want|. Side by side, and the sum of
/// absolute differences: |got - want| <= t + t |want| for each element, since a relative L2 is checked beside it.
[[nodiscard]] std::optional<Tolerance> toleranceOf(const ReferenceArgument& reference);

/// max(P) and min(P) with a parameter's name alone, replaced by the largest and smallest number of its domain.
[[nodiscard]] std::string replaceDomainBounds(std::string_view text, const std::vector<space::Parameter>& parameters);

/// An int, or a float or bool that is one.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(const expr::Value& value);

/// Sets the names of one workload in `scope`, whose outer layers may hold parameters and device facts.
[[nodiscard]] Result<void> setWorkloadNames(const Spec& spec, const WorkloadSpec& workload, expr::Scope& scope);

/// The grid that GlobalSize alone gives, where there is one; to tell a disagreement with GridDiv. `axis` is 0, 1 or 2.
[[nodiscard]] Result<std::int64_t> gridFromGlobalSize(const Spec& spec, std::size_t axis, std::int64_t block, const expr::Scope& scope);
[[nodiscard]] Result<std::int64_t> gridFromDivisors(const Spec& spec, std::size_t axis, const expr::Scope& scope);

/// `file` inside `folder` after resolving links. Errors: InvalidSpec naming both.
[[nodiscard]] Result<std::filesystem::path> dataFileInside(const std::filesystem::path& folder, const std::string& file);

inline constexpr const char* kAxis[3] = {"X", "Y", "Z"};

}  // namespace ww::spec
