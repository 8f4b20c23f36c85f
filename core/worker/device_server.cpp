// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <set>

#include "bench/paired_run.h"
#include "bench/work_check.h"
#include "verify/checked_run.h"
#include "worker/bench_pool.h"
#include "worker/data_files.h"
#include "worker/messages.h"
#include "worker/server.h"
#include "worker/watched_device.h"

namespace ww::worker {
namespace {

using sandbox::Message;

/// Serves the device's requests one after another. Buffers stay prepared between requests: LaunchBuffers fills again only
/// what differs from the last time.
class DeviceServer {
public:
    DeviceServer(sandbox::Channel& channel, device::Device& device)
        : m_channel(channel), m_device(device), m_runBuffers(std::make_unique<verify::LaunchBuffers>(m_device)) {
        m_data = [this](const spec::ResolvedArgument& argument) { return m_files.contentOf(argument); };
    }

    Result<void> serve() {
        WW_CHECK(m_channel.greet(Json{{"role", "device"}, {"device", m_device.facts().toJson()}}));
        for (;;) {
            WW_TRY(request, m_channel.receive());
            auto answer = handle(request);
            if (!answer) answer = Message{Json{{"error", sandbox::errorToJson(answer.error())}}, {}};
            if (!answer->body.is_null()) WW_CHECK(m_channel.send(*answer));
        }
    }

private:
    /// A module and its launch, as a timing request names them.
    struct Timed {
        device::ModuleId module = 0;
        spec::ResolvedLaunch launch;
        std::size_t buffers = 0;  ///< which of the pools it runs on
    };

    Result<Message> handle(const Message& request) {
        m_device.setLimit(integer(request.body, "growth"));
        const Json* op = member(request.body, "op");
        const std::string name = op != nullptr && op->is_string() ? op->get<std::string>() : std::string();
        if (name == "load") return load(request);
        if (name == "unload") return unload(request);
        if (name == "run") return run(request.body);
        if (name == "bench") return bench(request.body);
        if (name == "bench_many") return benchMany(request.body);
        return fail(ErrorCode::WorkerFailed, "the device worker knows no request \"" + name + "\"");
    }

    static std::int64_t integer(const Json& body, std::string_view key) {
        const Json* found = member(body, key);
        return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : 0;
    }
    static std::uint64_t seedOf(const Json& body) { return static_cast<std::uint64_t>(integer(body, "seed")); }
    static device::ModuleId moduleOf(const Json& body) { return static_cast<device::ModuleId>(integer(body, "module")); }

    Result<Message> load(const Message& request) {
        const Json* shapeJson = member(request.body, "shape");
        const Json* entry = member(request.body, "entry");
        if (shapeJson == nullptr || entry == nullptr || !entry->is_string()) return fail(ErrorCode::WorkerFailed, "a load message without shape or entry");
        WW_TRY(shape, shapeFromJson(*shapeJson));
        WW_TRY(symbols, symbolsFromJson(member(request.body, "symbols")));
        WW_TRY(loaded, m_device.load({request.attachment, entry->get<std::string>(), std::move(symbols)}, shape));
        return Message{Json{{"outcome", toJson(loaded.outcome)}, {"module", loaded.id}, {"facts", toJson(loaded.facts)}}, {}};
    }

    /// The only request without an answer.
    Result<Message> unload(const Message& request) {
        m_device.unload(moduleOf(request.body));
        return Message{Json(nullptr), {}};
    }

    Result<Timed> timedFrom(const Json& body) const {
        const Json* launchJson = member(body, "launch");
        if (launchJson == nullptr) return fail(ErrorCode::WorkerFailed, "a request without a launch");
        WW_TRY(launch, launchFromJson(*launchJson));
        return Timed{moduleOf(body), std::move(launch), 0};
    }

