// SPDX-License-Identifier: Apache-2.0
#include "worker/profile_client.h"

#include "base/units.h"
#include "sandbox/channel.h"
#include "worker/messages.h"

namespace ww::worker {
namespace {

using sandbox::Message;
using sandbox::WorkerProcess;

Result<ProfileAnswer> answerFrom(const Json& body) {
    if (const Json* error = member(body, "error")) return fail(sandbox::errorFromJson(*error));
    const Json* outcomeJson = member(body, "outcome");
    const Json* values = member(body, "values");
    const Json* facts = member(body, "facts");
    if (outcomeJson == nullptr || values == nullptr || facts == nullptr)
        return fail(ErrorCode::WorkerFailed, "the profile worker's answer is not whole");
    WW_TRY(outcome, outcomeFromJson(*outcomeJson));
    ProfileAnswer answer;
    answer.status = outcome.status;
    answer.message = std::move(outcome.message);
    WW_TRY(measured, profile::Measurements::fromJson(*values));
    answer.values = std::move(measured);
    WW_TRY(function, functionFactsFromJson(*facts));
    answer.function = function;
    answer.noCounters = body.value("no_counters", std::string());
    answer.passes = body.value("passes", std::size_t{0});
    answer.seconds = body.value("seconds", 0.0);
    return answer;
}

class Client final : public ProfileClient {
public:
    explicit Client(const Options& options) : m_options(options) {
        m_options.worker.role = sandbox::Role::Profile;
        m_options.worker.level = sandbox::Level::None;
        m_options.worker.memoryBytes = 0;
    }

    const std::string& noCounters() const override { return m_noCounters; }
    const std::string& chip() const override { return m_chip; }
    std::size_t trialPasses() const override { return m_trialPasses; }
    bool privileged() const override { return m_privileged; }
    Result<void> restart();
    Result<ProfileAnswer> profile(const compile::CompileResult& object, const spec::ResolvedLaunch& launch, std::uint64_t seed,
                                  profile::MetricSet set, std::chrono::nanoseconds deadline) override;

private:
    ProfileAnswer lost(std::string message) const {
        ProfileAnswer answer;
        answer.status = TrialStatus::WorkerLost;
        answer.message = std::move(message);
        answer.noCounters = answer.message;
        return answer;
    }

    Options m_options;
    std::unique_ptr<WorkerProcess> m_worker;
    std::string m_noCounters, m_chip;
    std::size_t m_trialPasses = 0;
    bool m_privileged = false;
};

Result<void> Client::restart() {
    m_worker.reset();
    if (m_options.stop.stop_requested()) return fail(ErrorCode::Cancelled, "stopped");
    WW_TRY(started, WorkerProcess::start(m_options.worker));
    const Json& greeting = started->greeting();
    m_noCounters = greeting.value("no_counters", std::string());
    m_chip = greeting.value("chip", std::string());
    m_trialPasses = greeting.value("trial_passes", std::size_t{0});
    m_privileged = greeting.value("privileged", false);
    m_worker = std::move(started);
    return {};
}

Result<ProfileAnswer> Client::profile(const compile::CompileResult& object, const spec::ResolvedLaunch& launch, std::uint64_t seed,
                                      profile::MetricSet set, std::chrono::nanoseconds deadline) {
    if (!m_worker || !m_worker->alive()) WW_CHECK(restart());
    const Message request{Json{{"op", "profile"},
                               {"entry", object.entry},
                               {"symbols", object.symbols},
                               {"launch", toJson(launch)},
                               {"seed", static_cast<std::int64_t>(seed)},
                               {"set", profile::toString(set)}},
                          object.object};
    Message message;
    if (auto sent = m_worker->send(request); !sent) {
        m_worker.reset();
        return lost("the profile worker could not be reached: " + sent.error().message);
    }
    switch (m_worker->receive(message, deadline, m_options.stop)) {
    case WorkerProcess::Wait::Ready: {
        auto answer = answerFrom(message.body);
        if (answer) answer->chip = m_chip;
        // A faulting kernel leaves a context that serves nothing any more.
        if (!answer || answer->status != TrialStatus::Ok) m_worker.reset();
        return answer;
    }
    case WorkerProcess::Wait::Stopped: m_worker.reset(); return fail(ErrorCode::Cancelled, "stopped while a kernel was profiled");
    case WorkerProcess::Wait::Deadline:
        m_worker.reset();
        return lost("profiling did not end within " + formatDuration(std::chrono::duration<double>(deadline).count()) +
                    " and was stopped; a kernel that waits for other blocks or for the host cannot be replayed");
    case WorkerProcess::Wait::Died: break;
    }
    auto answer = lost("the profile worker " + m_worker->death().describe());
    m_worker.reset();
    return answer;
}

} // namespace

Result<std::unique_ptr<ProfileClient>> ProfileClient::start(const Options& options) {
    auto client = std::make_unique<Client>(options);
    WW_CHECK(client->restart());
    return std::unique_ptr<ProfileClient>(std::move(client));
}

} // namespace ww::worker
