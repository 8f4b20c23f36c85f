// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "base/units.h"
#include "encode/encode.h"
#include "engine/pipeline.h"
#include "engine/steering.h"
#include "reward/reward.h"
#include "store/trial_log.h"

namespace ww::engine {

/// A proposal whose candidate is being compiled.
struct Queued {
    policy::Proposal proposal;
    InFlight inFlight;
};

/// The one Session there is. session.cpp holds the loop, session_start.cpp how it begins and resumes, session_steering.cpp what
/// the user may do meanwhile, session_report.cpp what others get to see of it.
class TuningSession final : public Session {
public:
    TuningSession(SessionOptions options, EventSink sink, std::stop_source stop)
        : m_options(std::move(options)), m_sink(std::move(sink)), m_stop(std::move(stop)) {}

    ~TuningSession() override {
        if (m_sessionId != 0 && !m_finished) close(store::SessionStatus::Interrupted);
    }

    Result<void> open();

    Result<StepResult> step() override;
    Result<void> pin(const std::string& parameter, const space::Value& value) override {
        return steer("pin", parameter, value, [&] { return m_steering->pin(parameter, value); });
    }
    Result<void> unpin(const std::string& parameter) override {
        return steer("unpin", parameter, {}, [&] { return m_steering->unpin(parameter); });
    }
    Result<void> ban(const std::string& parameter, const space::Value& value) override {
        return steer("ban", parameter, value, [&] { return m_steering->ban(parameter, value); });
    }
    Result<void> unban(const std::string& parameter, const space::Value& value) override {
        return steer("unban", parameter, value, [&] { return m_steering->unban(parameter, value); });
    }
    Result<void> setBudget(int trials, double seconds) override;
    Result<void> enqueue(const space::Configuration& configuration) override;
    void notePause(bool paused) override;
    void note(const std::string& text) override { logEvent("note", {{"text", text}}); }
    const space::ValueMask& mask() const override { return m_steering->mask(); }
    SessionSummary summary() const override;

private:
    Result<void> beginNew();
    Result<void> resume();
    Result<void> makeStrategy();
    Result<void> chooseObjective();
    /// Pins and bans of the options, before anything of the session is stored. Errors: those of Steering.
    Result<void> checkInitialSteering() const;
    Result<void> applyInitialSteering();
    void countSpace();
    Result<void> steer(const char* kind, const std::string& parameter, const space::Value& value, const std::function<Result<void>()>& act);
    Result<void> dropQueued(const std::function<bool(const Queued&)>& unwanted);

    Result<void> runBaseline();
    Result<void> fillQueue();
    Result<void> runNext();
    Result<void> noteMeasuring();
    Result<void> finishTrial(store::TrialRecord record, const policy::Proposal& proposal, const space::Configuration& configuration);
    Result<void> runFinalists();
    Result<void> finish(store::SessionStatus status);
    void close(store::SessionStatus status);

    policy::StateVector state() const;
    policy::ProposalContext context(const policy::StateVector& state) const;
    void rememberBest(const store::TrialRecord& record, const space::Configuration& configuration);
    store::RewardRecord rewardOf(const store::TrialRecord& record) const;
    policy::Observation observationOf(const store::TrialRecord& record, const policy::Proposal& proposal,
                                      const space::Configuration& configuration) const;
    void learnFrom(const store::TrialRecord& record, const policy::Proposal& proposal, const space::Configuration& configuration);
    void logEvent(const std::string& kind, Json data);
    void emitProgress();
    void emit(const SessionEvent& event) const { if (m_sink) m_sink(event); }
    double elapsed() const { return static_cast<double>(monotonicNs() - m_startNs) * 1e-9; }
    void enter(Stage stage) const { emit(StageChanged{stage, static_cast<int>(m_trials.size()) + 1, m_running}); }
    std::function<void(Stage)> stageSink() { return [this](Stage stage) { enter(stage); }; }
    bool budgetSpent() const {
        return static_cast<int>(m_trials.size()) >= m_options.trials || (m_options.seconds > 0 && elapsed() >= m_options.seconds);
    }

    SessionOptions m_options;
    EventSink m_sink;
    std::stop_source m_stop;
    std::shared_ptr<const Task> m_task;
    store::SessionRecord m_record;
    std::unique_ptr<store::TrialLogWriter> m_log;
    std::unique_ptr<Pipeline> m_pipeline;
    std::unique_ptr<policy::Strategy> m_strategy;
    std::unique_ptr<Steering> m_steering;
    std::optional<reward::RewardFunction> m_reward;

    std::int64_t m_sessionId = 0;
    std::int64_t m_startNs = monotonicNs();
    bool m_finished = false;
    std::vector<store::TrialRecord> m_trials;             ///< without samples and logs
    std::optional<space::Configuration> m_baseline;
    std::optional<space::Configuration> m_running;        ///< the candidate of the running trial
    bool m_baselineUsable = false;
    policy::TriedSet m_tried;
    std::deque<space::Configuration> m_userQueue;
    std::deque<Queued> m_queue;
    std::optional<space::Configuration> m_incumbent;
    double m_incumbentNs = 0;
    int m_bestTrial = 0;
    std::map<std::string, std::int64_t> m_rejections;
    std::vector<store::RejectionRecord> m_newRejections;
    store::StageTimes m_total;
    double m_deviceSeconds = 0;
    encode::SpaceFacts m_spaceFacts;                      ///< counted once; pins and bans as they are now
    std::vector<store::MeasuredRecord> m_finalists;
};

}  // namespace ww::engine
