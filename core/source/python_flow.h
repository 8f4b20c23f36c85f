// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/lane_step.h"
#include "source/python_terms.h"

namespace ww::source {

/// How a Triton value runs along each axis of its block; a scalar has no axes.
struct BlockFlow {
    std::vector<LaneStep> axes;
    std::string_view object;     ///< argument that an address goes back to
    bool descriptor = false;     ///< of tl.make_tensor_descriptor: its loads and stores go through the copy unit

    /// The axis by which a memory access is judged: neighbours along it lie next to each other, if along any.
    [[nodiscard]] LaneStep best() const;
    bool operator==(const BlockFlow&) const = default;
};

/// The Triton counterpart of LaneAnalysis: tl.arange counts up, tl.program_id is the same for the whole block, variables carry
/// what they were assigned, joined over the function.
class BlockAnalysis {
public:
    BlockAnalysis(std::string_view text, const PythonTerms& terms) : m_text(text), m_terms(terms) {}

    void learn(TSNode function);
    [[nodiscard]] BlockFlow of(TSNode expression) const { return evaluate(expression, 0); }

private:
    void assign(TSNode target, TSNode value);
    void join(std::string_view name, const BlockFlow& flow);
    [[nodiscard]] BlockFlow evaluate(TSNode node, int depth) const;
    [[nodiscard]] BlockFlow binary(TSNode node, int depth) const;
    [[nodiscard]] BlockFlow call(TSNode node, int depth) const;
    [[nodiscard]] BlockFlow subscript(TSNode node, int depth) const;
    [[nodiscard]] BlockFlow blockPointer(TSNode node, int depth) const;

    std::string_view m_text;
    const PythonTerms& m_terms;
    std::unordered_map<std::string_view, BlockFlow> m_variables;
};

}  // namespace ww::source
