// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "policy/ppo/value_statistics.h"
#include "space/search_space.h"

namespace ww::policy {

/// Features of a value, which follow those of its parameter in a row. Each lies in [-1, 1].
enum class ValueFeature : std::size_t {
    Rank, LogMagnitude, Magnitude, LogPosition, PowerOfTwo, IsDefault, IsIncumbent, SignedDistance, Closeness,
    TriedShare, Novelty, MeanReward, SmoothedReward, BestReward, FailedShare, MeanRank, Count,
};

inline constexpr std::size_t kParameterFeatures = 16;
inline constexpr std::size_t kValueFeatures = static_cast<std::size_t>(ValueFeature::Count);
/// One row of the scorer's input beside the state.
inline constexpr std::size_t kDescriptorSize = kParameterFeatures + kValueFeatures;

/// Names in order, for docs/policy.md and its test.
[[nodiscard]] const std::array<std::string_view, kDescriptorSize>& descriptorNames();

/// Where the rows of each parameter begin; rows of one parameter are its values in domain order.
struct DescriptorTable {
    std::vector<float> rows;                ///< (sum of domain sizes) x kDescriptorSize
    std::vector<std::size_t> firstRow;      ///< per parameter

    [[nodiscard]] std::span<const float> row(std::size_t parameter, std::size_t value) const {
        return std::span(rows).subspan((firstRow[parameter] + value) * kDescriptorSize, kDescriptorSize);
    }
};

/// Describes every value of every parameter as seen now: domain, incumbent, mask and what the session has learned.
[[nodiscard]] DescriptorTable describe(const space::SearchSpace& space, const space::ValueMask& mask, const ValueStatistics& statistics,
                                       const std::optional<space::Configuration>& incumbent);

/// Initial weights of the scorer's linear path: what an untrained policy believes (try what did well and what is untried,
/// stay near the incumbent, avoid what fails). PPO moves them like any other weight.
[[nodiscard]] std::array<float, kDescriptorSize> initialLinearWeights();

}  // namespace ww::policy
