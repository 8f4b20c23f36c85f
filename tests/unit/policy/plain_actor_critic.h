// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/ppo/actor_critic.h"
#include "policy/ppo/descriptors.h"

namespace policy_test {

/// A linear scorer that never learns and shows what it was asked: what the strategy does around its network can be
/// recomputed exactly, without LibTorch.
class PlainActorCritic final : public ww::policy::ActorCritic {
public:
    struct Record {
        std::vector<float> lastScores;
        std::vector<ww::policy::UpdateBatch> batches;
    };

    explicit PlainActorCritic(std::shared_ptr<Record> record) : m_record(std::move(record)) {
        for (std::size_t i = 0; i < ww::policy::kDescriptorSize; ++i)
            m_weights.push_back(std::sin(1.0f + 3.0f * static_cast<float>(i)));
    }

    [[nodiscard]] float scoreOf(std::span<const float> row) const {
        float sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i)
            sum += m_weights[i] * row[i];
        return sum;
    }

    ww::Result<std::vector<float>> score(const ww::encode::StateVector&, std::span<const float> descriptors) override {
        m_record->lastScores.clear();
        for (std::size_t at = 0; at < descriptors.size(); at += ww::policy::kDescriptorSize)
            m_record->lastScores.push_back(scoreOf(descriptors.subspan(at, ww::policy::kDescriptorSize)));
        return m_record->lastScores;
    }
    ww::Result<std::vector<double>> values(std::span<const ww::encode::StateVector> states) override {
        return std::vector<double>(states.size(), 0.25);
    }
    ww::Result<ww::policy::UpdateFigures> update(const ww::policy::UpdateBatch& batch) override {
        m_record->batches.push_back(batch);
        return ww::policy::UpdateFigures{};
    }
    std::vector<float> weights() const override { return m_weights; }
    ww::Result<void> setWeights(std::span<const float> weights) override {
        if (weights.size() != m_weights.size()) return ww::fail(ww::ErrorCode::InvalidArgument, "another number of weights");
        m_weights.assign(weights.begin(), weights.end());
        return {};
    }

private:
    std::vector<float> m_weights;
    std::shared_ptr<Record> m_record;
};

} // namespace policy_test
