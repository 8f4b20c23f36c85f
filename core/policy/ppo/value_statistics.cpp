// SPDX-License-Identifier: Apache-2.0
#include "policy/ppo/value_statistics.h"

#include <algorithm>
#include <cmath>

namespace ww::policy {

namespace {

/// Below this spread all rewards count as equal; in units of reward.
constexpr double kSmallestDeviation = 1e-3;
constexpr double kLargestScore = 3;

}  // namespace

ValueStatistics::ValueStatistics(const space::SearchSpace& space) {
    for (const space::Parameter& parameter : space.parameters()) m_cells.emplace_back(parameter.values.size());
}

void ValueStatistics::add(const space::Configuration& configuration, double reward, bool failed) {
    if (!std::isfinite(reward)) return;
    m_total += 1;
    m_rewardSum += reward;
    m_squareSum += reward * reward;
    const std::size_t parameters = std::min(m_cells.size(), configuration.index.size());
    for (std::size_t p = 0; p < parameters; ++p) {
        if (configuration.index[p] >= m_cells[p].size()) continue;
        Cell& cell = m_cells[p][configuration.index[p]];
        cell.best = cell.tried > 0 ? std::max(cell.best, reward) : reward;
        cell.tried += 1;
        cell.failed += failed ? 1 : 0;
        cell.rewardSum += reward;
    }
}

double ValueStatistics::standardise(double reward) const noexcept {
    if (m_total < 2) return 0;
    const double mean = m_rewardSum / m_total;
    const double variance = std::max(0.0, m_squareSum / m_total - mean * mean);
    return std::clamp((reward - mean) / std::max(std::sqrt(variance), kSmallestDeviation), -kLargestScore, kLargestScore);
}

double ValueStatistics::shrunkMean(std::size_t parameter, std::size_t value) const {
    const Cell& at = m_cells[parameter][value];
    return at.tried > 0 ? standardise(at.rewardSum / at.tried) * at.tried / (at.tried + 1) : 0;
}

double ValueStatistics::smoothedMean(std::size_t parameter, std::size_t value) const {
    const std::vector<Cell>& row = m_cells[parameter];
    // Half the weight at about a twelfth of the domain, and at no less than the nearest neighbour.
    const double width = std::max(1.0, static_cast<double>(row.size()) / 12);
    double tried = 0, sum = 0;
    for (std::size_t other = 0; other < row.size(); ++other) {
        if (row[other].tried == 0) continue;
        const double distance = (static_cast<double>(other) - static_cast<double>(value)) / width;
        const double weight = std::exp2(-distance * distance);
        tried += weight * row[other].tried;
        sum += weight * row[other].rewardSum;
    }
    return tried > 1e-6 ? standardise(sum / tried) * tried / (tried + 1) : 0;
}

void ValueStatistics::assign(std::vector<std::vector<Cell>> cells, double total, double rewardSum, double squareSum) {
    m_cells = std::move(cells);
    m_total = total;
    m_rewardSum = rewardSum;
    m_squareSum = squareSum;
}

}  // namespace ww::policy
