// SPDX-License-Identifier: Apache-2.0
// The set of valid configurations: counting, drawing, walking, neighbours, feasible values.
#include <algorithm>
#include <cmath>
#include <limits>

#include "space/impl.h"

namespace ww::space {

namespace {

// Estimates are drawn from a fixed seed: the same space gives the same figure everywhere.
constexpr std::uint64_t kEstimateSeed = 0x77617270;
constexpr std::uint64_t kEstimateDraws = 40'000;
constexpr int kRejectionDraws = 200'000;
constexpr std::uint64_t kWitnessSteps = 20'000;
constexpr std::uint64_t kSearchSteps = 5'000'000;
constexpr DiagramLimits kRefusalLimits{300'000, 3'000'000};

}  // namespace

Count estimateFrom(double total, std::uint64_t hits, std::uint64_t trials) {
    constexpr double z = 1.959963984540054;
    const double n = static_cast<double>(trials), p = static_cast<double>(hits) / n;
    const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return {total * p, false, total * std::max(0.0, middle - half), total * std::min(1.0, middle + half)};
}

bool SearchSpace::Impl::accepts(std::size_t constraint, const Configuration& configuration) const {
    // Only the named parameters are read; the row is kept small on the stack for the usual few.
    std::vector<expr::Number> inputs(parameters.size());
    for (const std::size_t parameter : compiled[constraint].parameters)
        inputs[parameter] = domains[parameter][configuration.index[parameter]];
    return compiled[constraint].program.accepts(inputs.data(), objects);
}

bool SearchSpace::Impl::acceptsUnchecked(const Configuration& configuration) const {
    return std::all_of(unchecked.begin(), unchecked.end(), [&](std::size_t c) { return accepts(c, configuration); });
}

double SearchSpace::Impl::total(const ValueMask* mask) const {
    double product = refused ? 0.0 : 1.0;
    for (const auto& component : components)
        product *= component->counts(mask)->total();
    return product;
}

bool SearchSpace::Impl::draw(SplitMix64& rng, const ValueMask* mask, Configuration& configuration) const {
    configuration.index.assign(parameters.size(), 0);
    if (refused) return false;
    for (const auto& component : components)
        if (!samplePath(component->diagram(), *component->counts(mask), component->layerMask(mask), rng, configuration)) return false;
    return true;
}

/// One depth-first walk; parameters in order, each component standing at a node of its diagram.
class SearchSpace::Impl::Walker {
public:
    Walker(const Impl& space, const ValueMask* mask, const Partial* fixed, std::uint64_t steps,
           const std::function<bool(const Configuration&)>& visit)
        : m_space(space), m_fixed(fixed), m_steps(steps), m_visit(visit), m_node(space.components.size(), 0) {
        m_configuration.index.assign(space.parameters.size(), 0);
        for (const auto& component : space.components) {
            m_counts.push_back(component->counts(mask));
            m_masks.push_back(component->layerMask(mask));
        }
        m_ends.resize(space.parameters.size());
        for (const std::size_t c : space.unchecked)
            m_ends[space.compiled[c].parameters.back()].push_back(c);
    }

    bool run() {
        (void)descend(0);
        return !m_exhausted;
    }

private:
    bool descend(std::size_t parameter) {
        if (parameter == m_space.parameters.size()) return m_visit(m_configuration);
        const std::size_t c = m_space.componentOf[parameter], l = m_space.layerOf[parameter];
        const Diagram::Layer& layer = m_space.components[c]->diagram().layers[l];
        const std::vector<double>& below = m_counts[c]->below[l + 1];
        const std::vector<bool>* allowed = m_masks[c][l];
        const std::uint32_t node = m_node[c];
        for (std::uint32_t e = layer.first[node]; e < layer.first[node + 1]; ++e) {
            const Diagram::Edge edge = layer.edges[e];
            if ((allowed && !(*allowed)[edge.value]) || below[edge.child] <= 0.0) continue;
            if (m_fixed && (*m_fixed)[parameter] && *(*m_fixed)[parameter] != edge.value) continue;
            if (m_steps-- == 0) {
                m_exhausted = true;
                return false;
            }
            m_configuration.index[parameter] = edge.value;
            const auto& ends = m_ends[parameter];
            if (!std::all_of(ends.begin(), ends.end(), [&](std::size_t k) { return m_space.accepts(k, m_configuration); })) continue;
            m_node[c] = edge.child;
            if (!descend(parameter + 1)) return false;
        }
        m_node[c] = node;
        return true;
    }

