// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "expr/program.h"
#include "policy/extra_trees.h"
#include "space/search_space.h"

namespace ww::policy {

/// A configuration as numbers that a cut can tell apart, one unit per doubling or two from one end of a domain to the other:
/// logarithms of positive parameters, places of other numbers, one column per value of the rest, and the logarithms of what
/// the space's conditions compare (threads of a block, shared bytes, ...) and of the given expressions. Parameters with one
/// value have no column. Engine thread only.
class ConfigurationFeatures {
public:
    /// Expressions with names that the space does not know are left out.
    ConfigurationFeatures(space::SearchSpace space, const std::vector<expr::Expression>& expressions);

    [[nodiscard]] std::size_t width() const noexcept { return m_width; }
    /// `row` has width() elements.
    void write(const space::Configuration& configuration, std::span<float> row);

private:
    void addParameter(const space::Parameter& parameter);
    void addComparisons(const expr::Node& node);
    void addProgram(const expr::Node& node);

    space::SearchSpace m_space;
    std::size_t m_width = 0;
    std::vector<std::vector<std::vector<float>>> m_columns;  ///< by parameter and value
    std::vector<std::vector<expr::Number>> m_numbers;        ///< by parameter and value; inputs of the programs
    std::vector<expr::Program> m_programs;
    expr::Objects m_objects;
};

}  // namespace ww::policy
