// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "profile/activity.h"
#include "profile/cache_reader.h"
#include "profile/metrics.h"
#include "profile/range_profiler.h"
#include "profile/sass.h"
#include "worker/data_files.h"
#include "worker/messages.h"
#include "worker/server.h"

namespace ww::worker {
namespace {

using sandbox::Message;

/// Serves "profile" requests, each a candidate with its launch. What the best rung gives is found out at the start, by counting a
/// kernel of our own, so that a machine without permission says so once, with the remedy.
class ProfileServer {
public:
    ProfileServer(sandbox::Channel& channel, device::Device& device) : m_channel(channel), m_device(device) {}

    Result<void> serve() {
        openCounters();
        WW_CHECK(m_channel.greet(Json{{"role", "profile"},
                                      {"device", m_device.facts().toJson()},
                                      {"chip", m_profiler ? m_profiler->chip() : std::string()},
                                      {"trial_passes", m_trialPasses},
                                      {"no_counters", m_noCounters},
                                      {"privileged", ::geteuid() == 0}}));
        for (;;) {
            WW_TRY(request, m_channel.receive());
            auto answer = handle(request);
            if (!answer) answer = Message{Json{{"error", sandbox::errorToJson(answer.error())}}, {}};
            WW_CHECK(m_channel.send(*answer));
        }
    }

private:
    void openCounters() {
        auto reader = profile::CacheReader::make(m_device.facts());
        if (!reader) {
            m_noCounters = reader.error().toString();
            return;
        }
        m_cache = std::move(*reader);
        auto profiler = profile::RangeProfiler::open(m_device.facts().index);
        if (!profiler) {
            m_noCounters = profiler.error().toString();
            return;
        }
        const auto flush = [&] {
            device::Outcome outcome;
            if (auto flushed = m_cache->flush(); !flushed) outcome = {TrialStatus::RuntimeError, flushed.error().toString(), true, 0};
            return outcome;
        };
        auto probed = (*profiler)->collect(
            profile::MetricSet::Trial, [] { return Result<void>(); }, flush);
        if (!probed) m_noCounters = probed.error().toString();
        else if (probed->outcome.status != TrialStatus::Ok) m_noCounters = probed->outcome.message;
        else if (probed->values.get("time_ns").value_or(0) <= 0)
            m_noCounters = "CUPTI counted a kernel of ours as taking no time; its counters are not to be believed";
        else {
            m_trialPasses = probed->passes;
            m_profiler = std::move(*profiler);
        }
    }

    Result<Message> handle(const Message& request) {
        const Json& body = request.body;
        const Json* entry = member(body, "entry");
        const Json* launchJson = member(body, "launch");
        if (body.value("op", std::string()) != "profile" || entry == nullptr || !entry->is_string() || launchJson == nullptr) {
            return fail(ErrorCode::WorkerFailed, "the profile worker serves requests to profile alone, with entry and launch");
        }
        WW_TRY(launch, launchFromJson(*launchJson));
        WW_TRY(symbols, symbolsFromJson(member(body, "symbols")));
        WW_TRY(set, profile::metricSetFrom(body.value("set", std::string("trial"))));
        const device::LaunchShape shape{launch.grid, launch.block, static_cast<std::size_t>(launch.dynamicSharedBytes)};
        WW_TRY(loaded, m_device.load({request.attachment, entry->get<std::string>(), std::move(symbols)}, shape));
        if (loaded.outcome.status != TrialStatus::Ok) return answer(loaded.outcome, loaded.facts, {});
        auto collected = measure(loaded.id, launch, static_cast<std::uint64_t>(body.value("seed", std::int64_t{0})), set);
        if (!collected) return fail(collected.error());
        // Nothing more can be asked of a context that a fault has poisoned.
        if (!collected->outcome.sticky) m_device.unload(loaded.id);
        if (set == profile::MetricSet::Full) addOpcodes(request.attachment, collected->values);
        return answer(collected->outcome, loaded.facts, *collected);
    }

    Result<profile::Collected> measure(device::ModuleId module, const spec::ResolvedLaunch& launch, std::uint64_t seed,
                                       profile::MetricSet set) {
        const auto data = [this](const spec::ResolvedArgument& argument) { return m_files.contentOf(argument); };
        WW_CHECK(m_buffers.prepare(launch, seed, 0, data));
        const auto prepared = m_buffers.launch(module);
        // The first launch of a module pays for loading it and for its local memory.
        if (auto first = m_device.run(prepared); first.status != TrialStatus::Ok) return profile::Collected{std::move(first), {}, 0, 0};
        const auto prepare = [&]() -> Result<void> {
            WW_CHECK(m_buffers.restore());
            return m_cache ? m_cache->flush() : Result<void>();
        };
        const auto run = [&] { return m_device.time(prepared, false, 1); };
        if (m_profiler) return m_profiler->collect(set, prepare, run);
        WW_CHECK(prepare());
        profile::Collected collected;
        auto recorded = profile::recordActivity(run, collected.outcome);
        // Without CUPTI even this rung is missing; the launch's own time by events remains.
        if (recorded) collected.values = std::move(*recorded);
        else if (collected.outcome.status == TrialStatus::Ok)
            collected.values.put("time_ns", static_cast<double>(run().timeNs), "ns", profile::Rung::Timed);
        return collected;
    }

    static void addOpcodes(std::span<const std::byte> cubin, profile::Measurements& values) {
        auto counted = profile::disassemble(cubin);
        if (counted) values.merge(*counted);
        else values.put({"code", std::nullopt, "1", profile::Rung::Code, counted.error().toString()});
    }

    Message answer(const device::Outcome& outcome, const device::FunctionFacts& facts, const profile::Collected& collected) const {
        return Message{Json{{"outcome", toJson(outcome)},
                            {"facts", toJson(facts)},
                            {"values", collected.values.toJson()},
                            {"passes", collected.passes},
                            {"seconds", collected.seconds},
                            {"no_counters", m_noCounters}},
                       {}};
    }

    sandbox::Channel& m_channel;
    device::Device& m_device;
    verify::LaunchBuffers m_buffers{m_device};
    DataFiles m_files;
    std::unique_ptr<profile::CacheReader> m_cache;
    std::unique_ptr<profile::RangeProfiler> m_profiler;
    std::size_t m_trialPasses = 0;
    std::string m_noCounters;
};

} // namespace

Result<void> serveProfile(sandbox::Channel& channel, device::Device& device) {
    ProfileServer server(channel, device);
    return server.serve();
}

} // namespace ww::worker
