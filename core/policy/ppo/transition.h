// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "encode/state_vector.h"
#include "policy/ppo/actor_critic.h"
#include "policy/ppo/byte_stream.h"
#include "policy/ppo/ppo_parameters.h"

namespace ww::policy {

/// One decision (a configuration proposed at a state) and, once it has run, its reward. The descriptors are kept as they
/// were when it was sampled: they are part of what the policy saw.
struct Transition {
    encode::StateVector state{};
    encode::StateVector nextState{};
    std::vector<float> descriptors;          ///< rows x kDescriptorSize: the unmasked values of parameters that had a choice
    std::vector<std::uint32_t> segmentSizes; ///< rows per such parameter
    std::vector<std::uint32_t> chosen;       ///< the row taken, within its segment
    double logProb = 0;                      ///< tempered, joint over all parameters
    double reward = 0;
    std::uint64_t episode = 0;
    bool onPolicy = false;                   ///< sampled from the policy: enters the policy loss
};

/// Flattens transitions (oldest first) for ActorCritic::update. Advantages by GAE within an episode, standardised over the
/// transitions that the policy chose; returns are advantage + value. `values` and `nextValues` are V of state and nextState.
[[nodiscard]] UpdateBatch makeBatch(const std::vector<const Transition*>& transitions, const std::vector<double>& values,
                                    const std::vector<double>& nextValues, const PpoParameters& parameters, double temperature);

void write(ByteWriter& out, const Transition& transition);
[[nodiscard]] bool read(ByteReader& in, Transition& transition);

}  // namespace ww::policy
