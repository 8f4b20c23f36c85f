// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "engine/encode_kernel.h"
#include "engine/session_record.h"
#include "engine/tuning_session.h"

namespace ww::engine {

void TuningSession::countSpace() {
    const auto& space = m_task->space;
    m_spaceFacts = {};
    m_spaceFacts.parameters = static_cast<int>(space.parameters().size());
    for (std::size_t p = 0; p < space.parameters().size(); ++p) {
        const auto& row = m_steering->mask()[p];
        const auto allowed = static_cast<int>(std::count(row.begin(), row.end(), true));
        m_spaceFacts.values += static_cast<int>(row.size());
        m_spaceFacts.pinned += allowed == 1 && row.size() > 1 ? 1 : 0;
        m_spaceFacts.banned += static_cast<int>(row.size()) - allowed;
    }
    m_spaceFacts.cartesian = space.cartesianSize();
    m_spaceFacts.valid = space.countValid(&m_steering->mask()).value;
}

policy::StateVector TuningSession::state() const {
    encode::Inputs inputs;
    inputs.source = &m_task->source;
    inputs.device = &m_task->device;
    inputs.entry = m_task->spec.kernelName;
    inputs.space = m_spaceFacts;
    const int shown = m_bestTrial > 0 ? m_bestTrial : 1;  // before there is an incumbent, the default
    if (shown <= static_cast<int>(m_trials.size())) {
        inputs.compile = compile::CompileFacts::fromJson(m_trials[static_cast<std::size_t>(shown - 1)].compileFacts);
    }
    inputs.launch = encodedLaunch(*m_task, m_incumbent.value_or(m_task->space.defaultConfiguration()));
    inputs.progress.budget = m_options.trials;
    inputs.progress.elapsedSeconds = elapsed();
    inputs.progress.budgetSeconds = m_options.seconds;
    fillProgress(inputs, m_trials, m_bestTrial);
    return encode::encode(inputs);
}

policy::ProposalContext TuningSession::context(const policy::StateVector& now) const {
    return {now, m_steering->mask(), m_tried, static_cast<int>(m_trials.size()), m_options.trials, m_incumbent};
}

store::RewardRecord TuningSession::rewardOf(const store::TrialRecord& record) const {
    reward::RewardInput input;
    input.status = record.status;
    input.verdict = record.verdict;
    input.ratio = record.ratio;
    if (const Json* gradient = member(record.correctness, "gradient")) {
        // A response that is not finite is no number in JSON, and earns nothing.
        const Json& error = (*gradient)["error"];
        input.gradientError = error.is_number() ? error.get<double>() : std::numeric_limits<double>::quiet_NaN();
        input.gradientTolerance = gradient->value("tolerance", input.gradientTolerance);
    }
    auto computed = m_reward->evaluate(input);
    return computed ? std::move(*computed) : store::RewardRecord{};
}

void TuningSession::logEvent(const std::string& kind, Json data) {
    store::EventRecord event;
    event.sessionId = m_sessionId;
    event.afterTrial = static_cast<int>(m_trials.size());
    event.at = utcNow();
    event.kind = kind;
    event.data = std::move(data);
    if (m_log) {
        if (auto id = m_log->addEvent(event)) event.id = *id;
    }
    emit(EventLogged{event});
}

void TuningSession::emitProgress() {
    if (!m_sink) return;
    Progress progress;
    progress.trials = static_cast<int>(m_trials.size());
    progress.budget = m_options.trials;
    progress.elapsedSeconds = elapsed();
    progress.compileSeconds = static_cast<double>(m_total.compileNs) * 1e-9;
    progress.deviceSeconds = m_deviceSeconds;
    progress.trialsPerMinute = progress.elapsedSeconds > 0 ? progress.trials * 60.0 / progress.elapsedSeconds : 0;
    if (progress.trials > 0) {
        progress.etaSeconds = progress.elapsedSeconds / progress.trials * std::max(0, m_options.trials - progress.trials);
        if (m_options.seconds > 0) progress.etaSeconds = std::min(*progress.etaSeconds, std::max(0.0, m_options.seconds - progress.elapsedSeconds));
    }
    progress.rejections = m_rejections;
    const auto now = state();
    progress.probabilities = m_strategy->probabilities(context(now));
    progress.diagnostics = m_strategy->diagnostics();
    progress.diagnostics["noise_floor"] = m_record.noiseFloor;
    emit(progress);
}

SessionSummary TuningSession::summary() const {
    SessionSummary summary;
    summary.session = m_sessionId;
    summary.found = m_incumbent.has_value();
    const double wall = elapsed();
    summary.document = summaryDocument(m_record, m_trials, m_finalists, m_total, m_deviceSeconds, wall);
    return summary;
}

}  // namespace ww::engine
