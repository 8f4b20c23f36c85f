// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "encode/state_vector.h"

namespace ww::policy {

/// Transitions laid out for few large tensor operations. A row is one value that could have been chosen, a segment the
/// values of one parameter at one decision; masked values have no row.
struct UpdateBatch {
    std::vector<encode::StateVector> states;        ///< one per transition
    std::vector<float> descriptors;                 ///< rows x kDescriptorSize
    std::vector<std::int64_t> rowTransition;        ///< transition of each row
    std::vector<std::int64_t> rowSegment;           ///< segment of each row
    std::vector<std::int64_t> segmentTransition;
    std::vector<std::int64_t> chosenRow;            ///< per segment
    std::vector<float> segmentMaxEntropy;           ///< log of its number of rows, above 0
    std::vector<float> logProb;                     ///< per transition: tempered, as stored when it was sampled
    std::vector<float> advantage;                   ///< per transition
    std::vector<float> returns;                     ///< per transition: target of the critic
    std::vector<float> policyWeight;                ///< per transition: 1, or 0 where the policy did not choose it
    float temperature = 1;
};

/// Figures of one update, as cleanrl names them.
struct UpdateFigures {
    double policyLoss = 0, valueLoss = 0, entropy = 0, approxKl = 0, clipfrac = 0, explainedVariance = 0;
    double gradNorm = 0;
    int epochs = 0;          ///< steps taken; 0 where the loss was not finite
};

/// The learned part of PPO. Implemented over LibTorch in the module; tests have a plain one. One thread.
class ActorCritic {
public:
    virtual ~ActorCritic() = default;
    /// Logits (bounded, not tempered) of every row at this state.
    [[nodiscard]] virtual Result<std::vector<float>> score(const encode::StateVector& state, std::span<const float> descriptors) = 0;
    /// V(s) of every state.
    [[nodiscard]] virtual Result<std::vector<double>> values(std::span<const encode::StateVector> states) = 0;
    [[nodiscard]] virtual Result<UpdateFigures> update(const UpdateBatch& batch) = 0;
    /// Weights and the optimiser's state as plain floats, and back. Errors: InvalidArgument for another number of weights.
    [[nodiscard]] virtual std::vector<float> weights() const = 0;
    [[nodiscard]] virtual Result<void> setWeights(std::span<const float> weights) = 0;
};

}  // namespace ww::policy
