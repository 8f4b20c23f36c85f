// SPDX-License-Identifier: Apache-2.0
#include "policy/feasibility_model.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/rng.h"

namespace ww::policy {

namespace {

/// The share of the running trials whose times count as the better ones.
constexpr double kBetterShare = 0.3;
/// Trials with a figure before that figure is predicted.
constexpr std::size_t kFewestFigures = 10;
constexpr std::size_t kGrowthPerFit = 40;
constexpr ExtraTrees::Options kFailureTrees{40, 16, 2};
/// Figures vary within a leaf anyway: fewer, smaller trees.
constexpr ExtraTrees::Options kFigureTrees{20, 16, 4};

}  // namespace

Json Forecast::toJson() const {
    Json json{{"failure", failure}, {"promising", promising}};
    if (registers) json["registers"] = *registers;
    if (sharedBytes) json["shared_bytes"] = *sharedBytes;
    return json;
}

std::optional<bool> failedToRun(TrialStatus status) noexcept {
    switch (status) {
    case TrialStatus::CompileError:
    case TrialStatus::CompileTimeout:
    case TrialStatus::ResourceError:
    case TrialStatus::LaunchError:
    case TrialStatus::RuntimeError:
    case TrialStatus::Timeout:
    case TrialStatus::OutOfMemory: return true;
    case TrialStatus::Ok:
    case TrialStatus::WrongResult:
    case TrialStatus::Nondeterministic:
    case TrialStatus::Unstable:
    case TrialStatus::CheatSuspected: return false;
    case TrialStatus::WorkerLost:
    case TrialStatus::Cancelled: return std::nullopt;
    }
    return std::nullopt;
}

FeasibilityModel::FeasibilityModel(space::SearchSpace space, const Options& options)
    : m_features(std::move(space), options.expressions), m_options(options),
      m_due(static_cast<std::size_t>(std::max(1, options.warmUp))), m_row(m_features.width()) {
    m_rows.width = m_features.width();
}

void FeasibilityModel::observe(const Observation& observation) {
    const auto failed = failedToRun(observation.status);
    if (!failed || m_rows.width == 0) return;
    m_features.write(observation.configuration, m_row);
    m_rows.values.insert(m_rows.values.end(), m_row.begin(), m_row.end());
    Trial trial;
    trial.failed = *failed;
    if (observation.status == TrialStatus::Ok && observation.timeNs && *observation.timeNs > 0)
        trial.logTime = static_cast<float>(std::log2(*observation.timeNs));
    if (observation.registers) trial.logRegisters = static_cast<float>(std::log2(1 + std::max(0.0, *observation.registers)));
    if (observation.sharedBytes) trial.logShared = static_cast<float>(std::log2(1 + std::max(0.0, *observation.sharedBytes)));
    m_trials.push_back(trial);
}

std::uint64_t FeasibilityModel::seedFor(const char* label) const noexcept {
    return deriveSeed(deriveSeed(m_options.seed, nameHash(label)), m_fitted);
}

ExtraTrees FeasibilityModel::fitFigure(std::optional<float> Trial::* figure, const char* label) const {
    FeatureTable rows{m_rows.width, {}};
    std::vector<float> targets;
    for (std::size_t i = 0; i < m_fitted; ++i) {
        if (!(m_trials[i].*figure)) continue;
        const auto row = m_rows.row(i);
        rows.values.insert(rows.values.end(), row.begin(), row.end());
        targets.push_back(*(m_trials[i].*figure));
    }
    return targets.size() < kFewestFigures ? ExtraTrees{} : ExtraTrees::fit(rows, targets, kFigureTrees, seedFor(label));
}

/// Whether there is a model, brought up to date.
bool FeasibilityModel::refit() {
    if (m_trials.size() < m_due) return !m_failure.isEmpty();
    // The same points whatever was asked in between: a resumed session fits on the trials that it would have fitted on.
    while (m_due <= m_trials.size()) {
        m_fitted = m_due;
        m_due += std::max<std::size_t>(1, m_due / kGrowthPerFit);
    }
    const FeatureTable rows{m_rows.width, {m_rows.values.begin(), m_rows.values.begin() + static_cast<std::ptrdiff_t>(m_fitted * m_rows.width)}};
    std::vector<float> failed, times;
    for (std::size_t i = 0; i < m_fitted; ++i) {
        failed.push_back(m_trials[i].failed ? 1.0f : 0.0f);
        if (m_trials[i].logTime) times.push_back(*m_trials[i].logTime);
    }
    // Trials that all ended alike say nothing about where the border is.
    if (std::ranges::minmax(failed).min == std::ranges::minmax(failed).max) return false;
    m_failure = ExtraTrees::fit(rows, failed, kFailureTrees, seedFor("feasibility/failure"));
    m_time = fitFigure(&Trial::logTime, "feasibility/time");
    m_registers = fitFigure(&Trial::logRegisters, "feasibility/registers");
    m_shared = fitFigure(&Trial::logShared, "feasibility/shared");
    if (!times.empty()) {
        const auto place = times.begin() + static_cast<std::ptrdiff_t>(kBetterShare * static_cast<double>(times.size()));
        std::ranges::nth_element(times, place);
        m_goodLogTime = *place;
    }
    return true;
}

std::size_t FeasibilityModel::fittedTrials() {
    return refit() ? m_fitted : 0;
}

std::optional<Forecast> FeasibilityModel::forecast(const space::Configuration& configuration) {
    if (!refit()) return std::nullopt;
    m_features.write(configuration, m_row);
    Forecast forecast;
    forecast.failure = m_failure.predict(m_row);
    forecast.promising = !m_time.isEmpty() && m_time.predict(m_row) <= m_goodLogTime;
    if (!m_registers.isEmpty()) forecast.registers = std::exp2(m_registers.predict(m_row)) - 1;
    if (!m_shared.isEmpty()) forecast.sharedBytes = std::exp2(m_shared.predict(m_row)) - 1;
    return forecast;
}

}  // namespace ww::policy
