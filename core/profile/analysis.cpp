// SPDX-License-Identifier: Apache-2.0
#include "profile/analysis.h"

#include <algorithm>

namespace ww::profile {
namespace {

constexpr double kNsPerSecond = 1e9;

void addAttributes(const Observation& from, Measurements& values) {
    const auto put = [&](const char* id, std::int64_t value, const char* unit) {
        if (value >= 0) values.put(id, static_cast<double>(value), unit, Rung::Attributes);
    };
    const auto known = [](std::int64_t fromDriver, std::int64_t fromCompiler) { return fromDriver >= 0 ? fromDriver : fromCompiler; };
    put("registers", known(from.function.registers, from.compiled.registers), "1");
    put("local_bytes", from.function.localBytes, "byte");
    put("stack_bytes", from.compiled.stackBytes, "byte");
    put("spill_store_bytes", from.compiled.spillStoreBytes, "byte");
    put("spill_load_bytes", from.compiled.spillLoadBytes, "byte");
    put("static_shared_bytes", known(from.function.staticSharedBytes, from.compiled.staticSharedBytes), "byte");
    put("dynamic_shared_bytes", static_cast<std::int64_t>(from.shape.dynamicSharedBytes), "byte");
}

std::optional<Occupancy> occupancyOf(const Observation& from, const Measurements& values) {
    const auto registers = values.get("registers");
    if (from.device.kind != device::DeviceKind::Cuda || !registers) return std::nullopt;
    const auto& block = from.shape.block;
    BlockNeeds needs;
    needs.threads = static_cast<std::int64_t>(block[0]) * block[1] * block[2];
    needs.registersPerThread = static_cast<std::int64_t>(*registers);
    needs.sharedBytes =
        static_cast<std::int64_t>(values.get("static_shared_bytes").value_or(0)) + static_cast<std::int64_t>(from.shape.dynamicSharedBytes);
    auto occupancy = theoreticalOccupancy(from.device, needs);
    // The driver knows of what we do not: clusters, carve-outs, granules of chips to come.
    if (const auto driver = from.function.activeBlocksPerProcessor; driver >= 0 && driver != occupancy.blocks) {
        occupancy.warps = occupancy.blocks > 0 ? occupancy.warps / occupancy.blocks * driver : 0;
        occupancy.blocks = driver;
    }
    return occupancy;
}

void addEstimates(const Observation& from, Profile& profile) {
    if (!from.timeNs || *from.timeNs <= 0) return;
    profile.values.put("bench_time_ns", *from.timeNs, "ns", Rung::Timed);
    const double seconds = *from.timeNs / kNsPerSecond;
    if (from.work.bytes) {
        const double bandwidth = *from.work.bytes / seconds;
        profile.values.put("estimated_bandwidth", bandwidth, "byte/s", Rung::Estimate);
        if (const auto peak = ratedBandwidth(from.device))
            profile.values.put("estimated_bandwidth_pct", 100 * bandwidth / *peak, "%", Rung::Estimate);
    }
    if (from.work.flops) profile.values.put("estimated_flops", *from.work.flops / seconds, "flop/s", Rung::Estimate);
}

Rung rungOf(const Measurements& values) {
    for (const char* id : {"dram_pct", "issue_pct", "time_ns", "estimated_bandwidth", "estimated_flops", "bench_time_ns"}) {
        if (const Value* value = values.find(id); value != nullptr && value->value) return value->rung;
    }
    return Rung::Attributes;
}

void addNotes(const Observation& from, Profile& profile) {
    if (!from.noCounters.empty()) profile.notes.push_back("No hardware counters: " + from.noCounters);
    if (profile.rung == Rung::Counters) return;
    if (!from.work.bytes) {
        profile.notes.push_back(
            "No estimate of the bandwidth: the spec does not say how many bytes a launch has to move (Warpwright.Work.Bytes).");
    } else {
        profile.notes.push_back(
            "Bandwidth is an estimate: declared bytes over the measured time. What caches save or repeat is not in it.");
    }
    if (!from.work.flops) profile.notes.push_back("No estimate of the operations: the spec does not give Warpwright.Work.Flops.");
}

} // namespace

std::optional<double> Profile::nearness() const noexcept {
    const Value* dram = values.find("dram_pct");
    const Value* issue = values.find("issue_pct");
    if (dram == nullptr || issue == nullptr || !dram->value || !issue->value || dram->rung != Rung::Counters ||
        issue->rung != Rung::Counters)
        return std::nullopt;
    return std::clamp(std::max(*dram->value, *issue->value) / 100, 0.0, 1.0);
}

Json Profile::toJson() const {
    Json json = {{"set", toString(set)}, {"rung", toString(rung)}, {"chip", chip},
                 {"passes", passes},     {"seconds", seconds},     {"metrics", values.toJson()}};
    json["occupancy"] = occupancy ? occupancy->toJson() : Json();
    json["roofline"] = roofline ? roofline->toJson() : Json();
    json["bottlenecks"] = Json::array();
    for (const auto& bottleneck : bottlenecks) {
        const auto english = bottleneckCatalogue().text(bottleneck.what, diagnose::Language::English);
        const auto chinese = bottleneckCatalogue().text(bottleneck.what, diagnose::Language::Chinese);
        json["bottlenecks"].push_back({{"id", bottleneck.what.id},
                                       {"weight", bottleneck.weight},
                                       {"figures", bottleneck.what.captures},
                                       {"cause", english.cause},
                                       {"remedy", english.remedy},
                                       {"cause_zh", chinese.cause},
                                       {"remedy_zh", chinese.remedy}});
    }
    json["notes"] = notes;
    return json;
}

Profile analyse(const Observation& observation) {
    Profile profile;
    profile.set = observation.set;
    profile.chip = observation.chip;
    profile.passes = observation.passes;
    profile.seconds = observation.seconds;
    profile.values = observation.measured;
    addAttributes(observation, profile.values);
    profile.occupancy = occupancyOf(observation, profile.values);
    if (profile.occupancy) profile.values.put("theoretical_occupancy_pct", 100 * profile.occupancy->fraction(), "%", Rung::Computed);
    addEstimates(observation, profile);
    profile.roofline = rooflineFrom(profile.values);
    if (!profile.roofline && observation.timeNs)
        profile.roofline = rooflineFrom(observation.work, *observation.timeNs / kNsPerSecond, observation.device);
    profile.rung = rungOf(profile.values);
    profile.bottlenecks = findBottlenecks({profile.values, observation.device, observation.shape, profile.occupancy, profile.roofline});
    addNotes(observation, profile);
    return profile;
}

} // namespace ww::profile
