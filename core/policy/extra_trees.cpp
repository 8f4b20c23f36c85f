// SPDX-License-Identifier: Apache-2.0
#include "policy/extra_trees.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/rng.h"

namespace ww::policy {

/// Grows trees over one table.
class TreeGrower {
public:
    TreeGrower(const FeatureTable& rows, std::span<const float> targets, const ExtraTrees::Options& options, std::uint64_t seed)
        : m_rows(rows), m_targets(targets), m_options(options), m_rng(seed), m_projected(rows.rows()) {}

    void grow(std::vector<ExtraTrees::Node>& nodes) {
        std::vector<std::uint32_t> order(m_rows.rows());
        std::iota(order.begin(), order.end(), 0u);
        struct Open {
            std::size_t node;
            std::span<std::uint32_t> members;
        };
        // A stack of our own: a tree may be as deep as it has rows.
        std::vector<Open> open{{nodes.size(), order}};
        nodes.emplace_back();
        while (!open.empty()) {
            const auto [at, members] = open.back();
            open.pop_back();
            nodes[at].mean = meanOf(members);
            const auto split = bestSplit(members);
            if (!split) continue;
            const auto middle = std::partition(members.begin(), members.end(),
                                               [&](std::uint32_t i) { return split->project(m_rows.row(i)) <= split->cut; });
            const auto leftCount = static_cast<std::size_t>(middle - members.begin());
            nodes[at].split = *split;
            nodes[at].left = static_cast<std::uint32_t>(nodes.size());
            open.push_back({nodes.size(), members.first(leftCount)});
            open.push_back({nodes.size() + 1, members.subspan(leftCount)});
            nodes.resize(nodes.size() + 2);
        }
    }

private:
    float meanOf(std::span<const std::uint32_t> members) const {
        double sum = 0;
        for (const auto i : members) sum += m_targets[i];
        return static_cast<float>(sum / static_cast<double>(members.size()));
    }

    bool allEqual(std::span<const std::uint32_t> members) const {
        return std::ranges::all_of(members, [&](std::uint32_t i) { return m_targets[i] == m_targets[members.front()]; });
    }

    /// One to three columns. Weights are mostly positive: limits bound products more often than quotients.
    ExtraTrees::Split drawDirection() {
        ExtraTrees::Split split;
        const auto terms = std::min<std::size_t>(1 + m_rng.below(ExtraTrees::kMaxTerms), m_rows.width);
        for (std::size_t term = 0; term < terms; ++term) {
            const auto taken = std::span(split.column).first(term);
            do {
                split.column[term] = static_cast<std::uint16_t>(m_rng.below(m_rows.width));
            } while (std::ranges::find(taken, split.column[term]) != taken.end());
            const auto weight = static_cast<float>(0.25 + 0.75 * m_rng.uniform());
            split.weight[term] = term > 0 && m_rng.below(4) == 0 ? -weight : weight;
        }
        return split;
    }

    /// The candidate that explains most of the variance; nullopt where nothing is left to explain or nothing tells rows apart.
    std::optional<ExtraTrees::Split> bestSplit(std::span<const std::uint32_t> members) {
        if (static_cast<int>(members.size()) < m_options.minSplit || allEqual(members)) return std::nullopt;
        std::optional<ExtraTrees::Split> best;
        double bestGain = -1;
        const double total = static_cast<double>(meanOf(members)) * static_cast<double>(members.size());
        for (int candidate = 0; candidate < m_options.candidates; ++candidate) {
            auto split = drawDirection();
            float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
            for (std::size_t k = 0; k < members.size(); ++k) {
                m_projected[k] = split.project(m_rows.row(members[k]));
                low = std::min(low, m_projected[k]);
                high = std::max(high, m_projected[k]);
            }
            split.cut = low + (high - low) * static_cast<float>(m_rng.uniform());
            if (!(split.cut < high)) continue;
            double leftSum = 0, leftCount = 0;
            for (std::size_t k = 0; k < members.size(); ++k) {
                const bool left = m_projected[k] <= split.cut;
                leftCount += left ? 1 : 0;
                leftSum += left ? m_targets[members[k]] : 0.0f;
            }
            const double rightSum = total - leftSum, rightCount = static_cast<double>(members.size()) - leftCount;
            const double gain = leftSum * leftSum / leftCount + rightSum * rightSum / rightCount;
            if (gain <= bestGain) continue;
            bestGain = gain;
            best = split;
        }
        return best;
    }

    const FeatureTable& m_rows;
    std::span<const float> m_targets;
    const ExtraTrees::Options& m_options;
    SplitMix64 m_rng;
    std::vector<float> m_projected;
};

ExtraTrees ExtraTrees::fit(const FeatureTable& rows, std::span<const float> targets, const Options& options, std::uint64_t seed) {
    ExtraTrees fitted;
    if (rows.rows() == 0 || rows.rows() != targets.size()) return fitted;
    TreeGrower grower(rows, targets, options, seed);
    for (int tree = 0; tree < options.trees; ++tree) {
        fitted.m_roots.push_back(static_cast<std::uint32_t>(fitted.m_nodes.size()));
        grower.grow(fitted.m_nodes);
    }
    return fitted;
}

float ExtraTrees::predict(std::span<const float> row) const noexcept {
    if (m_roots.empty()) return 0;
    float sum = 0;
    for (const auto root : m_roots) {
        const Node* node = &m_nodes[root];
        while (node->left != 0) node = &m_nodes[node->left + (node->split.project(row) <= node->split.cut ? 0 : 1)];
        sum += node->mean;
    }
    return sum / static_cast<float>(m_roots.size());
}

}  // namespace ww::policy
