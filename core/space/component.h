// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "expr/program.h"
#include "space/diagram.h"
#include "space/diagram_builder.h"
#include "space/search_space.h"

namespace ww::space {

/// A constraint made ready: parameters that it names, and its program over all parameters' values.
struct CompiledConstraint {
    expr::Node tree;                     ///< Slot i is parameter i
    expr::Program program;
    std::vector<std::size_t> parameters; ///< ascending
};

/// Parameters that share constraints, with the diagram of what they accept. Where the diagram would grow too large, it leaves
/// constraints out (`unchecked`) and accepts too much; the space then checks these one by one. Thread-safe.
class Component {
public:
    Component(std::vector<std::size_t> parameters, const std::vector<CompiledConstraint>& constraints,
              const std::vector<std::size_t>& members, const std::vector<std::vector<expr::Number>>& domains, expr::Objects& objects);

    [[nodiscard]] const std::vector<std::size_t>& parameters() const noexcept { return m_diagram.order; }
    [[nodiscard]] const Diagram& diagram() const noexcept { return m_diagram; }
    [[nodiscard]] const std::vector<std::size_t>& unchecked() const noexcept { return m_unchecked; }
    /// Counted once per mask and kept for the last few masks: pins and bans change rarely, proposals come often.
    [[nodiscard]] std::shared_ptr<const DiagramCounts> counts(const ValueMask* mask) const;
    [[nodiscard]] LayerMask layerMask(const ValueMask* mask) const;

private:
    struct Cached {
        std::vector<std::vector<bool>> rows;
        std::shared_ptr<const DiagramCounts> counts;
    };
    Diagram m_diagram;
    std::vector<std::size_t> m_unchecked;
    std::shared_ptr<const DiagramCounts> m_all;
    mutable std::mutex m_mutex;
    mutable std::list<Cached> m_cache;
};

/// The diagram's input for some constraints over some parameters: slots renamed to layers, conjunctions taken apart.
/// `owner` receives the constraint that each part comes from.
[[nodiscard]] DiagramInput diagramInput(const std::vector<std::size_t>& parameters, const std::vector<CompiledConstraint>& constraints,
                                        const std::vector<std::size_t>& members, const std::vector<std::vector<expr::Number>>& domains,
                                        std::vector<std::size_t>& owner);

}  // namespace ww::space
