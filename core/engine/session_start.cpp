// SPDX-License-Identifier: Apache-2.0
#include "engine/session_record.h"
#include "engine/tuning_session.h"
#include "policy/screened_strategy.h"

namespace ww::engine {
namespace {

/// What a launch needs of the device beside the parameters themselves.
std::vector<expr::Expression> launchExpressions(const spec::Spec& spec) {
    std::vector<expr::Expression> expressions;
    std::string threads;
    for (const auto& extent : spec.localSize) {
        if (extent) threads += (threads.empty() ? "(" : " * (") + extent->text() + ")";
    }
    if (auto product = expr::Expression::parse(threads)) expressions.push_back(std::move(*product));
    if (spec.sharedMemory) expressions.push_back(*spec.sharedMemory);
    return expressions;
}

/// The options' pins, then their bans, on a session or on a Steering alone.
template <typename Steered>
Result<void> applyOptions(const SessionOptions& options, Steered& steered) {
    for (const auto& text : options.pins) {
        WW_TRY(assignment, Steering::parseAssignment(text));
        WW_CHECK(steered.pin(assignment.first, assignment.second));
    }
    for (const auto& text : options.bans) {
        WW_TRY(assignment, Steering::parseAssignment(text));
        WW_CHECK(steered.ban(assignment.first, assignment.second));
    }
    return {};
}

}  // namespace

Result<void> TuningSession::open() {
    emit(StageChanged{Stage::Starting, 0, {}});
    if (m_options.trials < (m_options.resume.empty() ? 1 : 0)) return fail(ErrorCode::InvalidArgument, "the budget must be at least one trial");
    if (m_options.database.empty()) m_options.database = store::defaultDatabase();
    WW_TRY(log, store::TrialLogWriter::open(m_options.database, m_options.owner));
    m_log = std::move(log);
    return m_options.resume.empty() ? beginNew() : resume();
}

Result<void> TuningSession::makeStrategy() {
    policy::StrategyOptions options;
    options.seed = deriveSeed(m_record.seed, 1 + m_trials.size());
    WW_TRY(strategy, policy::makeStrategy(m_record.strategy, m_task->space, options));
    // Its seed is the session's alone: a resumed session makes the same forecasts as one that was never stopped.
    m_strategy = std::make_unique<policy::ScreenedStrategy>(
        std::move(strategy), policy::FeasibilityModel(m_task->space, {deriveSeed(m_record.seed, 0), 50, launchExpressions(m_task->spec)}));
    return {};
}

Result<void> TuningSession::chooseObjective() {
    WW_TRY(objective, reward::objectiveFrom(m_record.objective));
    // No roof figures yet: the profile stage comes later, and the whole session uses one formula.
    m_reward.emplace(objective, false);
    // An objective that needs a figure which no trial will have is refused now, not after the first trial.
    reward::RewardInput probe;
    probe.verdict = Verdict::Same;
    probe.ratio = 1.0;
    WW_TRY(probed, m_reward->evaluate(probe));
    (void)probed;
    return {};
}

Result<void> TuningSession::checkInitialSteering() const {
    Steering trial(m_task->space);
    return applyOptions(m_options, trial);
}

Result<void> TuningSession::applyInitialSteering() { return applyOptions(m_options, *this); }

Result<void> TuningSession::beginNew() {
    WW_TRY(device, findDevice(m_options.device));
    WW_TRY(task, loadTask(m_options.specPath, device, m_options.workload));
    m_task = std::make_shared<const Task>(std::move(task));
    m_steering = std::make_unique<Steering>(m_task->space);
    WW_CHECK(checkInitialSteering());
    countSpace();
    if (!m_options.seed) m_options.seed = drawSeed();
    m_record = describeSession(*m_task, m_options);
    WW_CHECK(chooseObjective());
    WW_CHECK(makeStrategy());
    WW_TRY(pipeline, Pipeline::start(m_task, {m_options.allowNoSandbox, m_options.shareResults, *m_options.seed, m_stop.get_token(), stageSink()}));
    m_pipeline = std::move(pipeline);
    m_record.sandbox = sandbox::toString(m_pipeline->sandboxLevel());
    m_record.facts.update(m_pipeline->environment());
    WW_TRY(id, m_log->beginSession(m_record));
    m_record.id = m_sessionId = id;
    m_startNs = monotonicNs();
    emit(SessionStarted{m_record, m_task, {}, {}});
    for (const auto& note : m_task->notes) logEvent("notice", {{"text", note}});
    return applyInitialSteering();
}

Result<void> TuningSession::resume() {
    WW_TRY(reader, store::TrialLogReader::open(m_options.database));
    WW_TRY(id, reader->resolve(m_options.resume));
    WW_TRY(stored, reader->session(id));
    WW_TRY(trials, reader->trials(id));
    WW_TRY(events, reader->events(id));
    WW_TRY(snapshot, reader->policy(id));
    WW_TRY(rejections, reader->rejections(id));
    reader.reset();

    WW_TRY(facts, device::DeviceFacts::fromJson(stored.device));
    WW_TRY(device, findDevice(facts.kind == device::DeviceKind::Cpu ? "cpu" : "cuda:" + std::to_string(facts.index)));
    if (device.uuid != facts.uuid) {
        return fail(ErrorCode::InvalidArgument, "session " + std::to_string(id) + " ran on " + facts.name +
                                                    ", which this machine does not have; results of different devices are never mixed: start a new session");
    }
    if ((!m_options.workload.empty() && m_options.workload != stored.workload) ||
        (!m_options.objective.empty() && m_options.objective != stored.objective)) {
        return fail(ErrorCode::InvalidArgument, "session " + std::to_string(id) + " has workload " + stored.workload + " and objective " + stored.objective +
                                                    "; they cannot change on resume: leave them out, or start a new session");
    }
    if (m_options.device != "auto") {
        WW_TRY(asked, findDevice(m_options.device));
        if (asked.uuid != facts.uuid) {
            return fail(ErrorCode::InvalidArgument, "session " + std::to_string(id) + " runs on " + facts.name + ", not on " + asked.name +
                                                        "; leave --device out, or start a new session");
        }
    }
    if (!m_options.specPath.empty()) {
        WW_TRY(named, spec::load(m_options.specPath));
        if (named.kernelName != stored.entry || named.name != stored.kernel) {
            return fail(ErrorCode::InvalidArgument,
                        "session " + std::to_string(id) + " tunes " + stored.kernel + ", not " + named.name + "; name no kernel on resume, or another session");
        }
    }
    const std::filesystem::path path = m_options.specPath.empty() ? stored.specPath : m_options.specPath.string();
    WW_TRY(task, loadTask(path, device, stored.workload));
    if (task.source.text != stored.sourceText) {
        return fail(ErrorCode::InvalidArgument,
                    "the kernel has changed since session " + std::to_string(id) + " began; start a new session, or restore the file", stored.sourcePath);
    }
    m_task = std::make_shared<const Task>(std::move(task));
    m_steering = std::make_unique<Steering>(m_task->space);
    for (const auto& event : events) m_steering->replay(event);
    countSpace();
    m_record = std::move(stored);
    m_sessionId = id;
    if (m_options.trials == 0) m_options.trials = m_record.budgetTrials;
    if (m_options.seconds == 0) m_options.seconds = m_record.budgetSeconds;
    m_record.budgetTrials = m_options.trials;
    m_record.budgetSeconds = m_options.seconds;
    for (const auto& one : rejections) m_rejections[one.constraintId] = one.count;
    WW_CHECK(chooseObjective());

    WW_TRY(pipeline, Pipeline::start(m_task, {m_options.allowNoSandbox, m_options.shareResults, m_record.seed, m_stop.get_token(), stageSink()}));
    m_pipeline = std::move(pipeline);
    m_trials = std::move(trials);
    WW_CHECK(makeStrategy());
    if (snapshot) {
        if (auto restored = m_strategy->restore(*snapshot); !restored) {
            logEvent("notice", {{"text", "the policy's snapshot could not be used: " + restored.error().message + "; it learns from the log instead"}});
            snapshot.reset();
        }
    }
    for (const auto& trial : m_trials) {
        auto configuration = m_task->space.fromJson(trial.config);
        if (!configuration) continue;
        m_tried.insert(*configuration);
        m_pipeline->remember(trial);
        if (trial.number == 1) m_baseline = *configuration;
        rememberBest(trial, *configuration);
        if (snapshot) m_strategy->recall(observationOf(trial, {}, *configuration));
        else learnFrom(trial, {}, *configuration);
    }
    WW_CHECK(m_log->updateSession(m_sessionId, store::SessionStatus::Running, m_options.trials, m_options.seconds));
    emit(SessionStarted{m_record, m_task, m_trials, events});
    logEvent("resume", {{"trials", m_trials.size()}});
    if (m_baseline && m_trials.front().status == TrialStatus::Ok) {
        WW_TRY(inFlight, m_pipeline->submit(*m_baseline));
        WW_CHECK(m_pipeline->restoreBaseline(inFlight, m_record.noiseFloor));
        m_baselineUsable = true;
    }
    return applyInitialSteering();
}

}  // namespace ww::engine
