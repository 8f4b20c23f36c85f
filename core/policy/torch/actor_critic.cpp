// SPDX-License-Identifier: Apache-2.0
#include "policy/torch/actor_critic.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <exception>
#include <numbers>

#include "base/hash.h"
#include "base/rng.h"
#include "policy/ppo/descriptors.h"

namespace ww::policy {

namespace {

using at::Tensor;

constexpr std::int64_t kState = encode::kStateSize;
constexpr std::int64_t kRow = kDescriptorSize;

/// Where each layer lies in the one flat vector of weights. One vector makes Adam, clipping and checkpoints a handful of
/// operations, whatever the number of layers.
struct Layout {
    struct Block {
        std::int64_t offset, rows, columns;
    };
    Block stateIn, rowIn, bias1, weight2, bias2, weight3, linear; // actor
    Block criticIn, criticBias1, critic2, criticBias2, critic3, criticBias3;
    std::int64_t size = 0;

    explicit Layout(std::int64_t hidden) {
        const auto next = [this](std::int64_t rows, std::int64_t columns) {
            const Block block{size, rows, columns};
            size += rows * columns;
            return block;
        };
        stateIn = next(kState, hidden);
        rowIn = next(kRow, hidden);
        bias1 = next(1, hidden);
        weight2 = next(hidden, hidden);
        bias2 = next(1, hidden);
        weight3 = next(hidden, 1);
        linear = next(kRow, 1);
        criticIn = next(kState, hidden);
        criticBias1 = next(1, hidden);
        critic2 = next(hidden, hidden);
        criticBias2 = next(1, hidden);
        critic3 = next(hidden, 1);
        criticBias3 = next(1, 1);
    }
};

Error torchError(const std::exception& exception) {
    const auto* error = dynamic_cast<const c10::Error*>(&exception);
    return Error{ErrorCode::Internal,
                 std::string("LibTorch failed in the policy: ") + (error ? error->what_without_backtrace() : exception.what())};
}

template <typename T> Tensor borrow(const std::vector<T>& values, at::IntArrayRef shape, at::ScalarType type) {
    return torch::from_blob(const_cast<T*>(values.data()), shape, type);
}

Tensor statesTensor(std::span<const encode::StateVector> states) {
    return torch::from_blob(const_cast<float*>(states.front().data()), {static_cast<std::int64_t>(states.size()), kState}, torch::kFloat32);
}

/// The batch as tensors that borrow its memory.
struct BatchTensors {
    Tensor states, rows, rowTransition, rowSegment, segmentTransition, chosen, maxEntropy, logProb, advantage, returns, weight;
    std::int64_t transitions = 0, segments = 0;
    double weightSum = 0;

    explicit BatchTensors(const UpdateBatch& batch)
        : transitions(static_cast<std::int64_t>(batch.states.size())), segments(static_cast<std::int64_t>(batch.segmentTransition.size())) {
        const auto count = static_cast<std::int64_t>(batch.rowTransition.size());
        states = statesTensor(batch.states);
        rows = borrow(batch.descriptors, {count, kRow}, torch::kFloat32);
        rowTransition = borrow(batch.rowTransition, {count}, torch::kInt64);
        rowSegment = borrow(batch.rowSegment, {count}, torch::kInt64);
        segmentTransition = borrow(batch.segmentTransition, {segments}, torch::kInt64);
        chosen = borrow(batch.chosenRow, {segments}, torch::kInt64);
        maxEntropy = borrow(batch.segmentMaxEntropy, {segments}, torch::kFloat32);
        logProb = borrow(batch.logProb, {transitions}, torch::kFloat32);
        advantage = borrow(batch.advantage, {transitions}, torch::kFloat32);
        returns = borrow(batch.returns, {transitions}, torch::kFloat32);
        weight = borrow(batch.policyWeight, {transitions}, torch::kFloat32);
        for (const float one : batch.policyWeight)
            weightSum += one;
    }
};

class TorchActorCritic final : public ActorCritic {
public:
    TorchActorCritic(std::uint64_t seed, const PpoParameters& parameters) : m_parameters(parameters), m_layout(parameters.hidden) {
        m_theta = initialWeights(seed).requires_grad_(true);
        m_mean = torch::zeros({m_layout.size});
        m_square = torch::zeros({m_layout.size});
    }

    Result<std::vector<float>> score(const encode::StateVector& state, std::span<const float> descriptors) override;
    Result<std::vector<double>> values(std::span<const encode::StateVector> states) override;
    Result<UpdateFigures> update(const UpdateBatch& batch) override;
    std::vector<float> weights() const override;
    Result<void> setWeights(std::span<const float> weights) override;

private:
    Tensor initialWeights(std::uint64_t seed) const;
    Tensor block(const Layout::Block& at) const { return m_theta.narrow(0, at.offset, at.rows * at.columns).view({at.rows, at.columns}); }
    Tensor actor(const Tensor& states, const Tensor& rows, const Tensor& rowTransition) const;
    Tensor critic(const Tensor& states) const;
    Tensor loss(const BatchTensors& batch, float temperature, UpdateFigures& figures) const;
    void step(const Tensor& gradient);

