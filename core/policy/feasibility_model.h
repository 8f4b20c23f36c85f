// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json.h"
#include "policy/configuration_features.h"
#include "policy/extra_trees.h"
#include "policy/strategy.h"

namespace ww::policy {

/// What is expected of a configuration before it is compiled.
struct Forecast {
    double failure = 0;                  ///< probability that it does not compile or does not launch
    bool promising = false;              ///< were it to run, its time would be expected among the better ones
    std::optional<double> registers;     ///< per thread
    std::optional<double> sharedBytes;   ///< static, per block
    [[nodiscard]] Json toJson() const;
};

/// Whether a trial with this outcome tells that its configuration can (false) or cannot (true) be compiled and launched.
/// nullopt where it tells neither: the worker was lost, the trial was cancelled.
[[nodiscard]] std::optional<bool> failedToRun(TrialStatus status) noexcept;

/// Learns from trials which configurations fail to compile or launch, and what they take in registers and shared memory.
/// A forecast is a function of the trials in their order, the seed and nothing else: neither of when it was asked for, nor of
/// a stop and a resume between. Fitted anew when a question comes after the trials have grown by 1/40. Engine thread only.
class FeasibilityModel {
public:
    struct Options {
        std::uint64_t seed = 0;
        int warmUp = 50;                            ///< trials before the first forecast
        std::vector<expr::Expression> expressions;  ///< beside the parameters: threads of a block, shared bytes, ...
    };
    FeasibilityModel(space::SearchSpace space, const Options& options);

    void observe(const Observation& observation);
    /// nullopt during the warm-up and while all trials ended alike.
    [[nodiscard]] std::optional<Forecast> forecast(const space::Configuration& configuration);
    /// Trials that forecasts rest on now; 0 while there are none. Changes exactly when the model does.
    [[nodiscard]] std::size_t fittedTrials();

private:
    struct Trial {
        bool failed = false;
        std::optional<float> logTime, logRegisters, logShared;
    };
    [[nodiscard]] bool refit();
    /// Trees over the fitted trials that have this figure; empty where too few have.
    [[nodiscard]] ExtraTrees fitFigure(std::optional<float> Trial::* figure, const char* label) const;
    [[nodiscard]] std::uint64_t seedFor(const char* label) const noexcept;

    ConfigurationFeatures m_features;
    Options m_options;
    FeatureTable m_rows;             ///< one row per trial
    std::vector<Trial> m_trials;
    std::size_t m_due;               ///< trials at which the next fit is due
    std::size_t m_fitted = 0;        ///< trials, the first ones, that the models below were fitted on
    ExtraTrees m_failure, m_time, m_registers, m_shared;
    float m_goodLogTime = 0;         ///< times up to here are the better ones
    std::vector<float> m_row;        ///< of the configuration in question; kept to spare an allocation
};

}  // namespace ww::policy
