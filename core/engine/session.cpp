// SPDX-License-Identifier: Apache-2.0
#include "engine/session.h"

#include <algorithm>

#include "engine/finalists.h"
#include "engine/trial_diagnosis.h"
#include "engine/tuning_session.h"

namespace ww::engine {
namespace {

constexpr int kCheckpointEvery = 10;   ///< trials between policy snapshots
constexpr int kFinalists = 8;
constexpr int kFinalistSamples = 100;

}  // namespace

std::string_view toString(Stage stage) noexcept {
    switch (stage) {
    case Stage::Starting: return "starting";
    case Stage::Baseline: return "baseline";
    case Stage::Proposing: return "proposing";
    case Stage::Compiling: return "compiling";
    case Stage::Verifying: return "verifying";
    case Stage::Benchmarking: return "benchmarking";
    case Stage::Learning: return "learning";
    case Stage::Storing: return "storing";
    case Stage::Finalists: return "finalists";
    case Stage::Idle: return "idle";
    case Stage::Done: return "done";
    }
    return "idle";
}

Result<Session::StepResult> TuningSession::step() {
    if (m_finished) return StepResult::Finished;
    const auto stopped = [&] { return m_stop.stop_requested(); };
    const auto run = [&]() -> Result<bool> {  // whether there is more to do
        if (!m_baselineUsable) {
            WW_CHECK(runBaseline());
            return true;
        }
        if (!budgetSpent()) {
            WW_CHECK(fillQueue());
            if (!m_queue.empty()) {
                WW_CHECK(runNext());
                return true;
            }
            logEvent("notice", {{"text", "every valid configuration that is not banned has been tried"}});
        }
        if (m_options.finalists) WW_CHECK(runFinalists());
        return false;
    };
    if (!stopped()) {
        auto more = run();
        if (!more && !stopped()) {
            close(store::SessionStatus::Failed);
            emit(SessionEnded{store::SessionStatus::Failed, more.error(), bestOf(m_trials, m_finalists)});
            return Unexpected{std::move(more).error()};
        }
        if (more && *more && !stopped()) return StepResult::Continue;
    }
    WW_CHECK(finish(stopped() ? store::SessionStatus::Interrupted : store::SessionStatus::Finished));
    return StepResult::Finished;
}

Result<void> TuningSession::runBaseline() {
    enter(Stage::Baseline);
    // The default first; where it cannot serve, valid configurations in order until one can.
    space::Configuration configuration = m_task->space.defaultConfiguration();
    if (m_tried.contains(configuration)) {
        std::optional<space::Configuration> next;
        m_task->space.forEachValid([&](const space::Configuration& one) {
            if (!m_tried.contains(one)) next = one;
            return !next.has_value();
        }, &m_steering->mask());
        if (!next || budgetSpent()) {
            return fail(ErrorCode::Unsupported,
                        "no configuration could serve as baseline: all " + std::to_string(m_trials.size()) + " that were tried failed, the last with " +
                            std::string(toString(m_trials.back().status)) + ": " + m_trials.back().message,
                        m_record.kernel);
        }
        configuration = *next;
    } else if (const auto refused = m_task->space.explain(configuration)) {
        logEvent("notice", {{"text", "the default configuration breaks a rule (" + refused->sentence +
                                         "); it is measured as baseline, and never chosen as best"}});
    }
    m_running = configuration;
    WW_TRY(inFlight, m_pipeline->submit(configuration));
    WW_TRY(record, m_pipeline->runBaseline(inFlight));
    m_baselineUsable = record.status == TrialStatus::Ok;
    for (const auto& note : m_pipeline->takeNotes()) logEvent("notice", {{"text", note}});
    record.origin = "baseline";
    if (m_baselineUsable) {
        m_baseline = configuration;
        m_record.noiseFloor = m_pipeline->noiseFloor();
        WW_CHECK(m_log->setNoiseFloor(m_sessionId, m_record.noiseFloor));
        if (!m_trials.empty()) {
            logEvent("notice", {{"text", "the default configuration does not run here; " + m_task->space.display(configuration) + " is the baseline"}});
        }
    }
    return finishTrial(std::move(record), {}, configuration);
}

Result<void> TuningSession::fillQueue() {
    const std::size_t room = std::min<std::size_t>(m_pipeline->lookahead(), static_cast<std::size_t>(m_options.trials) - m_trials.size());
    while (m_queue.size() < room && !m_userQueue.empty()) {
        policy::Proposal proposal{0, m_userQueue.front(), "user", {}};
        m_userQueue.pop_front();
        WW_TRY(inFlight, m_pipeline->submit(proposal.configuration));
        m_tried.insert(proposal.configuration);
        m_queue.push_front({std::move(proposal), std::move(inFlight)});
    }
    if (m_queue.size() >= room) return {};
    enter(Stage::Proposing);
    const auto begin = monotonicNs();
    const auto now = state();
    WW_TRY(proposals, m_strategy->propose(static_cast<int>(room - m_queue.size()), context(now)));
    const auto spent = proposals.empty() ? 0 : (monotonicNs() - begin) / static_cast<std::int64_t>(proposals.size());
    for (auto& proposal : proposals) {
        WW_TRY(inFlight, m_pipeline->submit(proposal.configuration));
        inFlight.proposeNs = spent;
        m_tried.insert(proposal.configuration);
        m_queue.push_back({std::move(proposal), std::move(inFlight)});
    }
    return {};
}

Result<void> TuningSession::runNext() {
    Queued next = std::move(m_queue.front());
    m_queue.pop_front();
    m_running = next.proposal.configuration;
    WW_TRY(record, m_pipeline->runTrial(next.inFlight, m_incumbentNs));
    record.origin = next.proposal.origin;
    record.policy = next.proposal.note;
    WW_CHECK(finishTrial(std::move(record), next.proposal, next.proposal.configuration));
    return noteMeasuring();
}

Result<void> TuningSession::noteMeasuring() {
    for (auto& event : m_pipeline->takeEvents()) logEvent(event.kind, std::move(event.data));
    if (const auto nowNs = m_pipeline->takeIncumbentNs()) m_incumbentNs = *nowNs;
    if (m_pipeline->noiseFloor() == m_record.noiseFloor) return {};
    m_record.noiseFloor = m_pipeline->noiseFloor();
    return m_log->setNoiseFloor(m_sessionId, m_record.noiseFloor);
}

Result<void> TuningSession::finishTrial(store::TrialRecord record, const policy::Proposal& proposal, const space::Configuration& configuration) {
    record.number = static_cast<int>(m_trials.size()) + 1;
    record.sessionId = m_sessionId;
    record.reward = rewardOf(record);
    m_tried.insert(configuration);
    rememberBest(record, configuration);
    enter(Stage::Storing);
    const auto storeBegin = monotonicNs();
    record.diagnosis = findDiagnosis(m_record, record);
    WW_TRY(id, m_log->addTrial(record, std::exchange(m_newRejections, {})));
    record.id = id;
    const auto storeNs = monotonicNs() - storeBegin;

    m_total.proposeNs += record.stages.proposeNs;
    m_total.compileNs += record.stages.compileNs;
    m_total.verifyNs += record.stages.verifyNs;
    m_total.benchNs += record.stages.benchNs;
    m_deviceSeconds = m_pipeline->deviceSeconds();
    m_total.storeNs += storeNs;
    auto shared = std::make_shared<const store::TrialRecord>(std::move(record));
    auto kept = *shared;
    kept.samplesNs.clear();
    kept.baselineSamplesNs.clear();
    kept.log.clear();
    m_trials.push_back(std::move(kept));

    enter(Stage::Learning);
    const auto learnBegin = monotonicNs();
    learnFrom(*shared, proposal, configuration);
    if (m_trials.size() % kCheckpointEvery == 0) {
        if (auto bytes = m_strategy->checkpoint(); bytes && !bytes->empty()) {
            WW_CHECK(m_log->savePolicy(m_sessionId, shared->number, m_strategy->name(), *bytes));
        }
    }
    m_total.proposeNs += monotonicNs() - learnBegin;
    m_running.reset();
    enter(Stage::Idle);
    emit(TrialFinished{shared});
    emitProgress();
    return {};
}

void TuningSession::rememberBest(const store::TrialRecord& record, const space::Configuration& configuration) {
    if (record.status != TrialStatus::Ok || !record.timeNs) return;
    if (!m_task->space.isValid(configuration)) return;  // a baseline that breaks the rules is never best
    const auto timeNs = static_cast<double>(*record.timeNs);
    if (m_incumbent && timeNs >= m_incumbentNs) return;
    m_incumbent = configuration;
    m_incumbentNs = timeNs;
    m_bestTrial = record.number;
}

Result<void> TuningSession::runFinalists() {
    if (!m_baselineUsable || m_trials.size() < 2) return {};
    const auto chosen = chooseFinalists(m_trials, m_task->space, kFinalists);
    if (chosen.empty()) return {};
    emit(StageChanged{Stage::Finalists, static_cast<int>(m_trials.size()), {}});
    std::vector<space::Configuration> configurations{*m_baseline};
    std::vector<int> numbers{baselineNumber(m_trials)};
    for (const auto* trial : chosen) {
        WW_TRY(configuration, m_task->space.fromJson(trial->config));
        configurations.push_back(configuration);
        numbers.push_back(trial->number);
    }
    WW_TRY(measured, m_pipeline->measureTogether(configurations, kFinalistSamples, false));
    for (std::size_t i = 0; i < measured.size(); ++i) measured[i].trialNumber = numbers[i];
    m_finalists = rankFinalists(std::move(measured));
    WW_CHECK(m_log->addMeasurements(m_sessionId, "finalists", m_finalists));
    emit(FinalistsMeasured{m_finalists});
    return {};
}

Result<void> TuningSession::finish(store::SessionStatus status) {
    if (auto bytes = m_strategy->checkpoint(); bytes && !bytes->empty()) {
        WW_CHECK(m_log->savePolicy(m_sessionId, static_cast<int>(m_trials.size()), m_strategy->name(), *bytes));
    }
    if (status == store::SessionStatus::Interrupted) logEvent("stop", {{"trials", m_trials.size()}});
    close(status);
    emit(StageChanged{Stage::Done, static_cast<int>(m_trials.size()), {}});
    emit(SessionEnded{status, {}, bestOf(m_trials, m_finalists)});
    return {};
}

void TuningSession::close(store::SessionStatus status) {
    m_finished = true;
    m_pipeline.reset();
    if (m_log) {
        // A session that cannot be marked is seen as interrupted by the next reader; nothing is lost with it.
        (void)m_log->updateSession(m_sessionId, status, m_options.trials, m_options.seconds).has_value();
        m_log.reset();
    }
}

policy::Observation TuningSession::observationOf(const store::TrialRecord& record, const policy::Proposal& proposal,
                                                 const space::Configuration& configuration) const {
    const auto facts = compile::CompileFacts::fromJson(record.compileFacts);
    policy::Observation observation;
    observation.proposalId = proposal.id;
    observation.configuration = configuration;
    observation.status = record.status;
    if (record.timeNs) observation.timeNs = static_cast<double>(*record.timeNs);
    observation.ratio = record.ratio;
    observation.verdict = record.verdict;
    observation.reward = record.reward.total;
    observation.learningReward = m_reward->learning(record.reward, record.status);
    if (facts.registers >= 0) observation.registers = static_cast<double>(facts.registers);
    if (facts.staticSharedBytes >= 0) observation.sharedBytes = static_cast<double>(facts.staticSharedBytes);
    observation.state = state();
    return observation;
}

void TuningSession::learnFrom(const store::TrialRecord& record, const policy::Proposal& proposal, const space::Configuration& configuration) {
    if (auto learned = m_strategy->observe(observationOf(record, proposal, configuration)); !learned) {
        logEvent("notice", {{"text", "the strategy could not learn from trial " + std::to_string(record.number) + ": " + learned.error().message}});
    }
}

Result<std::unique_ptr<Session>> Session::create(SessionOptions options, EventSink sink, std::stop_source stop) {
    auto session = std::make_unique<TuningSession>(std::move(options), std::move(sink), std::move(stop));
    WW_CHECK(session->open());
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace ww::engine
