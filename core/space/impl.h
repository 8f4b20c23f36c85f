// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "space/component.h"
#include "space/search_space.h"

namespace ww::space {

struct SearchSpace::Impl {
    std::vector<Parameter> parameters;
    std::vector<Constraint> constraints;
    expr::Scope constants;
    expr::Objects objects;                            ///< strings and tuples of the domains
    std::vector<std::vector<expr::Number>> domains;   ///< by parameter
    std::vector<CompiledConstraint> compiled;         ///< by constraint
    std::vector<std::unique_ptr<Component>> components;
    std::vector<std::size_t> componentOf, layerOf;    ///< by parameter
    std::vector<std::size_t> unchecked;               ///< constraints that no diagram carries
    bool refused = false;                             ///< a constraint without parameters is false
    mutable std::mutex mutex;                         ///< guards the two caches
    mutable std::optional<std::map<std::string, Count>> rejected;
    mutable std::optional<Count> estimate;            ///< unmasked

    [[nodiscard]] bool accepts(std::size_t constraint, const Configuration& configuration) const;
    [[nodiscard]] bool acceptsUnchecked(const Configuration& configuration) const;
    /// Valid assignments that the diagrams allow under the mask.
    [[nodiscard]] double total(const ValueMask* mask) const;
    [[nodiscard]] bool draw(SplitMix64& rng, const ValueMask* mask, Configuration& configuration) const;
    [[nodiscard]] Count refusals(std::size_t constraint) const;

    class Walker;
    using Partial = std::vector<std::optional<std::uint16_t>>;
    /// Depth-first over valid configurations that agree with `fixed` (may be null), in lexicographic order. At most `steps`
    /// choices are tried. Returns false where the steps ran out.
    bool walk(const ValueMask* mask, const Partial* fixed, std::uint64_t steps, const std::function<bool(const Configuration&)>& visit) const;
};

/// The share of successes with its 95 % Wilson interval, scaled by `total`.
[[nodiscard]] Count estimateFrom(double total, std::uint64_t hits, std::uint64_t trials);

/// "TILE * TILE * 4 = 65536 > 49152": why `constraint` refuses the values in `scope`.
[[nodiscard]] std::string explainRefusal(const Constraint& constraint, const expr::Scope& scope);

}  // namespace ww::space
