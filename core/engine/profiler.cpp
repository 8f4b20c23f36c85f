// SPDX-License-Identifier: Apache-2.0
#include "engine/profiler.h"

#include <algorithm>

#include "base/rng.h"
#include "engine/candidate.h"
#include "engine/declared_work.h"

namespace ww::engine {
namespace {

constexpr std::chrono::seconds kDeadline{90};
/// A worker that dies so often is not started again in this session.
constexpr int kMaxLosses = 3;

} // namespace

worker::ProfileClient* Profiler::client() {
    if (m_tried) return m_client.get();
    m_tried = true;
    worker::ProfileClient::Options options;
    options.stop = m_stop;
    options.worker.device = "cuda:" + std::to_string(m_task->device.index);
    options.worker.readable.push_back(m_task->spec.kernelFile.parent_path());
    auto started = worker::ProfileClient::start(options);
    if (!started) {
        m_noCounters = "the profile worker does not start: " + started.error().toString();
        return nullptr;
    }
    m_client = std::move(*started);
    m_noCounters = m_client->noCounters();
    return m_client.get();
}

std::string Profiler::reasonToSkip() const {
    if (m_task->device.kind == device::DeviceKind::Cpu) {
        return "the CPU device has none; run on a CUDA GPU for DRAM traffic, occupancy, stalls and the other counters";
    }
    const auto& text = m_task->source.text;
    const bool gridSync = text.find("this_grid") != std::string::npos || text.find("grid_group") != std::string::npos;
    if (m_task->spec.cooperative || gridSync) {
        return "the kernel waits for its whole grid (cooperative groups), which would hang when it is replayed pass by pass; it was left "
               "out";
    }
    if (m_losses >= kMaxLosses)
        return "the profile worker was lost " + std::to_string(m_losses) + " times in a row; the last time: " + m_noCounters;
    return {};
}

const std::string& Profiler::noCounters() {
    if (auto reason = reasonToSkip(); !reason.empty()) m_noCounters = std::move(reason);
    else (void)client();
    return m_noCounters;
}

bool Profiler::wantsTrial(bool improvement) {
    if (!noCounters().empty()) return false;
    return improvement || m_client->trialPasses() == 1;
}

std::string Profiler::level() const {
    if (!m_client) return {};
    return m_client->privileged() ? "none, as root (counters)" : "none (counters)";
}

Result<profile::Profile> Profiler::profile(const Program& program, const Known& known, profile::MetricSet set) {
    profile::Observation observation;
    observation.set = set;
    observation.device = m_task->device;
    observation.shape = shapeOf(program.launch);
    observation.function = known.function;
    observation.compiled = program.object.facts;
    observation.timeNs = known.timeNs;
    observation.work = declaredWork(*m_task, program.configuration);
    observation.noCounters = reasonToSkip();
    if (observation.noCounters.empty() && client() == nullptr) observation.noCounters = m_noCounters;
    if (observation.noCounters.empty()) {
        auto answer = m_client->profile(program.object, program.launch, deriveSeed(m_seed, 0x9f0f), set, kDeadline);
        if (!answer && answer.error().code == ErrorCode::Cancelled) return fail(answer.error());
        if (!answer) {
            observation.noCounters = answer.error().toString();
        } else if (answer->status != TrialStatus::Ok) {
            observation.noCounters = "the profiled launch ended with " + std::string(toString(answer->status)) + ": " + answer->message;
        } else {
            m_losses = 0;
            observation.measured = std::move(answer->values);
            observation.noCounters = answer->noCounters;
            observation.chip = answer->chip;
            observation.passes = answer->passes;
            observation.seconds = answer->seconds;
            observation.function = answer->function;
        }
        if (!answer || answer->status == TrialStatus::WorkerLost) {
            ++m_losses;
            m_noCounters = observation.noCounters;
        }
    }
    return profile::analyse(observation);
}

std::vector<store::MetricRecord> metricRows(const profile::Profile& profile) {
    std::vector<store::MetricRecord> rows;
    for (const auto& value : profile.values.all()) {
        if (value.value) rows.push_back({"profile/" + value.id, *value.value, std::string(profile::toString(value.rung))});
    }
    return rows;
}

encode::LastProfile lastProfile(const profile::Profile& profile, const device::DeviceFacts& device) {
    const auto fraction = [&](const char* id) -> std::optional<double> {
        const auto percent = profile.values.get(id);
        return percent ? std::optional(std::clamp(*percent / 100, 0.0, 1.0)) : std::nullopt;
    };
    encode::LastProfile last;
    last.dramOfPeak = fraction("dram_pct");
    last.issueActive = fraction("issue_pct");
    last.achievedOccupancy = fraction("occupancy_pct");
    last.l1HitRate = fraction("l1_hit_pct");
    last.l2HitRate = fraction("l2_hit_pct");
    last.smThroughput = fraction("sm_pct");
    last.tensorActive = fraction("tensor_pct");
    if (const auto clock = profile.values.get("sm_clock_hz"); clock && device.clockKHz > 0) {
        last.clockOfMaximum = std::clamp(*clock / (static_cast<double>(device.clockKHz) * 1e3), 0.0, 1.0);
    }
    return last;
}

} // namespace ww::engine
