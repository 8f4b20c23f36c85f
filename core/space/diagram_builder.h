// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "expr/node.h"
#include "expr/program.h"
#include "space/diagram.h"

namespace ww::space {

/// What a diagram is built from. Slot i of a constraint's tree is the parameter of layer i.
struct DiagramInput {
    std::vector<std::size_t> order;                   ///< parameter of each layer
    std::vector<std::vector<expr::Number>> domains;   ///< by layer
    std::vector<expr::Node> constraints;
};

struct DiagramLimits {
    std::size_t nodes = 4'000'000;
    std::size_t edges = 24'000'000;
};

struct BuiltDiagram {
    std::optional<Diagram> diagram;  ///< nullopt: the limits were passed
    std::size_t widest = 0;          ///< then: the constraint whose unfinished state weighed most
};

/// Builds layer by layer. Two partial assignments share a node where every unfinished constraint has the same values in its
/// largest parts that are bound already: the rest of the constraint cannot tell them apart. Each constraint is checked
/// at its last parameter and never earlier, so that nothing is refused that its full evaluation accepts.
[[nodiscard]] BuiltDiagram buildDiagram(DiagramInput input, expr::Objects& objects, const DiagramLimits& limits);

/// Top-level `and` and comparison chains taken apart: all parts must hold, so each can be checked by itself.
void splitConjunction(expr::Node node, std::vector<expr::Node>& parts);

/// The largest slot in the tree and the smallest; nullopt where it has none.
[[nodiscard]] std::optional<std::uint32_t> lastSlot(const expr::Node& node);
[[nodiscard]] std::optional<std::uint32_t> firstSlot(const expr::Node& node);

/// Orders the operands of integer sums and products by the layer that binds them, so that they fold into one running value.
/// Only where no intermediate result can overflow; integer + and * are then associative and commutative.
void orderSums(expr::Node& node, const std::vector<std::vector<expr::Number>>& domains);

}  // namespace ww::space
