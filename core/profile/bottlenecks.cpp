// SPDX-License-Identifier: Apache-2.0
#include "profile/bottlenecks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "base/units.h"
#include "profile/bottleneck_texts.h"
#include "profile/metrics.h"

namespace ww::profile {
namespace {

// Thresholds in percent of peak, as Nsight Compute's guidance has them: above 60 a unit is near enough to its peak to be the limit,
// and a kernel that reaches it nowhere waits for latencies.
constexpr double kBusyPct = 60;
constexpr double kLowOccupancyPct = 50;
constexpr double kConflictShare = 0.1; ///< of shared-memory wavefronts
constexpr double kSectorBytes = 32;
constexpr double kPoorSectorUse = 0.75;  ///< of a sector's bytes
constexpr double kFewThreads = 24;       ///< of 32, active per instruction
constexpr double kBarrierShare = 0.2;    ///< of the cycles that warps wait
constexpr double kTailEfficiency = 0.85; ///< work / (waves rounded up)
constexpr double kManyWaves = 10;        ///< a last wave hardly counts after so many
constexpr double kShortNs = 5000;        ///< a launch costs some microseconds by itself

std::string figure(double value, int digits = 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string perSecond(double value, const char* unit) {
    constexpr const char* kPrefixes[] = {"", "K", "M", "G", "T", "P"};
    std::size_t prefix = 0;
    while (value >= 1000 && prefix + 1 < std::size(kPrefixes)) {
        value /= 1000;
        ++prefix;
    }
    return figure(value, value < 100 ? 1 : 0) + " " + kPrefixes[prefix] + unit + "/s";
}

Bottleneck make(const char* id, double weight, diagnose::Captures captures) {
    return {diagnose::Diagnosis{id, 0, 0, std::move(captures), {}}, std::clamp(weight, 0.0, 1.0)};
}

std::optional<double> dramPct(const Measurements& values) {
    const auto throughput = values.get("dram_throughput_pct");
    return throughput ? throughput : values.get("dram_pct");
}

/// The busiest of the units that compute.
std::optional<double> computePct(const Measurements& values) {
    std::optional<double> busiest;
    for (const char* id : {"sm_pct", "issue_pct", "tensor_pct"}) {
        if (const auto value = values.get(id); value && (!busiest || *value > *busiest)) busiest = value;
    }
    return busiest;
}

/// Blocks over what all multiprocessors hold at once.
std::optional<double> wavesOf(const Evidence& evidence) {
    if (!evidence.occupancy || evidence.occupancy->blocks <= 0) return std::nullopt;
    const auto& grid = evidence.shape.grid;
    const double blocks = static_cast<double>(grid[0]) * grid[1] * grid[2];
    return blocks / (static_cast<double>(evidence.occupancy->blocks) * evidence.device.processors);
}

struct Stall {
    const Metric* reason = nullptr;
    double share = 0;
};

/// Share of the waiting that each reason has, the largest first; issuing and losing the arbitration are no waiting.
std::vector<Stall> stallsOf(const Measurements& values) {
    std::vector<Stall> stalls;
    double total = 0;
    for (const auto& metric : allMetrics()) {
        if (metric.group != MetricGroup::Stalls || metric.id == "stall_selected" || metric.id == "stall_not_selected") continue;
        if (const auto value = values.get(metric.id); value && *value > 0) {
            stalls.push_back({&metric, *value});
            total += *value;
        }
    }
    for (auto& stall : stalls)
        stall.share /= total;
    std::stable_sort(stalls.begin(), stalls.end(), [](const Stall& a, const Stall& b) { return a.share > b.share; });
    return stalls;
}

} // namespace

std::optional<Bottleneck> memoryBound(const Evidence& evidence) {
    const auto pct = dramPct(evidence.values);
    if (!pct || *pct < kBusyPct) return std::nullopt;
    diagnose::Captures captures{{"percent", figure(*pct)}};
    const auto bytes = evidence.values.get("dram_bytes"), time = evidence.values.get("time_ns");
    if (bytes && time && *time > 0) captures["bandwidth"] = perSecond(*bytes / *time * 1e9, "B");
    if (evidence.roofline) captures["intensity"] = figure(evidence.roofline->intensity(), 2);
    return make("memory-bound", *pct / 100, std::move(captures));
}

std::optional<Bottleneck> cacheBound(const Evidence& evidence) {
    const auto l1 = evidence.values.get("l1_pct"), l2 = evidence.values.get("l2_pct");
    if (!l1 && !l2) return std::nullopt;
    const bool first = l1.value_or(0) >= l2.value_or(0);
    const double pct = first ? *l1 : *l2;
    if (pct < kBusyPct || pct <= dramPct(evidence.values).value_or(0)) return std::nullopt;
    diagnose::Captures captures{{"cache", first ? "L1" : "L2"}, {"percent", figure(pct)}};
    if (const auto hits = evidence.values.get(first ? "l1_hit_pct" : "l2_hit_pct")) captures["hits"] = figure(*hits);
    return make("cache-bound", pct / 100, std::move(captures));
}

std::optional<Bottleneck> computeBound(const Evidence& evidence) {
    const auto pct = computePct(evidence.values);
    if (!pct || *pct < kBusyPct || *pct < dramPct(evidence.values).value_or(0)) return std::nullopt;
    diagnose::Captures captures{{"percent", figure(*pct)}};
    if (const auto issue = evidence.values.get("issue_pct")) captures["issue"] = figure(*issue);
    if (const auto tensor = evidence.values.get("tensor_pct")) captures["tensor"] = figure(*tensor);
    if (evidence.roofline && evidence.roofline->rung == Rung::Counters) {
        captures["flops"] = perSecond(evidence.roofline->achievedFlops(), "FLOP");
        captures["precision"] = evidence.roofline->precision;
    }
    return make("compute-bound", *pct / 100, std::move(captures));
}

std::optional<Bottleneck> latencyBound(const Evidence& evidence) {
    const auto compute = computePct(evidence.values);
    const auto dram = dramPct(evidence.values);
    if (!compute || !dram) return std::nullopt;
    const double busiest =
        std::max({*compute, *dram, evidence.values.get("l1_pct").value_or(0), evidence.values.get("l2_pct").value_or(0)});
    if (busiest >= kBusyPct) return std::nullopt;
    diagnose::Captures captures{{"compute", figure(*compute)}, {"dram", figure(*dram)}};
    if (const auto occupancy = evidence.values.get("occupancy_pct")) captures["occupancy"] = figure(*occupancy);
    if (const auto stalls = stallsOf(evidence.values); !stalls.empty()) {
        captures["stall"] = std::string(stalls.front().reason->id.substr(6));
        captures["share"] = figure(100 * stalls.front().share);
    }
    return make("latency-bound", 1 - busiest / 100, std::move(captures));
}

std::optional<Bottleneck> occupancyLimited(const Evidence& evidence) {
    if (!evidence.occupancy || evidence.occupancy->limiter == Limiter::Warps) return std::nullopt;
    const double pct = 100 * evidence.occupancy->fraction();
    if (pct >= kLowOccupancyPct) return std::nullopt;
    // A kernel that keeps a unit busy has warps enough.
    const double busiest = std::max(computePct(evidence.values).value_or(0), dramPct(evidence.values).value_or(0));
    if (busiest >= kBusyPct) return std::nullopt;
    diagnose::Captures captures{{"percent", figure(pct)},
                                {"blocks", std::to_string(evidence.occupancy->blocks)},
                                {"warps", std::to_string(evidence.occupancy->warps)}};
    const char* id = "block-limited";
    if (evidence.occupancy->limiter == Limiter::Registers) {
        id = "register-limited";
        if (const auto registers = evidence.values.get("registers")) captures["registers"] = figure(*registers);
    } else if (evidence.occupancy->limiter == Limiter::SharedMemory) {
        id = "shared-memory-limited";
        const double bytes =
            evidence.values.get("static_shared_bytes").value_or(0) + static_cast<double>(evidence.shape.dynamicSharedBytes);
        captures["bytes"] = formatBytes(static_cast<std::uint64_t>(bytes));
    }
    return make(id, 0.5 * (1 - pct / 100), std::move(captures));
}

std::optional<Bottleneck> spilling(const Evidence& evidence) {
    const auto stores = evidence.values.get("spill_store_bytes");
    const auto moved = evidence.values.get("local_load_bytes");
    const auto l2 = evidence.values.get("l2_bytes");
    const double spilled = stores.value_or(0) + evidence.values.get("spill_load_bytes").value_or(0);
    if (spilled <= 0) return std::nullopt;
    diagnose::Captures captures{{"bytes", figure(spilled)}};
    if (const auto registers = evidence.values.get("registers")) captures["registers"] = figure(*registers);
    double weight = 0.2;
    if (moved && l2 && *l2 > 0) {
        const double traffic = *moved + evidence.values.get("local_store_bytes").value_or(0);
        captures["traffic"] = formatBytes(static_cast<std::uint64_t>(traffic));
        weight = std::max(0.05, traffic / (traffic + *l2));
    }
    return make("register-spills", weight, std::move(captures));
}

std::optional<Bottleneck> bankConflicts(const Evidence& evidence) {
    const auto conflicts = evidence.values.get("bank_conflicts"), wavefronts = evidence.values.get("shared_wavefronts");
    if (!conflicts || !wavefronts || *wavefronts <= 0) return std::nullopt;
    const double share = *conflicts / *wavefronts;
    if (share < kConflictShare) return std::nullopt;
    return make("bank-conflicts", 0.6 * share,
                {{"percent", figure(100 * share)}, {"conflicts", figure(*conflicts)}, {"wavefronts", figure(*wavefronts)}});
}

std::optional<Bottleneck> uncoalesced(const Evidence& evidence) {
    const auto loads = evidence.values.get("load_bytes_per_sector"), stores = evidence.values.get("store_bytes_per_sector");
    if (!loads && !stores) return std::nullopt;
    const bool load = loads.value_or(kSectorBytes) <= stores.value_or(kSectorBytes);
    const double used = load ? *loads : *stores;
    if (used <= 0 || used >= kPoorSectorUse * kSectorBytes) return std::nullopt;
    diagnose::Captures captures{
        {"access", load ? "load" : "store"}, {"used", figure(used, 1)}, {"percent", figure(100 * used / kSectorBytes)}};
    if (const auto sectors = evidence.values.get(load ? "load_sectors_per_request" : "store_sectors_per_request"))
        captures["sectors"] = figure(*sectors, 1);
    // It costs as much as the memory system is busy with it.
    const double busy = std::max({dramPct(evidence.values).value_or(50), evidence.values.get("l1_pct").value_or(0),
                                  evidence.values.get("l2_pct").value_or(0)}) /
                        100;
    return make("uncoalesced", (1 - used / kSectorBytes) * busy, std::move(captures));
}

std::optional<Bottleneck> divergent(const Evidence& evidence) {
    const auto threads = evidence.values.get("threads_per_instruction");
    if (!threads || *threads <= 0 || *threads >= kFewThreads) return std::nullopt;
    diagnose::Captures captures{{"threads", figure(*threads, 1)}};
    if (const auto uniform = evidence.values.get("uniform_branch_pct")) captures["divergent"] = figure(100 - *uniform);
    return make("divergence", 0.5 * (1 - *threads / static_cast<double>(std::max<std::int64_t>(1, evidence.device.warpSize))),
                std::move(captures));
}

std::optional<Bottleneck> barrierBound(const Evidence& evidence) {
    for (const auto& stall : stallsOf(evidence.values)) {
        if (stall.reason->id != "stall_barrier") continue;
        if (stall.share < kBarrierShare) return std::nullopt;
        return make("barrier-bound", 0.5 * stall.share, {{"share", figure(100 * stall.share)}});
    }
    return std::nullopt;
}

std::optional<Bottleneck> gridTooSmall(const Evidence& evidence) {
    if (evidence.device.kind != device::DeviceKind::Cuda) return std::nullopt;
    const auto& grid = evidence.shape.grid;
    const double blocks = static_cast<double>(grid[0]) * grid[1] * grid[2];
    const double processors = evidence.device.processors;
    if (blocks >= processors) return std::nullopt;
    return make("grid-too-small", 1 - blocks / processors, {{"blocks", figure(blocks)}, {"processors", figure(processors)}});
}

std::optional<Bottleneck> tailEffect(const Evidence& evidence) {
    const auto waves = wavesOf(evidence);
    if (!waves || *waves <= 1 || *waves > kManyWaves) return std::nullopt;
    const double efficiency = *waves / std::ceil(*waves);
    if (efficiency >= kTailEfficiency) return std::nullopt;
    diagnose::Captures captures{
        {"waves", figure(*waves, 2)}, {"full", figure(std::floor(*waves))}, {"last", figure(100 * (*waves - std::floor(*waves)))}};
    if (const auto active = evidence.values.get("sm_active_pct")) captures["active"] = figure(*active);
    return make("tail-effect", 0.8 * (1 - efficiency), std::move(captures));
}

std::optional<Bottleneck> launchBound(const Evidence& evidence) {
    const auto time = evidence.values.get("time_ns");
    if (!time || evidence.device.kind != device::DeviceKind::Cuda || *time >= kShortNs) return std::nullopt;
    return make("launch-bound", 1 - *time / (2 * kShortNs), {{"time", formatTimeNs(*time)}});
}

std::vector<Bottleneck> findBottlenecks(const Evidence& evidence) {
    std::vector<Bottleneck> found;
    for (const auto rule : {memoryBound, cacheBound, computeBound, latencyBound, occupancyLimited, spilling, bankConflicts, uncoalesced,
                            divergent, barrierBound, gridTooSmall, tailEffect, launchBound}) {
        if (auto bottleneck = rule(evidence)) found.push_back(std::move(*bottleneck));
    }
    std::stable_sort(found.begin(), found.end(), [](const Bottleneck& a, const Bottleneck& b) { return a.weight > b.weight; });
    return found;
}

const diagnose::Catalogue& bottleneckCatalogue() {
    static const diagnose::Catalogue catalogue = [] {
        auto parsed = diagnose::Catalogue::parse(kBottleneckTexts);
        // A test reads every entry of it, so this cannot happen in a build that passed.
        if (!parsed) {
            std::cerr << "the built-in catalogue of bottlenecks is broken: " << parsed.error().toString() << std::endl;
            std::abort();
        }
        return std::move(*parsed);
    }();
    return catalogue;
}

} // namespace ww::profile
