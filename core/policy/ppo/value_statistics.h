// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "space/search_space.h"

namespace ww::policy {

/// What this session has seen of every value of every parameter: running sums, so that one observation costs O(parameters).
/// Learning within 200 trials rests on these: they turn "this value did well" into an input that all parameters share.
class ValueStatistics {
public:
    struct Cell {
        double tried = 0;        ///< trials with a reward
        double failed = 0;       ///< of these, those that gave no correct time
        double rewardSum = 0;
        double best = 0;         ///< highest reward; meaningless where tried is 0
    };

    ValueStatistics() = default;
    explicit ValueStatistics(const space::SearchSpace& space);

    void add(const space::Configuration& configuration, double reward, bool failed);

    [[nodiscard]] const Cell& cell(std::size_t parameter, std::size_t value) const { return m_cells[parameter][value]; }
    [[nodiscard]] double total() const noexcept { return m_total; }
    /// Standardised reward: 0 is this session's mean, 1 its standard deviation; clamped to [-3, 3].
    [[nodiscard]] double standardise(double reward) const noexcept;
    /// Standardised mean of a value, shrunk towards 0 as by one trial of average reward. 0 where it is untried.
    [[nodiscard]] double shrunkMean(std::size_t parameter, std::size_t value) const;
    /// The same over the neighbourhood in an ordered domain, so that a long domain need not be tried out value by value.
    [[nodiscard]] double smoothedMean(std::size_t parameter, std::size_t value) const;

    [[nodiscard]] const std::vector<std::vector<Cell>>& cells() const noexcept { return m_cells; }
    [[nodiscard]] double rewardSum() const noexcept { return m_rewardSum; }
    [[nodiscard]] double squareSum() const noexcept { return m_squareSum; }
    /// For checkpoints; `cells` must have the shape of this object's.
    void assign(std::vector<std::vector<Cell>> cells, double total, double rewardSum, double squareSum);

private:
    std::vector<std::vector<Cell>> m_cells;
    double m_total = 0, m_rewardSum = 0, m_squareSum = 0;
};

}  // namespace ww::policy
