// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>

#include "base/units.h"
#include "device/cpu_exit_codes.h"
#include "sandbox/channel.h"
#include "worker/clients.h"
#include "worker/messages.h"

namespace ww::worker {
namespace {

using sandbox::Death;
using sandbox::Message;
using sandbox::WorkerProcess;

constexpr std::size_t kMaxPrinted = std::size_t{64} << 10;
constexpr std::chrono::seconds kLoadTime{90};

std::string lastLine(std::string_view text) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    const std::size_t start = text.rfind('\n');
    if (start != std::string_view::npos) text.remove_prefix(start + 1);
    return std::string(text.substr(0, 500));
}

/// A candidate ended the process: the status it gets for that.
DeviceOutcome outcomeOf(const Death& death) {
    DeviceOutcome outcome{TrialStatus::RuntimeError, {}, true};
    const std::string said = lastLine(death.output);
    if (const std::string_view fault = death.signal == 0 ? device::describeCpuExit(death.exitCode) : std::string_view(); !fault.empty()) {
        if (death.exitCode == device::kExitOutOfMemory) outcome.status = TrialStatus::OutOfMemory;
        outcome.message = said.empty() ? std::string(fault) : said;
        return outcome;
    }
    if (death.signal == SIGKILL) {
        outcome.status = TrialStatus::OutOfMemory;
        outcome.message = "the system killed the process, most likely because memory ran out";
    } else if (death.signal == 0) {
        outcome.message = "the kernel ended the process with exit code " + std::to_string(death.exitCode);
    } else {
        outcome.message = "the process " + death.describe();
    }
    if (!said.empty()) outcome.message += ": " + said;
    return outcome;
}

class Client final : public DeviceClient {
public:
    explicit Client(const Options& options) : m_options(options) { m_options.worker.role = sandbox::Role::Device; }

    const device::DeviceFacts& facts() const override { return m_facts; }
    Result<void> restart() override;
    Result<std::pair<DeviceOutcome, LoadedModule>> load(const compile::CompileResult& object, const device::LaunchShape& shape) override;
    void unload(std::uint32_t module) override;
    Result<RunResult> run(std::uint32_t module, const spec::ResolvedLaunch& launch, const verify::RunOptions& options,
                          std::chrono::nanoseconds deadline) override;
    Result<std::pair<DeviceOutcome, bench::PairedSamples>> bench(std::uint32_t referenceModule, const spec::ResolvedLaunch& referenceLaunch,
                                                                 std::uint32_t module, const spec::ResolvedLaunch& launch,
                                                                 std::uint64_t seed, const bench::BenchOptions& options,
                                                                 std::chrono::nanoseconds deadline) override;
    Result<std::pair<DeviceOutcome, std::vector<std::vector<double>>>> benchMany(const std::vector<std::uint32_t>& modules,
                                                                                 const std::vector<spec::ResolvedLaunch>& launches,
                                                                                 std::uint64_t seed, const bench::BenchOptions& options,
                                                                                 std::chrono::nanoseconds deadline) override;

private:
    /// What came of a request: an answer with the device's outcome in it, or the outcome of a worker that was lost over it.
    struct Exchange {
        DeviceOutcome outcome;
        std::int64_t timeNs = 0;
        std::string printed;
        std::optional<Json> answer;  ///< empty where the worker was lost
    };
    Result<Exchange> exchange(Message request, std::chrono::nanoseconds deadline, std::size_t arenaBytes = 0);
    Result<Exchange> understand(Message answer);
    Result<void> replace();

