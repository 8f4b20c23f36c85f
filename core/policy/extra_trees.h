// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ww::policy {

/// Rows of numbers of one width, one after the other.
struct FeatureTable {
    std::size_t width = 0;
    std::vector<float> values;
    [[nodiscard]] std::size_t rows() const noexcept { return width == 0 ? 0 : values.size() / width; }
    [[nodiscard]] std::span<const float> row(std::size_t index) const noexcept { return {values.data() + index * width, width}; }
};

/// Extremely randomised trees (Geurts, Ernst, Wehenkel 2006) whose splits are cuts of a weighted sum of a few columns. Over
/// logarithms such a cut bounds a product of parameters, which is what a device's limits do. The mean of the trees over 0/1
/// targets is a probability. Deterministic by seed; immutable once fitted.
class ExtraTrees {
public:
    struct Options {
        int trees = 40;
        int candidates = 16;  ///< random cuts tried per node
        int minSplit = 2;     ///< rows that a node needs to be split
    };

    ExtraTrees() = default;
    /// One target per row; no rows give an empty model.
    [[nodiscard]] static ExtraTrees fit(const FeatureTable& rows, std::span<const float> targets, const Options& options, std::uint64_t seed);

    [[nodiscard]] bool isEmpty() const noexcept { return m_roots.empty(); }
    /// Mean over the trees. The row must have the width of those fitted; an empty model gives 0.
    [[nodiscard]] float predict(std::span<const float> row) const noexcept;

private:
    friend class TreeGrower;
    static constexpr std::size_t kMaxTerms = 3;
    struct Split {
        std::array<std::uint16_t, kMaxTerms> column{};
        std::array<float, kMaxTerms> weight{};  ///< 0 where the term is unused
        float cut = 0;
        [[nodiscard]] float project(std::span<const float> row) const noexcept {
            return weight[0] * row[column[0]] + weight[1] * row[column[1]] + weight[2] * row[column[2]];
        }
    };
    struct Node {
        Split split;
        std::uint32_t left = 0;  ///< the right child follows it; 0: a leaf
        float mean = 0;
    };
    std::vector<Node> m_nodes;
    std::vector<std::uint32_t> m_roots;
};

}  // namespace ww::policy
