// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "policy/ppo/actor_critic.h"
#include "policy/ppo/ppo_parameters.h"

namespace ww::policy {

/// PPO's network and optimiser over LibTorch, with reproducible initial weights.
[[nodiscard]] Result<std::unique_ptr<ActorCritic>> makeTorchActorCritic(std::uint64_t seed, const PpoParameters& parameters);

}  // namespace ww::policy
