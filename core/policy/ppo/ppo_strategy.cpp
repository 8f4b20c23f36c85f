// SPDX-License-Identifier: Apache-2.0
#include "policy/ppo/ppo_strategy.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "policy/untried.h"

namespace ww::policy {

namespace {

/// Softmax of the listed values at the temperature; the sum of the result is 1.
std::vector<double> temperedSoftmax(const std::vector<float>& scores, std::size_t firstRow, const std::vector<std::size_t>& values,
                                    double temperature) {
    double highest = -HUGE_VAL;
    for (const std::size_t v : values) highest = std::max(highest, static_cast<double>(scores[firstRow + v]));
    std::vector<double> probabilities;
    double sum = 0;
    for (const std::size_t v : values) {
        probabilities.push_back(std::exp((scores[firstRow + v] - highest) / temperature));
        sum += probabilities.back();
    }
    for (double& probability : probabilities) probability /= sum;
    return probabilities;
}

std::size_t sampleFrom(const std::vector<double>& probabilities, SplitMix64& rng) {
    double rest = rng.uniform();
    for (std::size_t i = 0; i + 1 < probabilities.size(); ++i) {
        if (rest < probabilities[i]) return i;
        rest -= probabilities[i];
    }
    return probabilities.size() - 1;
}

double entropyOf(const std::vector<double>& probabilities) {
    double entropy = 0;
    for (const double p : probabilities) entropy -= p > 0 ? p * std::log(p) : 0;
    return entropy;
}

std::vector<std::size_t> indicesOf(const std::vector<bool>& flags) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < flags.size(); ++i)
        if (flags[i]) indices.push_back(i);
    return indices;
}

}  // namespace

PpoStrategy::PpoStrategy(std::string name, space::SearchSpace space, const StrategyOptions& options, const PpoParameters& parameters,
                         std::unique_ptr<ActorCritic> network)
    : m_name(std::move(name)), m_space(std::move(space)), m_options(options), m_parameters(parameters), m_network(std::move(network)) {
    m_memory.statistics = ValueStatistics(m_space);
}

Result<std::vector<float>> PpoStrategy::scores(const ProposalContext& context, const DescriptorTable& table) {
    return m_network->score(context.state, table.rows);
}

/// Parameters in order, each from the softmax over the values that still lead to a valid configuration. nullopt where
/// pins and bans leave none.
std::optional<PpoStrategy::Draw> PpoStrategy::draw(const ProposalContext& context, const DescriptorTable& table,
                                                   const std::vector<float>& scores, SplitMix64& rng) const {
    const std::size_t parameters = m_space.parameters().size();
    Draw drawn;
    drawn.configuration.index.resize(parameters);
    std::vector<std::optional<std::uint16_t>> partial(parameters);
    double values = 0, masked = 0;
    for (std::size_t p = 0; p < parameters; ++p) {
        const std::vector<bool> feasible = m_space.feasibleValues(partial, p, &context.mask);
        const std::vector<std::size_t> open = indicesOf(feasible);
        if (open.empty()) return std::nullopt;
        std::size_t taken = 0;
        if (std::ranges::count(context.mask[p], true) > 1) {
            values += static_cast<double>(feasible.size());
            masked += static_cast<double>(feasible.size() - open.size());
        }
        if (open.size() > 1) {
            const std::vector<double> chances = temperedSoftmax(scores, table.firstRow[p], open, m_options.temperature);
            taken = sampleFrom(chances, rng);
            Transition& transition = drawn.transition;
            for (const std::size_t v : open) {
                const std::span<const float> row = table.row(p, v);
                transition.descriptors.insert(transition.descriptors.end(), row.begin(), row.end());
            }
            transition.segmentSizes.push_back(static_cast<std::uint32_t>(open.size()));
            transition.chosen.push_back(static_cast<std::uint32_t>(taken));
            transition.logProb += std::log(chances[taken]);
            drawn.entropy += entropyOf(chances) / std::log(static_cast<double>(open.size()));
        }
        partial[p] = static_cast<std::uint16_t>(open[taken]);
        drawn.configuration.index[p] = *partial[p];
    }
    if (!drawn.transition.segmentSizes.empty()) drawn.entropy /= static_cast<double>(drawn.transition.segmentSizes.size());
    drawn.maskedShare = values > 0 ? masked / values : 0;
    return drawn;
}

void PpoStrategy::followIncumbent(const std::optional<space::Configuration>& incumbent) {
    const space::Configuration now = incumbent.value_or(space::Configuration{});
    if (static_cast<int>(m_memory.episodeTrials) < m_parameters.episodeLength && now == m_memory.anchor) return;
    m_memory.anchor = now;
    m_memory.episodeTrials = 0;
    ++m_memory.episode;
}

Proposal PpoStrategy::finish(space::Configuration configuration, Transition transition, std::string origin, Json note) {
    transition.episode = m_memory.episode;
    ++m_memory.episodeTrials;
    const std::uint64_t id = ++m_memory.lastId;
    m_memory.pending.insert_or_assign(id, std::move(transition));
    return {id, std::move(configuration), std::move(origin), std::move(note)};
}