    PpoParameters m_parameters;
    Layout m_layout;
    Tensor m_theta;          ///< all weights, flat
    Tensor m_mean, m_square; ///< Adam's moments
    std::int64_t m_steps = 0;
};

/// Gaussian with deviation 1 / sqrt(inputs); output layers near 0, so that at first the linear path decides. Drawn with our
/// own generator: LibTorch's streams differ between its versions.
Tensor TorchActorCritic::initialWeights(std::uint64_t seed) const {
    std::vector<float> weights(static_cast<std::size_t>(m_layout.size), 0.0f);
    SplitMix64 rng(deriveSeed(seed, nameHash("policy/weights")));
    const auto fill = [&](const Layout::Block& at, double deviation) {
        for (std::int64_t i = 0; i < at.rows * at.columns; ++i) {
            const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
            weights[static_cast<std::size_t>(at.offset + i)] =
                static_cast<float>(deviation * radius * std::cos(2 * std::numbers::pi * rng.uniform()));
        }
    };
    const auto inputs = [](std::int64_t n) { return 1 / std::sqrt(static_cast<double>(n)); };
    fill(m_layout.stateIn, inputs(kState));
    fill(m_layout.rowIn, inputs(kRow));
    fill(m_layout.weight2, inputs(m_parameters.hidden));
    fill(m_layout.weight3, 0.01 * inputs(m_parameters.hidden));
    fill(m_layout.criticIn, inputs(kState));
    fill(m_layout.critic2, inputs(m_parameters.hidden));
    fill(m_layout.critic3, 0.1 * inputs(m_parameters.hidden));
    const auto linear = initialLinearWeights();
    std::copy(linear.begin(), linear.end(), weights.begin() + m_layout.linear.offset);
    return borrow(weights, {m_layout.size}, torch::kFloat32).clone();
}

/// Bounded logits, one per row. The state's share of the first layer is computed once per transition, not once per row.
Tensor TorchActorCritic::actor(const Tensor& states, const Tensor& rows, const Tensor& rowTransition) const {
    const Tensor embedded = at::addmm(block(m_layout.bias1), states, block(m_layout.stateIn));
    const Tensor first = at::tanh(at::addmm(embedded.index_select(0, rowTransition), rows, block(m_layout.rowIn)));
    const Tensor second = at::tanh(at::addmm(block(m_layout.bias2), first, block(m_layout.weight2)));
    const Tensor raw = at::addmm(second.matmul(block(m_layout.weight3)), rows, block(m_layout.linear)).squeeze(1);
    return at::tanh(raw / m_parameters.logitBound) * m_parameters.logitBound;
}

Tensor TorchActorCritic::critic(const Tensor& states) const {
    const Tensor first = at::tanh(at::addmm(block(m_layout.criticBias1), states, block(m_layout.criticIn)));
    const Tensor second = at::tanh(at::addmm(block(m_layout.criticBias2), first, block(m_layout.critic2)));
    return at::addmm(block(m_layout.criticBias3), second, block(m_layout.critic3)).squeeze(1);
}

Result<std::vector<float>> TorchActorCritic::score(const encode::StateVector& state, std::span<const float> descriptors) {
    try {
        const torch::NoGradGuard noGradients;
        const auto count = static_cast<std::int64_t>(descriptors.size()) / kRow;
        const Tensor rows = torch::from_blob(const_cast<float*>(descriptors.data()), {count, kRow}, torch::kFloat32);
        const Tensor logits = actor(statesTensor({&state, 1}), rows, torch::zeros({count}, torch::kInt64)).contiguous();
        return std::vector<float>(logits.data_ptr<float>(), logits.data_ptr<float>() + count);
    } catch (const std::exception& exception) {
        return fail(torchError(exception));
    }
}

Result<std::vector<double>> TorchActorCritic::values(std::span<const encode::StateVector> states) {
    if (states.empty()) return std::vector<double>{};
    try {
        const torch::NoGradGuard noGradients;
        const Tensor values = critic(statesTensor(states)).contiguous();
        return std::vector<double>(values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
    } catch (const std::exception& exception) {
        return fail(torchError(exception));
    }
}

/// Clipped objective, value loss and entropy bonus over the whole batch; the figures are those of cleanrl.
Tensor TorchActorCritic::loss(const BatchTensors& batch, float temperature, UpdateFigures& figures) const {
    const Tensor valueError = critic(batch.states) - batch.returns;
    const Tensor valueLoss = 0.5 * valueError.square().mean();
    figures.valueLoss = valueLoss.item<double>();
    Tensor total = m_parameters.vfCoef * valueLoss;
    if (batch.weightSum == 0 || batch.segments == 0) return total;

    // Logits are bounded, so the plain exponential cannot overflow and no maximum per segment is needed.
    const Tensor scores = actor(batch.states, batch.rows, batch.rowTransition) / temperature;
    const Tensor exponentials = at::exp(scores);
    const Tensor sums = torch::zeros({batch.segments}).index_add(0, batch.rowSegment, exponentials);
    const Tensor logSums = at::log(sums);
    const Tensor chosenLogProb = scores.index_select(0, batch.chosen) - logSums;
    const Tensor logProb = torch::zeros({batch.transitions}).index_add(0, batch.segmentTransition, chosenLogProb);
    const Tensor logRatio = (logProb - batch.logProb) * batch.weight;
    const Tensor ratio = at::exp(logRatio);
    const Tensor clipped = at::clamp(ratio, 1 - m_parameters.clipCoef, 1 + m_parameters.clipCoef);
    const Tensor surrogate = at::min(batch.advantage * ratio, batch.advantage * clipped);
    const Tensor policyLoss = -(surrogate * batch.weight).sum() / batch.weightSum;

    const Tensor entropies = logSums - torch::zeros({batch.segments}).index_add(0, batch.rowSegment, scores * exponentials) / sums;
    const Tensor entropy = (entropies / batch.maxEntropy).mean();
    total = total + policyLoss - m_parameters.entCoef * entropy;

    const torch::NoGradGuard noGradients;
    figures.policyLoss = policyLoss.item<double>();
    figures.entropy = entropy.item<double>();
    figures.approxKl = ((ratio - 1 - logRatio) * batch.weight).sum().item<double>() / batch.weightSum;
    figures.clipfrac =
        (((ratio - 1).abs() > m_parameters.clipCoef).to(torch::kFloat32) * batch.weight).sum().item<double>() / batch.weightSum;
    return total;
}

/// Adam with bias correction (Kingma and Ba 2015) after clipping the gradient's norm.
void TorchActorCritic::step(const Tensor& gradient) {
    const torch::NoGradGuard noGradients;
    ++m_steps;
    const double beta1 = m_parameters.adamBeta1, beta2 = m_parameters.adamBeta2;
    m_mean.mul_(beta1).add_(gradient, 1 - beta1);
    m_square.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
    const double correction1 = 1 - std::pow(beta1, static_cast<double>(m_steps));
    const double correction2 = 1 - std::pow(beta2, static_cast<double>(m_steps));
    const Tensor denominator = (m_square / correction2).sqrt().add_(m_parameters.adamEpsilon);
    m_theta.addcdiv_(m_mean, denominator, -m_parameters.learningRate / correction1);
}

Result<UpdateFigures> TorchActorCritic::update(const UpdateBatch& batch) {
    if (batch.states.empty()) return UpdateFigures{};
    try {
        const BatchTensors tensors(batch);
        UpdateFigures figures;
        {
            const torch::NoGradGuard noGradients;
            const double spread = tensors.returns.var(false).item<double>();
            const double missed = (tensors.returns - critic(tensors.states)).var(false).item<double>();
            figures.explainedVariance = spread > 1e-12 ? 1 - missed / spread : 0;
        }
        for (int epoch = 0; epoch < m_parameters.updateEpochs; ++epoch) {
            const Tensor total = loss(tensors, batch.temperature, figures);
            // A step from a loss that is not a number would destroy the weights; without it only this update is lost.
            if (!std::isfinite(total.item<double>())) break;
            if (epoch > 0 && figures.approxKl > m_parameters.targetKl) break;
            total.backward();
            Tensor gradient = m_theta.grad().detach().clone();
            m_theta.mutable_grad().reset();
            figures.gradNorm = gradient.norm().item<double>();
            if (!std::isfinite(figures.gradNorm)) break;
            if (figures.gradNorm > m_parameters.maxGradNorm) gradient.mul_(m_parameters.maxGradNorm / figures.gradNorm);
            step(gradient);
            figures.epochs = epoch + 1;
        }
        return figures;
    } catch (const std::exception& exception) {
        return fail(torchError(exception));
    }
}

std::vector<float> TorchActorCritic::weights() const {
    std::vector<float> all;
    for (const Tensor& part : {m_theta.detach(), m_mean, m_square}) {
        const float* data = part.data_ptr<float>();
        all.insert(all.end(), data, data + m_layout.size);
    }
    all.push_back(static_cast<float>(m_steps));
    return all;
}

Result<void> TorchActorCritic::setWeights(std::span<const float> weights) {
    const auto size = static_cast<std::size_t>(m_layout.size);
    if (weights.size() != 3 * size + 1)
        return fail(ErrorCode::InvalidArgument, "the policy has " + std::to_string(3 * size + 1) + " numbers, the checkpoint " +
                                                    std::to_string(weights.size()) + "; it was written by another version of the program");
    const torch::NoGradGuard noGradients;
    Tensor* const parts[] = {&m_theta, &m_mean, &m_square};
    for (std::size_t i = 0; i < 3; ++i)
        parts[i]->copy_(torch::from_blob(const_cast<float*>(weights.data() + i * size), {m_layout.size}, torch::kFloat32));
    m_steps = static_cast<std::int64_t>(weights.back());
    return {};
}

} // namespace

Result<std::unique_ptr<ActorCritic>> makeTorchActorCritic(std::uint64_t seed, const PpoParameters& parameters) {
    try {
        return std::unique_ptr<ActorCritic>(std::make_unique<TorchActorCritic>(seed, parameters));
    } catch (const std::exception& exception) {
        return fail(torchError(exception));
    }
}

} // namespace ww::policy