    Result<Message> run(const Json& body) {
        WW_TRY(timed, timedFrom(body));
        WW_TRY(options, runOptionsFromJson(body));
        (void)m_device.takePrinted();
        const auto attempt = [&] {
            return verify::checkedRun(m_device, *m_runBuffers, timed.module, timed.launch, options, m_data);
        };
        auto tried = attempt();
        if (!tried && !m_benchBuffers.empty()) {
            // The buffers kept for timing may be what fills the memory.
            m_benchBuffers.clear();
            tried = attempt();
        }
        WW_TRY(result, std::move(tried));
        Json outputs = Json::array();
        if (result.outcome.status == TrialStatus::Ok) {
            WW_TRY(arena, m_channel.arena(arenaBytes(timed.launch)));
            std::size_t at = 0;
            for (const auto& bytes : result.outputs) {
                if (at + bytes.size() > arena.size()) return fail(ErrorCode::Internal, "the outputs do not fit the arena");
                std::ranges::copy(bytes, arena.begin() + static_cast<std::ptrdiff_t>(at));
                outputs.push_back(Json::array({at, bytes.size()}));
                at += (bytes.size() + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
            }
        }
        return Message{Json{{"outcome", toJson(result.outcome)},
                            {"guard", result.guardViolations},
                            {"changed", result.changedInputs},
                            {"unwritten", result.unwrittenOutputs},
                            {"outputs", std::move(outputs)},
                            {"repeats", result.repeats.toJson()},
                            {"printed", m_device.takePrinted()}},
                       {}};
    }

    /// A pool of buffers for every launch; launches with the same arguments share one, so that neither side has warmer caches or
    /// better placed memory than the other.
    Result<std::vector<device::Launch>> prepare(std::vector<Timed>& all, std::uint64_t seed) {
        auto tried = prepareOnce(all, seed);
        if (tried) return tried;
        // The buffers kept for verification, or for other launches, may be what fills the memory.
        m_runBuffers = std::make_unique<verify::LaunchBuffers>(m_device);
        m_benchBuffers.clear();
        return prepareOnce(all, seed);
    }

    Result<std::vector<device::Launch>> prepareOnce(std::vector<Timed>& all, std::uint64_t seed) {
        std::vector<device::Launch> launches;
        std::vector<std::unique_ptr<BenchPool>> used;
        const auto matches = [&](auto& pools, const Timed& timed) {
            return std::ranges::find_if(pools, [&](const auto& pool) { return pool && pool->holds(timed.launch, seed); });
        };
        for (auto& timed : all) {
            if (timed.launch.empty) return fail(ErrorCode::InvalidArgument, "an empty launch cannot be timed");
            auto place = matches(used, timed);
            timed.buffers = static_cast<std::size_t>(place - used.begin());
            if (place == used.end()) {
                if (const auto kept = matches(m_benchBuffers, timed); kept != m_benchBuffers.end()) {
                    used.push_back(std::move(*kept));
                } else {
                    used.push_back(std::make_unique<BenchPool>(m_device));
                    WW_CHECK(used.back()->open(timed.launch, seed, m_data));
                }
                used.back()->distrust();
            }
            device::Launch launch;
            launch.module = timed.module;
            launch.shape = {timed.launch.grid, timed.launch.block, timed.launch.dynamicSharedBytes};
            WW_CHECK(used[timed.buffers]->prepare(0, launch));
            launches.push_back(std::move(launch));
        }
        m_benchBuffers = std::move(used);
        return launches;
    }

    /// `all` and `check` must outlive the run.
    bench::RunHooks hooksFor(const std::vector<Timed>& all, bench::WorkCheck& check) {
        const auto pool = [this, &all](std::size_t which) -> BenchPool& { return *m_benchBuffers[all[which].buffers]; };
        bench::RunHooks hooks;
        hooks.reserve = [this](int wanted) -> Result<int> {
            for (const auto& one : m_benchBuffers) {
                WW_TRY(had, one->reserve(wanted, m_data));
                wanted = std::min(wanted, had);
            }
            return wanted;
        };
        hooks.prepare = [pool](std::size_t which, int serial, device::Launch& launch) { return pool(which).prepare(serial, launch); };
        hooks.inspect = [pool, &check](std::size_t which, int first, int count) -> Result<std::optional<std::string>> {
            BenchPool& buffers = pool(which);
            for (int serial = first; serial < first + count && buffers.hasOutputs(); ++serial) {
                WW_TRY(after, buffers.digestAfter(serial));
                const int value = buffers.valueOf(serial);
                if (auto wrong = check.see(which, value, buffers.digestBefore(value), after)) return "the candidate " + *wrong;
            }
            return std::optional<std::string>();
        };
        return hooks;
    }

    static bench::BenchOptions optionsOf(const Json& body) {
        const Json* options = member(body, "options");
        return options != nullptr ? bench::BenchOptions::fromJson(*options) : bench::BenchOptions{};
    }

    Result<Message> bench(const Json& body) {
        const Json* first = member(body, "reference");
        const Json* second = member(body, "candidate");
        if (first == nullptr || second == nullptr) return fail(ErrorCode::WorkerFailed, "a bench message without reference or candidate");
        std::vector<Timed> all;
        for (const Json* one : {first, second}) {
            WW_TRY(timed, timedFrom(*one));
            all.push_back(std::move(timed));
        }
        const auto options = optionsOf(body);
        WW_TRY(launches, prepare(all, options.dataSeed));
        bench::WorkCheck check(all.size());
        WW_TRY(result, bench::runPaired(m_device, launches[0], launches[1], options, seedOf(body), hooksFor(all, check)));
        return Message{Json{{"outcome", toJson(result.outcome)}, {"failed", result.failed}, {"samples", result.samples.toJson()}}, {}};
    }

    Result<Message> benchMany(const Json& body) {
        const Json* list = member(body, "launches");
        if (list == nullptr || !list->is_array() || list->empty()) return fail(ErrorCode::WorkerFailed, "a bench_many message without launches");
        std::vector<Timed> all;
        for (const auto& one : *list) {
            WW_TRY(timed, timedFrom(one));
            all.push_back(std::move(timed));
        }
        const auto options = optionsOf(body);
        WW_TRY(launches, prepare(all, options.dataSeed));
        bench::WorkCheck check(all.size());
        WW_TRY(result, bench::runMany(m_device, launches, options, seedOf(body), hooksFor(all, check)));
        return Message{Json{{"outcome", toJson(result.outcome)},
                            {"failed", result.failed},
                            {"samples", result.samplesNs},
                            {"unstable", result.unstable},
                            {"device_seconds", result.deviceSeconds}},
                       {}};
    }

    sandbox::Channel& m_channel;
    WatchedDevice m_device;
    std::unique_ptr<verify::LaunchBuffers> m_runBuffers;
    std::vector<std::unique_ptr<BenchPool>> m_benchBuffers;
    DataFiles m_files;
    verify::DataSource m_data;
};

}  // namespace

Result<void> serveDevice(sandbox::Channel& channel, device::Device& device) {
    DeviceServer server(channel, device);
    return server.serve();
}

}  // namespace ww::worker