std::optional<Proposal> PpoStrategy::proposeOne(const ProposalContext& context, const TriedSet& taken, const DescriptorTable& table,
                                                const std::vector<float>& scores) {
    // Each proposal has a generator of its own, so that a checkpoint needs no generator state but this count.
    SplitMix64 rng(deriveSeed(deriveSeed(m_options.seed, nameHash("policy/ppo")), ++m_memory.draws));
    const bool initial = static_cast<int>(taken.size()) < m_options.initBudget;
    for (int attempt = 1; !initial && attempt <= m_parameters.resampleAttempts; ++attempt) {
        std::optional<Draw> drawn = draw(context, table, scores, rng);
        if (!drawn) return std::nullopt;
        if (taken.contains(drawn->configuration)) {
            ++m_memory.duplicates;
            continue;
        }
        m_maskedShare = drawn->maskedShare;
        m_entropy = drawn->entropy;
        drawn->transition.state = context.state;
        drawn->transition.onPolicy = true;
        Json note{{"log_prob", drawn->transition.logProb}, {"entropy", drawn->entropy}, {"masked_share", drawn->maskedShare},
                  {"episode", m_memory.episode}, {"attempts", attempt}};
        return finish(std::move(drawn->configuration), std::move(drawn->transition), "policy", std::move(note));
    }
    std::optional<space::Configuration> uniform = sampleUntried(m_space, context.mask, taken, rng);
    if (!uniform) return std::nullopt;
    if (!initial) ++m_memory.fallbacks;
    Transition transition;
    transition.state = context.state;
    return finish(std::move(*uniform), std::move(transition), initial ? "init" : "random", Json{{"episode", m_memory.episode}});
}

Result<std::vector<Proposal>> PpoStrategy::propose(int n, const ProposalContext& context) {
    std::vector<Proposal> proposals;
    if (n <= 0) return proposals;
    TriedSet taken = context.tried;
    followIncumbent(context.incumbent);
    const DescriptorTable table = describe(m_space, context.mask, m_memory.statistics, context.incumbent);
    WW_TRY(logits, scores(context, table));
    while (static_cast<int>(proposals.size()) < n) {
        followIncumbent(context.incumbent);
        std::optional<Proposal> proposal = proposeOne(context, taken, table, logits);
        if (!proposal) break;
        taken.insert(proposal->configuration);
        proposals.push_back(std::move(*proposal));
    }
    return proposals;
}

Result<void> PpoStrategy::observe(const Observation& observation) {
    std::optional<Transition> transition;
    if (const auto found = m_memory.pending.find(observation.proposalId); found != m_memory.pending.end()) {
        transition = std::move(found->second);
        m_memory.pending.erase(found);
    }
    // No reward means that nothing was learned of the configuration (unstable, worker lost, cancelled).
    if (!observation.learningReward || !std::isfinite(*observation.learningReward)) return {};
    m_memory.statistics.add(observation.configuration, *observation.learningReward, observation.status != TrialStatus::Ok);
    if (!transition) return {};
    transition->reward = *observation.learningReward;
    transition->nextState = observation.state;
    m_memory.window.push_back(std::move(*transition));
    while (static_cast<int>(m_memory.window.size()) > m_parameters.window) m_memory.window.pop_front();
    if (static_cast<int>(++m_memory.sinceUpdate) < m_parameters.numSteps) return {};
    m_memory.sinceUpdate = 0;
    return update();
}

Result<void> PpoStrategy::update() {
    std::vector<const Transition*> transitions;
    std::vector<StateVector> states;
    for (const Transition& transition : m_memory.window) {
        transitions.push_back(&transition);
        states.push_back(transition.state);
    }
    for (const Transition& transition : m_memory.window) states.push_back(transition.nextState);
    WW_TRY(values, m_network->values(states));
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(transitions.size());
    const UpdateBatch batch =
        makeBatch(transitions, {values.begin(), middle}, {middle, values.end()}, m_parameters, m_options.temperature);
    WW_TRY(figures, m_network->update(batch));
    m_figures = figures;
    ++m_memory.updates;
    return {};
}

std::optional<Probabilities> PpoStrategy::probabilities(const ProposalContext& context) {
    const DescriptorTable table = describe(m_space, context.mask, m_memory.statistics, context.incumbent);
    const auto logits = scores(context, table);
    if (!logits) return std::nullopt;
    const std::size_t parameters = m_space.parameters().size();
    const std::vector<std::optional<std::uint16_t>> nothing(parameters);
    Probabilities result;
    for (std::size_t p = 0; p < parameters; ++p) {
        const std::vector<bool> feasible = m_space.feasibleValues(nothing, p, &context.mask);
        const std::vector<std::size_t> open = indicesOf(feasible);
        if (open.empty()) return std::nullopt;
        const std::vector<double> chances = temperedSoftmax(*logits, table.firstRow[p], open, m_options.temperature);
        result.emplace_back(feasible.size(), 0.0f);
        for (std::size_t i = 0; i < open.size(); ++i) result.back()[open[i]] = static_cast<float>(chances[i]);
    }
    return result;
}

Json PpoStrategy::diagnostics() const {
    Json figures = Json::object();
    figures["charts/episode"] = m_memory.episode;
    figures["charts/updates"] = m_memory.updates;
    figures["charts/masked_share"] = m_maskedShare;
    figures["charts/proposal_entropy"] = m_entropy;
    figures["charts/duplicates"] = m_memory.duplicates;
    figures["charts/random_fallbacks"] = m_memory.fallbacks;
    if (m_memory.updates == 0) return figures;
    figures["losses/policy_loss"] = m_figures.policyLoss;
    figures["losses/value_loss"] = m_figures.valueLoss;
    figures["losses/entropy"] = m_figures.entropy;
    figures["losses/approx_kl"] = m_figures.approxKl;
    figures["losses/clipfrac"] = m_figures.clipfrac;
    figures["losses/explained_variance"] = m_figures.explainedVariance;
    figures["losses/grad_norm"] = m_figures.gradNorm;
    figures["losses/epochs"] = m_figures.epochs;
    return figures;
}

}  // namespace ww::policy
