// SPDX-License-Identifier: Apache-2.0
#include "space/component.h"

#include <algorithm>

namespace ww::space {

namespace {

constexpr std::size_t kCachedMasks = 4;

void renameSlots(expr::Node& node, const std::vector<std::size_t>& parameters) {
    if (node.kind == expr::Kind::Slot) {
        node.slot = static_cast<std::uint32_t>(std::lower_bound(parameters.begin(), parameters.end(), node.slot) - parameters.begin());
    }
    for (expr::Node& child : node.children)
        renameSlots(child, parameters);
}

}  // namespace

DiagramInput diagramInput(const std::vector<std::size_t>& parameters, const std::vector<CompiledConstraint>& constraints,
                          const std::vector<std::size_t>& members, const std::vector<std::vector<expr::Number>>& domains,
                          std::vector<std::size_t>& owner) {
    DiagramInput input;
    input.order = parameters;
    for (const std::size_t parameter : parameters)
        input.domains.push_back(domains[parameter]);
    for (const std::size_t member : members) {
        expr::Node tree = constraints[member].tree;
        renameSlots(tree, parameters);
        splitConjunction(std::move(tree), input.constraints);
        owner.resize(input.constraints.size(), member);
    }
    return input;
}

Component::Component(std::vector<std::size_t> parameters, const std::vector<CompiledConstraint>& constraints,
                     const std::vector<std::size_t>& members, const std::vector<std::vector<expr::Number>>& domains, expr::Objects& objects) {
    std::vector<std::size_t> kept = members;
    for (;;) {
        std::vector<std::size_t> owner;
        BuiltDiagram built = buildDiagram(diagramInput(parameters, constraints, kept, domains, owner), objects, DiagramLimits{});
        if (built.diagram) {
            m_diagram = std::move(*built.diagram);
            break;
        }
        const std::size_t dropped = owner[built.widest];
        kept.erase(std::find(kept.begin(), kept.end(), dropped));
        m_unchecked.push_back(dropped);
    }
    m_all = std::make_shared<const DiagramCounts>(countPaths(m_diagram, layerMask(nullptr)));
}

LayerMask Component::layerMask(const ValueMask* mask) const {
    LayerMask allowed(m_diagram.order.size(), nullptr);
    for (std::size_t l = 0; mask && l < allowed.size(); ++l) {
        const std::vector<bool>& row = (*mask)[m_diagram.order[l]];
        if (std::find(row.begin(), row.end(), false) != row.end()) allowed[l] = &row;
    }
    return allowed;
}

std::shared_ptr<const DiagramCounts> Component::counts(const ValueMask* mask) const {
    const LayerMask allowed = layerMask(mask);
    if (std::all_of(allowed.begin(), allowed.end(), [](const auto* row) { return row == nullptr; })) return m_all;
    std::vector<std::vector<bool>> rows;
    for (const std::size_t parameter : m_diagram.order)
        rows.push_back((*mask)[parameter]);
    {
        const std::lock_guard lock(m_mutex);
        for (auto entry = m_cache.begin(); entry != m_cache.end(); ++entry) {
            if (entry->rows != rows) continue;
            m_cache.splice(m_cache.begin(), m_cache, entry);
            return entry->counts;
        }
    }
    auto counted = std::make_shared<const DiagramCounts>(countPaths(m_diagram, allowed));
    const std::lock_guard lock(m_mutex);
    m_cache.push_front({std::move(rows), counted});
    if (m_cache.size() > kCachedMasks) m_cache.pop_back();
    return counted;
}

}  // namespace ww::space