    const Impl& m_space;
    const Partial* m_fixed;
    std::uint64_t m_steps;
    bool m_exhausted = false;
    const std::function<bool(const Configuration&)>& m_visit;
    std::vector<std::uint32_t> m_node;
    Configuration m_configuration;
    std::vector<std::shared_ptr<const DiagramCounts>> m_counts;
    std::vector<LayerMask> m_masks;
    std::vector<std::vector<std::size_t>> m_ends;  ///< by parameter: constraints to check there
};

bool SearchSpace::Impl::walk(const ValueMask* mask, const Partial* fixed, std::uint64_t steps,
                             const std::function<bool(const Configuration&)>& visit) const {
    if (total(mask) <= 0.0) return true;
    return Walker(*this, mask, fixed, steps, visit).run();
}

Count SearchSpace::countValid(const ValueMask* mask) const {
    const double total = m_impl->total(mask);
    if (m_impl->unchecked.empty() || total <= 0.0) return {total, true, total, total};
    if (!mask) {
        const std::lock_guard lock(m_impl->mutex);
        if (m_impl->estimate) return *m_impl->estimate;
    }
    SplitMix64 rng(kEstimateSeed);
    Configuration configuration;
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < kEstimateDraws; ++i)
        hits += m_impl->draw(rng, mask, configuration) && m_impl->acceptsUnchecked(configuration) ? 1 : 0;
    const Count count = estimateFrom(total, hits, kEstimateDraws);
    if (!mask) {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->estimate = count;
    }
    return count;
}

bool SearchSpace::isEmpty() const {
    if (m_impl->unchecked.empty()) return m_impl->total(nullptr) <= 0.0;
    SplitMix64 rng(kEstimateSeed);
    return !sample(rng);
}

std::optional<Configuration> SearchSpace::sample(SplitMix64& rng, const ValueMask* mask) const {
    Configuration configuration;
    const int draws = m_impl->unchecked.empty() ? 1 : kRejectionDraws;
    for (int i = 0; i < draws; ++i) {
        if (!m_impl->draw(rng, mask, configuration)) return std::nullopt;
        if (m_impl->acceptsUnchecked(configuration)) return configuration;
    }
    // So few are valid that none was drawn: the first one that a search finds is better than none, though not uniform.
    std::optional<Configuration> found;
    (void)m_impl->walk(mask, nullptr, kSearchSteps, [&](const Configuration& valid) {
        found = valid;
        return false;
    });
    return found;
}

void SearchSpace::forEachValid(const std::function<bool(const Configuration&)>& visit, const ValueMask* mask) const {
    (void)m_impl->walk(mask, nullptr, std::numeric_limits<std::uint64_t>::max(), visit);
}

std::vector<Configuration> SearchSpace::neighbours(const Configuration& configuration, const ValueMask* mask) const {
    std::vector<Configuration> found;
    const std::size_t count = m_impl->parameters.size();
    const auto masked = [&](std::size_t p, std::size_t v) { return mask && !(*mask)[p][v]; };
    std::size_t barred = 0, barredAt = 0;
    for (std::size_t p = 0; p < count; ++p) {
        if (!masked(p, configuration.index[p])) continue;
        ++barred;
        barredAt = p;
    }
    // What the configuration breaks already must be mended by the one parameter that changes.
    std::vector<std::size_t> broken;
    for (std::size_t c = 0; c < m_impl->compiled.size(); ++c)
        if (!m_impl->accepts(c, configuration)) broken.push_back(c);
    for (std::size_t p = 0; p < count; ++p) {
        if (barred > 1 || (barred == 1 && barredAt != p)) continue;
        const auto uses = [&](std::size_t c) {
            const auto& used = m_impl->compiled[c].parameters;
            return std::binary_search(used.begin(), used.end(), p);
        };
        if (!std::all_of(broken.begin(), broken.end(), uses)) continue;
        Configuration other = configuration;
        for (std::size_t v = 0; v < m_impl->parameters[p].values.size(); ++v) {
            if (v == configuration.index[p] || masked(p, v)) continue;
            other.index[p] = static_cast<std::uint16_t>(v);
            bool valid = true;
            for (std::size_t c = 0; valid && c < m_impl->compiled.size(); ++c)
                valid = !uses(c) || m_impl->accepts(c, other);
            if (valid) found.push_back(other);
        }
    }
    return found;
}

std::vector<bool> SearchSpace::feasibleValues(const std::vector<std::optional<std::uint16_t>>& partial, std::size_t parameter,
                                              const ValueMask* mask) const {
    const Impl& space = *m_impl;
    const std::size_t own = space.componentOf[parameter];
    std::vector<bool> none(space.parameters[parameter].values.size(), false);
    if (space.refused) return none;
    std::vector<bool> feasible;
    for (std::size_t c = 0; c < space.components.size(); ++c) {
        const Component& component = *space.components[c];
        const auto counts = component.counts(mask);
        if (counts->total() <= 0.0) return none;
        Impl::Partial fixed;
        for (const std::size_t p : component.parameters())
            fixed.push_back(partial[p]);
        if (c == own) {
            const std::size_t layer = space.layerOf[parameter];
            feasible = feasibleAt(component.diagram(), *counts, component.layerMask(mask), fixed, layer, none.size());
            continue;
        }
        // Another component matters only where what is fixed there leads nowhere; its last fixed layer tells.
        std::size_t last = fixed.size();
        while (last > 0 && !fixed[last - 1])
            --last;
        if (last == 0) continue;
        const std::uint16_t value = *fixed[last - 1];
        const std::size_t domain = space.parameters[component.parameters()[last - 1]].values.size();
        if (!feasibleAt(component.diagram(), *counts, component.layerMask(mask), fixed, last - 1, domain)[value]) return none;
    }
    if (space.unchecked.empty()) return feasible;
    Impl::Partial fixed = partial;
    for (std::size_t v = 0; v < feasible.size(); ++v) {
        if (!feasible[v]) continue;
        fixed[parameter] = static_cast<std::uint16_t>(v);
        bool witness = false;
        const bool finished = space.walk(mask, &fixed, kWitnessSteps, [&](const Configuration&) {
            witness = true;
            return false;
        });
        feasible[v] = witness || !finished;
    }
    return feasible;
}

Count SearchSpace::Impl::refusals(std::size_t constraint) const {
    const std::vector<std::size_t>& own = compiled[constraint].parameters;
    double all = 1.0, combinations = 1.0;
    for (const Parameter& parameter : parameters)
        all *= static_cast<double>(parameter.values.size());
    for (const std::size_t parameter : own)
        combinations *= static_cast<double>(parameters[parameter].values.size());
    const auto exactly = [](double value) { return Count{value, true, value, value}; };
    if (own.empty()) return exactly(accepts(constraint, Configuration{}) ? 0.0 : all);
    std::vector<std::size_t> owner;
    expr::Objects scratch = objects;
    const BuiltDiagram built = buildDiagram(diagramInput(own, compiled, {constraint}, domains, owner), scratch, kRefusalLimits);
    if (built.diagram) {
        const double accepted = countPaths(*built.diagram, LayerMask(own.size(), nullptr)).total();
        return exactly((combinations - accepted) * (all / combinations));
    }
    SplitMix64 rng(deriveSeed(kEstimateSeed, constraint));
    Configuration configuration;
    configuration.index.assign(parameters.size(), 0);
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < kEstimateDraws; ++i) {
        for (const std::size_t parameter : own)
            configuration.index[parameter] = static_cast<std::uint16_t>(rng.below(parameters[parameter].values.size()));
        hits += accepts(constraint, configuration) ? 0 : 1;
    }
    return estimateFrom(all, hits, kEstimateDraws);
}

std::map<std::string, Count> SearchSpace::rejectedBy() const {
    const std::lock_guard lock(m_impl->mutex);
    if (!m_impl->rejected) {
        std::map<std::string, Count> rejected;
        for (std::size_t c = 0; c < m_impl->constraints.size(); ++c)
            rejected.emplace(m_impl->constraints[c].id, m_impl->refusals(c));
        m_impl->rejected = std::move(rejected);
    }
    return *m_impl->rejected;
}

}  // namespace ww::space
