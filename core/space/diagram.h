// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "space/search_space.h"

namespace ww::space {

/// A layered decision diagram over some parameters: layer l decides parameter order[l], every path from the root to the
/// last layer is one assignment that the constraints accept, and nothing else is. Immutable, thread-safe.
struct Diagram {
    struct Edge {
        std::uint32_t child;  ///< node of the next layer
        std::uint16_t value;  ///< index into the parameter's domain
    };
    struct Layer {
        std::vector<std::uint32_t> first;  ///< node n's edges are edges[first[n]] .. edges[first[n + 1]], values ascending
        std::vector<Edge> edges;
        [[nodiscard]] std::size_t size() const noexcept { return first.size() - 1; }
    };

    std::vector<std::size_t> order;  ///< parameter of each layer, ascending
    std::vector<Layer> layers;       ///< layer 0 has one node, or none where nothing is accepted

    [[nodiscard]] std::size_t edgeCount() const noexcept;
};

/// How many accepted assignments lie below each node under a mask; one more layer than the diagram, for its end.
struct DiagramCounts {
    std::vector<std::vector<double>> below;
    [[nodiscard]] double total() const noexcept { return below.front().empty() ? 0.0 : below.front().front(); }
};

/// allowed[l] is the mask's row for layer l, or nullptr for all values.
using LayerMask = std::vector<const std::vector<bool>*>;

[[nodiscard]] DiagramCounts countPaths(const Diagram& diagram, const LayerMask& allowed);

/// One uniformly drawn path; writes the values into `configuration`. False where there is none.
[[nodiscard]] bool samplePath(const Diagram& diagram, const DiagramCounts& counts, const LayerMask& allowed, SplitMix64& rng,
                              Configuration& configuration);

/// Values at `layer` through which a path leads that agrees with `fixed` (by layer; nullopt is free).
[[nodiscard]] std::vector<bool> feasibleAt(const Diagram& diagram, const DiagramCounts& counts, const LayerMask& allowed,
                                           const std::vector<std::optional<std::uint16_t>>& fixed, std::size_t layer, std::size_t domain);

}  // namespace ww::space
