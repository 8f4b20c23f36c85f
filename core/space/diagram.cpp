// SPDX-License-Identifier: Apache-2.0
#include "space/diagram.h"

namespace ww::space {

namespace {

bool allows(const LayerMask& allowed, std::size_t layer, std::uint16_t value) {
    return !allowed[layer] || (*allowed[layer])[value];
}

}  // namespace

std::size_t Diagram::edgeCount() const noexcept {
    std::size_t total = 0;
    for (const Layer& layer : layers)
        total += layer.edges.size();
    return total;
}

DiagramCounts countPaths(const Diagram& diagram, const LayerMask& allowed) {
    DiagramCounts counts;
    counts.below.resize(diagram.layers.size() + 1);
    counts.below.back().assign(1, 1.0);
    for (std::size_t l = diagram.layers.size(); l-- > 0;) {
        const Diagram::Layer& layer = diagram.layers[l];
        std::vector<double>& below = counts.below[l];
        const std::vector<double>& next = counts.below[l + 1];
        below.assign(layer.size(), 0.0);
        for (std::size_t node = 0; node < layer.size(); ++node)
            for (std::uint32_t e = layer.first[node]; e < layer.first[node + 1]; ++e)
                if (allows(allowed, l, layer.edges[e].value)) below[node] += next[layer.edges[e].child];
    }
    return counts;
}

bool samplePath(const Diagram& diagram, const DiagramCounts& counts, const LayerMask& allowed, SplitMix64& rng, Configuration& configuration) {
    if (counts.total() <= 0.0) return false;
    std::uint32_t node = 0;
    for (std::size_t l = 0; l < diagram.layers.size(); ++l) {
        const Diagram::Layer& layer = diagram.layers[l];
        double left = rng.uniform() * counts.below[l][node];
        const Diagram::Edge* chosen = nullptr;
        for (std::uint32_t e = layer.first[node]; e < layer.first[node + 1]; ++e) {
            const Diagram::Edge& edge = layer.edges[e];
            const double weight = allows(allowed, l, edge.value) ? counts.below[l + 1][edge.child] : 0.0;
            if (weight <= 0.0) continue;
            chosen = &edge;  // the last one stays where rounding leaves a rest
            if (left < weight) break;
            left -= weight;
        }
        configuration.index[diagram.order[l]] = chosen->value;
        node = chosen->child;
    }
    return true;
}

std::vector<bool> feasibleAt(const Diagram& diagram, const DiagramCounts& counts, const LayerMask& allowed,
                             const std::vector<std::optional<std::uint16_t>>& fixed, std::size_t layer, std::size_t domain) {
    std::vector<bool> feasible(domain, false);
    if (counts.total() <= 0.0) return feasible;
    const auto passes = [&](std::size_t l, std::uint16_t value) { return allows(allowed, l, value) && (!fixed[l] || *fixed[l] == value); };
    // Forwards: the nodes of `layer` that the fixed values before it reach.
    std::vector<std::uint32_t> reached{0}, next;
    for (std::size_t l = 0; l < layer; ++l) {
        std::vector<bool> seen(l + 1 < diagram.layers.size() ? diagram.layers[l + 1].size() : 1, false);
        next.clear();
        for (const std::uint32_t node : reached)
            for (std::uint32_t e = diagram.layers[l].first[node]; e < diagram.layers[l].first[node + 1]; ++e) {
                const Diagram::Edge& edge = diagram.layers[l].edges[e];
                if (seen[edge.child] || !passes(l, edge.value) || counts.below[l + 1][edge.child] <= 0.0) continue;
                seen[edge.child] = true;
                next.push_back(edge.child);
            }
        reached.swap(next);
    }
    // Backwards, only as far as a value behind `layer` is fixed; behind that the counts know what is alive.
    std::size_t last = layer;
    for (std::size_t l = layer + 1; l < diagram.layers.size(); ++l)
        if (fixed[l]) last = l;
    std::vector<bool> alive(counts.below[last + 1].size());
    for (std::size_t node = 0; node < alive.size(); ++node)
        alive[node] = counts.below[last + 1][node] > 0.0;
    for (std::size_t l = last; l > layer; --l) {
        std::vector<bool> before(diagram.layers[l].size(), false);
        for (std::size_t node = 0; node < before.size(); ++node)
            for (std::uint32_t e = diagram.layers[l].first[node]; !before[node] && e < diagram.layers[l].first[node + 1]; ++e) {
                const Diagram::Edge& edge = diagram.layers[l].edges[e];
                before[node] = passes(l, edge.value) && alive[edge.child];
            }
        alive.swap(before);
    }
    for (const std::uint32_t node : reached)
        for (std::uint32_t e = diagram.layers[layer].first[node]; e < diagram.layers[layer].first[node + 1]; ++e) {
            const Diagram::Edge& edge = diagram.layers[layer].edges[e];
            if (allows(allowed, layer, edge.value) && alive[edge.child]) feasible[edge.value] = true;
        }
    return feasible;
}

}  // namespace ww::space
