// SPDX-License-Identifier: Apache-2.0
#include "engine/session.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/units.h"
#include "encode/encode.h"
#include "engine/finalists.h"
#include "engine/pipeline.h"
#include "engine/session_record.h"
#include "engine/steering.h"
#include "reward/reward.h"
#include "store/trial_log.h"

namespace ww::engine {

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

namespace {

constexpr int kCheckpointEvery = 10;   ///< trials between policy snapshots
constexpr int kFinalists = 3;
constexpr int kFinalistSamples = 100;

/// A proposal whose candidate is being compiled.
struct Queued {
    policy::Proposal proposal;
    InFlight inFlight;
};

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
    Result<void> applyInitialSteering();
    void countSpace();
    Result<void> steer(const char* kind, const std::string& parameter, const space::Value& value, const std::function<Result<void>()>& act);
    Result<void> dropQueued(const std::function<bool(const Queued&)>& unwanted);

    Result<void> runBaseline();
    Result<void> fillQueue();
    Result<void> runNext();
    Result<void> finishTrial(store::TrialRecord record, const policy::Proposal& proposal, const space::Configuration& configuration);
    Result<void> runFinalists();
    Result<void> finish(store::SessionStatus status);
    void close(store::SessionStatus status);

    policy::StateVector state() const;
    policy::ProposalContext context(const policy::StateVector& state) const;
    void rememberBest(const store::TrialRecord& record, const space::Configuration& configuration);
    store::RewardRecord rewardOf(const store::TrialRecord& record) const;
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

Result<void> TuningSession::open() {
    emit(StageChanged{Stage::Starting, 0, {}});
    if (m_options.trials < 1) return fail(ErrorCode::InvalidArgument, "the budget must be at least one trial");
    if (m_options.database.empty()) m_options.database = store::defaultDatabase();
    WW_TRY(log, store::TrialLogWriter::open(m_options.database, m_options.owner));
    m_log = std::move(log);
    return m_options.resume.empty() ? beginNew() : resume();
}

Result<void> TuningSession::makeStrategy() {
    policy::StrategyOptions options;
    options.seed = deriveSeed(m_record.seed, 1 + m_trials.size());
    WW_TRY(strategy, policy::makeStrategy(m_record.strategy, m_task->space, options));
    m_strategy = std::move(strategy);
    return {};
}

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

Result<void> TuningSession::applyInitialSteering() {
    for (const auto& text : m_options.pins) {
        WW_TRY(assignment, Steering::parseAssignment(text));
        WW_CHECK(pin(assignment.first, assignment.second));
    }
    for (const auto& text : m_options.bans) {
        WW_TRY(assignment, Steering::parseAssignment(text));
        WW_CHECK(ban(assignment.first, assignment.second));
    }
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

Result<void> TuningSession::beginNew() {
    WW_TRY(device, findDevice(m_options.device));
    WW_TRY(task, loadTask(m_options.specPath, device, m_options.workload));
    m_task = std::make_shared<const Task>(std::move(task));
    m_steering = std::make_unique<Steering>(m_task->space);
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
        if (!snapshot) learnFrom(trial, {}, *configuration);
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
    return finishTrial(std::move(record), next.proposal, next.proposal.configuration);
}

Result<void> TuningSession::finishTrial(store::TrialRecord record, const policy::Proposal& proposal, const space::Configuration& configuration) {
    record.number = static_cast<int>(m_trials.size()) + 1;
    record.sessionId = m_sessionId;
    record.reward = rewardOf(record);
    m_tried.insert(configuration);
    rememberBest(record, configuration);
    enter(Stage::Storing);
    const auto storeBegin = monotonicNs();
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

policy::StateVector TuningSession::state() const {
    encode::Inputs inputs;
    inputs.source = &m_task->source;
    inputs.device = &m_task->device;
    inputs.entry = m_task->spec.kernelName;
    inputs.space = m_spaceFacts;
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
    auto computed = m_reward->evaluate(input);
    return computed ? std::move(*computed) : store::RewardRecord{};
}

void TuningSession::learnFrom(const store::TrialRecord& record, const policy::Proposal& proposal, const space::Configuration& configuration) {
    policy::Observation observation;
    observation.proposalId = proposal.id;
    observation.configuration = configuration;
    observation.status = record.status;
    if (record.timeNs) observation.timeNs = static_cast<double>(*record.timeNs);
    observation.ratio = record.ratio;
    observation.verdict = record.verdict;
    observation.reward = record.reward.total;
    observation.learningReward = m_reward->learning(record.reward, record.status);
    observation.state = state();
    if (auto learned = m_strategy->observe(observation); !learned) {
        logEvent("notice", {{"text", "the strategy could not learn from trial " + std::to_string(record.number) + ": " + learned.error().message}});
    }
}

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

}  // namespace

Result<std::unique_ptr<Session>> Session::create(SessionOptions options, EventSink sink, std::stop_source stop) {
    auto session = std::make_unique<TuningSession>(std::move(options), std::move(sink), std::move(stop));
    WW_CHECK(session->open());
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace ww::engine
