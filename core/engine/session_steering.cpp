// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/tuning_session.h"

namespace ww::engine {

Result<void> TuningSession::steer(const char* kind, const std::string& parameter, const space::Value& value,
                                  const std::function<Result<void>()>& act) {
    WW_CHECK(act());
    countSpace();
    WW_CHECK(dropQueued([&](const Queued& one) { return one.proposal.origin != "user" && !m_steering->allows(one.proposal.configuration); }));
    Json data{{"parameter", parameter}};
    if (!value.isNone()) data["value"] = value.toJson();
    logEvent(kind, std::move(data));
    emitProgress();
    return {};
}

Result<void> TuningSession::dropQueued(const std::function<bool(const Queued&)>& unwanted) {
    std::deque<Queued> kept;
    for (auto& one : m_queue) {
        if (!unwanted(one)) {
            kept.push_back(std::move(one));
            continue;
        }
        m_pipeline->drop(one.inFlight);
        m_strategy->forget(one.proposal.id);
        m_tried.erase(one.proposal.configuration);
    }
    m_queue = std::move(kept);
    return {};
}

Result<void> TuningSession::setBudget(int trials, double seconds) {
    if (trials < 1) return fail(ErrorCode::InvalidArgument, "the budget must be at least one trial");
    m_options.trials = trials;
    m_options.seconds = seconds;
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(0, trials - static_cast<std::int64_t>(m_trials.size())));
    while (m_queue.size() > room) {
        WW_CHECK(dropQueued([last = m_queue.back().proposal.configuration](const Queued& one) { return one.proposal.configuration == last; }));
    }
    WW_CHECK(m_log->updateSession(m_sessionId, store::SessionStatus::Running, trials, seconds));
    logEvent("budget", {{"trials", trials}, {"seconds", seconds}});
    emitProgress();
    return {};
}

Result<void> TuningSession::enqueue(const space::Configuration& configuration) {
    if (const auto refused = m_task->space.explain(configuration)) {
        ++m_rejections[refused->constraintId];
        m_newRejections.push_back({refused->constraintId, refused->sentence, 1});
        emitProgress();
        return fail(ErrorCode::InvalidArgument, refused->sentence + (refused->suggestion.empty() ? "" : "; " + refused->suggestion),
                    m_task->space.display(configuration));
    }
    if (m_tried.contains(configuration)) {
        return fail(ErrorCode::InvalidArgument, "this configuration has been tried already", m_task->space.display(configuration));
    }
    m_userQueue.push_back(configuration);
    logEvent("try", {{"config", m_task->space.toJson(configuration)}});
    return {};
}

void TuningSession::notePause(bool paused) {
    logEvent(paused ? "pause" : "continue", Json::object());
    if (paused) emit(StageChanged{Stage::Idle, static_cast<int>(m_trials.size()), {}});
}

}  // namespace ww::engine
