// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "expr/expression.h"
#include "policy/exhaustive_strategy.h"
#include "policy/random_strategy.h"
#include "policy/strategy.h"
#include "policy/torch_module.h"

namespace ww::policy {

namespace {

std::string knownNames() {
    std::string text;
    for (const std::string& name : strategyNames()) text += (text.empty() ? "" : ", ") + name;
    return text;
}

Result<std::unique_ptr<Strategy>> makeLearner(std::string_view name, const space::SearchSpace& space, const StrategyOptions& options) {
    auto module = torchModule();
    if (!module) {
        Error error = std::move(module).error();
        error.message = "the strategy '" + std::string(name) + "' needs LibTorch: " + error.message +
                        "; or choose --strategy random, which does without it";
        return fail(std::move(error));
    }
    return (*module)->makePpo(name, space, options);
}

}  // namespace

std::vector<std::string> strategyNames() {
    return {"random", "exhaustive", "ppo", "warp"};
}

Result<std::unique_ptr<Strategy>> makeStrategy(std::string_view name, const space::SearchSpace& space, const StrategyOptions& options) {
    if (options.initBudget < 0) return fail(ErrorCode::InvalidArgument, "the initial budget must be 0 or more trials");
    if (!std::isfinite(options.temperature) || options.temperature < 0.05 || options.temperature > 10)
        return fail(ErrorCode::InvalidArgument, "the temperature must lie between 0.05 and 10 (0.7 is the default)");
    if (name == "random") return std::unique_ptr<Strategy>(std::make_unique<RandomStrategy>(space, options));
    if (name == "exhaustive") return std::unique_ptr<Strategy>(std::make_unique<ExhaustiveStrategy>(space));
    if (name == "ppo" || name == "warp") return makeLearner(name, space, options);
    const std::string near = expr::nearestName(name, strategyNames());
    return fail(ErrorCode::InvalidArgument, "there is no strategy '" + std::string(name) + "'" +
                                                (near.empty() ? std::string() : " (did you mean '" + near + "'?)") +
                                                "; known strategies: " + knownNames());
}

}  // namespace ww::policy
