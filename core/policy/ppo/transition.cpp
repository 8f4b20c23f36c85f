// SPDX-License-Identifier: Apache-2.0
#include "policy/ppo/transition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "policy/ppo/descriptors.h"
#include "policy/ppo/gae.h"

namespace ww::policy {

namespace {

/// Mean 0 and deviation 1 over the transitions with weight; others are set to 0, since no loss reads them.
void standardiseAdvantages(std::vector<float>& advantages, const std::vector<float>& weights) {
    double count = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < advantages.size(); ++i) {
        count += weights[i];
        sum += weights[i] * advantages[i];
        squares += weights[i] * advantages[i] * advantages[i];
    }
    const double mean = count > 0 ? sum / count : 0;
    const double deviation = count > 0 ? std::sqrt(std::max(0.0, squares / count - mean * mean)) : 0;
    for (std::size_t i = 0; i < advantages.size(); ++i)
        advantages[i] = weights[i] > 0 ? static_cast<float>((advantages[i] - mean) / (deviation + 1e-8)) : 0.0f;
}

void appendRows(UpdateBatch& batch, const Transition& transition, std::size_t number) {
    batch.descriptors.insert(batch.descriptors.end(), transition.descriptors.begin(), transition.descriptors.end());
    for (std::size_t s = 0; s < transition.segmentSizes.size(); ++s) {
        const auto segment = static_cast<std::int64_t>(batch.segmentTransition.size());
        const std::uint32_t size = transition.segmentSizes[s];
        batch.chosenRow.push_back(static_cast<std::int64_t>(batch.rowTransition.size() + transition.chosen[s]));
        batch.segmentTransition.push_back(static_cast<std::int64_t>(number));
        batch.segmentMaxEntropy.push_back(std::log(static_cast<float>(size)));
        batch.rowTransition.insert(batch.rowTransition.end(), size, static_cast<std::int64_t>(number));
        batch.rowSegment.insert(batch.rowSegment.end(), size, segment);
    }
}

}  // namespace

UpdateBatch makeBatch(const std::vector<const Transition*>& transitions, const std::vector<double>& values,
                      const std::vector<double>& nextValues, const PpoParameters& parameters, double temperature) {
    UpdateBatch batch;
    batch.temperature = static_cast<float>(temperature);
    std::vector<GaeStep> steps;
    for (std::size_t i = 0; i < transitions.size(); ++i) {
        const Transition& transition = *transitions[i];
        const bool last = i + 1 == transitions.size() || transitions[i + 1]->episode != transition.episode;
        steps.push_back({transition.reward, values[i], nextValues[i], last});
        batch.states.push_back(transition.state);
        batch.logProb.push_back(static_cast<float>(transition.logProb));
        // A transition without a choice has no gradient in the policy loss, only noise in the advantages' mean.
        batch.policyWeight.push_back(transition.onPolicy && !transition.segmentSizes.empty() ? 1.0f : 0.0f);
        appendRows(batch, transition, i);
    }
    const std::vector<double> advantages = gae(steps, parameters.gamma, parameters.gaeLambda);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        batch.advantage.push_back(static_cast<float>(advantages[i]));
        batch.returns.push_back(static_cast<float>(advantages[i] + values[i]));
    }
    standardiseAdvantages(batch.advantage, batch.policyWeight);
    return batch;
}

void write(ByteWriter& out, const Transition& transition) {
    out.put(transition.state);
    out.put(transition.nextState);
    out.putAll(transition.descriptors);
    out.putAll(transition.segmentSizes);
    out.putAll(transition.chosen);
    out.put(transition.logProb);
    out.put(transition.reward);
    out.put(transition.episode);
    out.put(static_cast<std::uint8_t>(transition.onPolicy));
}

bool read(ByteReader& in, Transition& transition) {
    std::uint8_t onPolicy = 0;
    in.get(transition.state);
    in.get(transition.nextState);
    in.getAll(transition.descriptors);
    in.getAll(transition.segmentSizes);
    in.getAll(transition.chosen);
    in.get(transition.logProb);
    in.get(transition.reward);
    in.get(transition.episode);
    if (!in.get(onPolicy) || onPolicy > 1 || transition.chosen.size() != transition.segmentSizes.size()) return false;
    transition.onPolicy = onPolicy == 1;
    std::uint64_t rows = 0;
    for (std::size_t s = 0; s < transition.chosen.size(); ++s) {
        if (transition.chosen[s] >= transition.segmentSizes[s]) return false;
        rows += transition.segmentSizes[s];
    }
    return transition.descriptors.size() == rows * kDescriptorSize;
}

}  // namespace ww::policy
