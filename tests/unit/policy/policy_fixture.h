// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "policy/strategy.h"
#include "result_test.h"

/// Spaces and a loop around a strategy that plays the engine's part.
namespace policy_test {

using namespace ww;
using namespace ww::policy;
using space::Configuration;
using space::Value;
using space::ValueMask;

inline space::Parameter parameter(const char* name, Value::Tuple values, space::Scale scale = space::Scale::Ordinal) {
    space::Parameter made;
    made.name = name;
    made.values = std::move(values);
    made.scale = scale;
    return made;
}

inline space::SearchSpace makeSpace(std::vector<space::Parameter> parameters, const std::vector<const char*>& conditions = {}) {
    std::vector<space::Constraint> constraints;
    for (const char* text : conditions) {
        auto expression = expr::Expression::parse(text);
        if (!expression) qFatal("%s", expression.error().toString().c_str());
        constraints.push_back({"spec:" + std::to_string(constraints.size()), text, "", *expression, false});
    }
    auto space = space::SearchSpace::create(std::move(parameters), std::move(constraints), {});
    if (!space) qFatal("%s", space.error().toString().c_str());
    return *space;
}

/// 1152 combinations, part of them valid: every kind of domain, and constraints over two parameters.
inline space::SearchSpace constrainedSpace() {
    return makeSpace({parameter("TILE_M", {16, 32, 64, 128}, space::Scale::Log2),
                      parameter("TILE_N", {16, 32, 64, 128}, space::Scale::Log2), parameter("UNROLL", {1, 2, 4, 8}),
                      parameter("VEC", {1, 2, 4}, space::Scale::Log2), parameter("PAD", {false, true}, space::Scale::Boolean),
                      parameter("LAYOUT", {"row", "column", "swizzled"}, space::Scale::Categorical)},
                     {"TILE_M * TILE_N <= 4096", "UNROLL * VEC <= 16", "PAD or TILE_M >= 32", "LAYOUT != 'swizzled' or VEC == 1"});
}

/// `parameters` domains of `values` values each, nothing forbidden.
inline space::SearchSpace freeSpace(int parameters, int values) {
    std::vector<space::Parameter> made;
    for (int p = 0; p < parameters; ++p) {
        Value::Tuple domain;
        for (int v = 0; v < values; ++v)
            domain.emplace_back(1 << v);
        made.push_back(parameter(("P" + std::to_string(p)).c_str(), domain, space::Scale::Log2));
    }
    return makeSpace(std::move(made));
}

inline std::vector<Configuration> validOf(const space::SearchSpace& space, const ValueMask* mask = nullptr) {
    std::vector<Configuration> all;
    space.forEachValid([&](const Configuration& configuration) { return all.push_back(configuration), true; }, mask);
    return all;
}

inline bool allowedBy(const ValueMask& mask, const Configuration& configuration) {
    for (std::size_t p = 0; p < mask.size(); ++p)
        if (!mask[p][configuration.index[p]]) return false;
    return true;
}

/// Keeps about `share` of the values of each parameter, and at least one.
inline ValueMask randomMask(const space::SearchSpace& space, double share, SplitMix64& rng) {
    ValueMask mask = space.fullMask();
    for (std::vector<bool>& row : mask) {
        const auto kept = static_cast<std::size_t>(rng.below(row.size()));
        for (std::size_t v = 0; v < row.size(); ++v)
            row[v] = v == kept || rng.uniform() < share;
    }
    return mask;
}

/// The engine's side of a session: what has been tried, the best so far, the state.
struct Loop {
    explicit Loop(const space::SearchSpace& searched, int trialsBudget = 100)
        : space(searched), mask(searched.fullMask()), budget(trialsBudget) {}

    [[nodiscard]] ProposalContext context() const { return {state, mask, tried, static_cast<int>(tried.size()), budget, incumbent}; }

    /// One trial with this learning reward; a NaN reward is a failure worth -1.
    void finish(Strategy& strategy, const Proposal& proposal, double learningReward) {
        Observation seen;
        seen.proposalId = proposal.id;
        seen.configuration = proposal.configuration;
        const bool failed = std::isnan(learningReward);
        seen.status = failed ? TrialStatus::CompileError : TrialStatus::Ok;
        seen.learningReward = failed ? -1.0 : learningReward;
        seen.reward = seen.learningReward;
        tried.insert(proposal.configuration);
        if (!failed && (!incumbent || learningReward > best)) {
            best = learningReward;
            incumbent = proposal.configuration;
        }
        state[83] = std::min(1.0f, static_cast<float>(tried.size()) / static_cast<float>(budget));
        seen.state = state;
        const auto result = strategy.observe(seen);
        if (!result) qFatal("%s", result.error().toString().c_str());
    }

    /// Proposes and runs until `trials` are done or nothing is left.
    template <typename Reward> void run(Strategy& strategy, int trials, Reward&& reward) {
        for (int i = 0; i < trials; ++i) {
            auto proposals = strategy.propose(1, context());
            if (!proposals) qFatal("%s", proposals.error().toString().c_str());
            if (proposals->empty()) return;
            finish(strategy, proposals->front(), reward(proposals->front().configuration));
        }
    }

    space::SearchSpace space;
    ValueMask mask;
    TriedSet tried;
    StateVector state{};
    int budget;
    double best = -HUGE_VAL;
    std::optional<Configuration> incumbent;
};

inline std::unique_ptr<Strategy> strategyOf(std::string_view name, const space::SearchSpace& space, const StrategyOptions& options = {}) {
    auto made = makeStrategy(name, space, options);
    if (!made) qFatal("%s", made.error().toString().c_str());
    return std::move(*made);
}

} // namespace policy_test

/// Skips where LibTorch was not built in; the reason is printed.
#define SKIP_WITHOUT_TORCH()                                                                                                               \
    do {                                                                                                                                   \
        if (!ww::policy::torchModulePresent()) QSKIP("libwarpwright-torch.so is not beside the test: built with TORCH=OFF");               \
    } while (false)