    Options m_options;
    device::DeviceFacts m_facts;
    std::unique_ptr<WorkerProcess> m_worker;
    std::span<std::byte> m_arena;
};

Result<void> Client::restart() {
    return replace();
}

Result<void> Client::replace() {
    m_arena = {};
    m_worker.reset();  // the old one first: the device is exclusive
    if (m_options.stop.stop_requested()) return fail(ErrorCode::Cancelled, "stopped");
    WW_TRY(started, WorkerProcess::start(m_options.worker));
    const Json* facts = member(started->greeting(), "device");
    if (facts == nullptr) return fail(ErrorCode::WorkerFailed, "the device worker did not say which device it has");
    WW_TRY(read, device::DeviceFacts::fromJson(*facts));
    m_facts = std::move(read);
    m_worker = std::move(started);
    return {};
}

Result<Client::Exchange> Client::exchange(Message request, std::chrono::nanoseconds deadline, std::size_t arenaBytes) {
    const auto lost = [](std::string message) { return Exchange{{TrialStatus::WorkerLost, std::move(message), true}, 0, {}, {}}; };
    if (!m_worker || !m_worker->alive()) {
        const std::string how = m_worker ? m_worker->death().describe() : "could not be replaced before";
        WW_CHECK(replace());
        return lost("the device worker " + how + " between two requests");
    }
    if (arenaBytes > 0) {
        WW_TRY(arena, m_worker->arena(arenaBytes));
        m_arena = arena;
    }
    (void)m_worker->takeOutput();
    request.body["growth"] = m_options.memoryGrowthBytes;
    if (auto sent = m_worker->send(request); !sent) {
        const std::string why = sent.error().message;
        WW_CHECK(replace());
        return lost(why);
    }
    Message answer;
    switch (m_worker->receive(answer, deadline, m_options.stop)) {
    case WorkerProcess::Wait::Ready: return understand(std::move(answer));
    case WorkerProcess::Wait::Stopped:
        m_worker.reset();
        return fail(ErrorCode::Cancelled, "stopped while the device was at work");
    case WorkerProcess::Wait::Deadline: {
        WW_CHECK(replace());
        const std::string allowed = formatDuration(std::chrono::duration<double>(deadline).count());
        return Exchange{{TrialStatus::Timeout, "no end within " + allowed + "; the process was killed", true}, 0, {}, {}};
    }
    case WorkerProcess::Wait::Died: break;
    }
    auto outcome = outcomeOf(m_worker->death());
    WW_CHECK(replace());
    return Exchange{std::move(outcome), 0, {}, {}};
}

Result<Client::Exchange> Client::understand(Message answer) {
    if (const Json* error = member(answer.body, "error")) return fail(sandbox::errorFromJson(*error));
    const Json* json = member(answer.body, "outcome");
    if (json == nullptr) return fail(ErrorCode::WorkerFailed, "the device worker gave an answer without an outcome");
    WW_TRY(outcome, outcomeFromJson(*json));
    Exchange done{{outcome.status, outcome.message, false}, outcome.timeNs, m_worker->takeOutput(), std::move(answer.body)};
    if (outcome.sticky) {
        WW_CHECK(replace());
        done.outcome.workerReplaced = true;
    }
    return done;
}

Result<std::pair<DeviceOutcome, LoadedModule>> Client::load(const compile::CompileResult& object, const device::LaunchShape& shape) {
    Message request{Json{{"op", "load"}, {"entry", object.entry}, {"symbols", object.symbols}, {"shape", toJson(shape)}}, object.object};
    WW_TRY(done, exchange(std::move(request), kLoadTime));
    LoadedModule module;
    if (done.answer && done.outcome.status == TrialStatus::Ok) {
        module.id = done.answer->value("module", 0u);
        WW_TRY(facts, functionFactsFromJson(done.answer->value("facts", Json())));
        module.facts = facts;
    }
    return std::pair(std::move(done.outcome), std::move(module));
}

void Client::unload(std::uint32_t module) {
    // Without an answer; a worker that is gone has unloaded it too.
    if (m_worker && m_worker->alive()) (void)m_worker->send({Json{{"op", "unload"}, {"module", module}}, {}});
}

Result<RunResult> Client::run(std::uint32_t module, const spec::ResolvedLaunch& launch, const verify::RunOptions& options,
                              std::chrono::nanoseconds deadline) {
    Message request{toJson(options), {}};
    request.body.update(Json{{"op", "run"}, {"module", module}, {"launch", toJson(launch)}});
    WW_TRY(done, exchange(std::move(request), deadline, arenaBytes(launch)));
    RunResult result;
    result.outcome = std::move(done.outcome);
    result.timeNs = done.timeNs;
    result.printed = std::move(done.printed);
    if (!done.answer) return result;
    const Json& answer = *done.answer;
    try {
        result.printed += answer.value("printed", std::string());
        if (result.printed.size() > kMaxPrinted) result.printed.resize(kMaxPrinted);
        result.guardViolations = answer.at("guard").get<std::vector<std::string>>();
        result.changedInputs = answer.at("changed").get<std::vector<std::string>>();
        result.repeats = verify::Repeats::fromJson(answer.at("repeats"));
        result.unwrittenOutputs = answer.at("unwritten").get<std::vector<std::string>>();
        for (const auto& place : answer.at("outputs")) {
            const auto at = place.at(0).get<std::size_t>(), bytes = place.at(1).get<std::size_t>();
            if (at > m_arena.size() || bytes > m_arena.size() - at) return fail(ErrorCode::WorkerFailed, "the device worker names outputs outside the arena");
            result.outputs.push_back(m_arena.subspan(at, bytes));
        }
    } catch (const Json::exception& problem) {
        return fail(ErrorCode::WorkerFailed, std::string("the device worker's answer is broken: ") + problem.what());
    }
    return result;
}

Result<std::pair<DeviceOutcome, bench::PairedSamples>> Client::bench(std::uint32_t referenceModule, const spec::ResolvedLaunch& referenceLaunch,
                                                                     std::uint32_t module, const spec::ResolvedLaunch& launch,
                                                                     std::uint64_t seed, const bench::BenchOptions& options,
                                                                     std::chrono::nanoseconds deadline) {
    Message request{Json{{"op", "bench"},
                         {"reference", {{"module", referenceModule}, {"launch", toJson(referenceLaunch)}}},
                         {"candidate", {{"module", module}, {"launch", toJson(launch)}}},
                         {"seed", static_cast<std::int64_t>(seed)},
                         {"options", options.toJson()}},
                    {}};
    WW_TRY(done, exchange(std::move(request), deadline));
    bench::PairedSamples samples;
    if (done.answer) {
        if (const Json* json = member(*done.answer, "samples")) samples = bench::PairedSamples::fromJson(*json);
        if (done.outcome.status != TrialStatus::Ok && done.answer->value("failed", 1) == 0) done.outcome.message.insert(0, "the baseline: ");
    }
    return std::pair(std::move(done.outcome), std::move(samples));
}

Result<std::pair<DeviceOutcome, std::vector<std::vector<double>>>> Client::benchMany(const std::vector<std::uint32_t>& modules,
                                                                                     const std::vector<spec::ResolvedLaunch>& launches,
                                                                                     std::uint64_t seed, const bench::BenchOptions& options,
                                                                                     std::chrono::nanoseconds deadline) {
    if (modules.size() != launches.size() || modules.empty()) return fail(ErrorCode::Internal, "as many launches as modules are needed");
    Json list = Json::array();
    for (std::size_t i = 0; i < modules.size(); ++i) list.push_back({{"module", modules[i]}, {"launch", toJson(launches[i])}});
    Message request{Json{{"op", "bench_many"}, {"launches", std::move(list)}, {"seed", static_cast<std::int64_t>(seed)}, {"options", options.toJson()}}, {}};
    WW_TRY(done, exchange(std::move(request), deadline));
    std::vector<std::vector<double>> samples(modules.size());
    if (done.answer) {
        try {
            samples = done.answer->at("samples").get<std::vector<std::vector<double>>>();
        } catch (const Json::exception& problem) {
            return fail(ErrorCode::WorkerFailed, std::string("the device worker's answer is broken: ") + problem.what());
        }
        samples.resize(modules.size());
    }
    return std::pair(std::move(done.outcome), std::move(samples));
}

}  // namespace

Result<std::unique_ptr<DeviceClient>> DeviceClient::start(const Options& options) {
    auto client = std::make_unique<Client>(options);
    WW_CHECK(client->restart());
    return std::unique_ptr<DeviceClient>(std::move(client));
}

}  // namespace ww::worker
