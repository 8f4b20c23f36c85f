// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "encode/state_table.h"

namespace ww::encode {

namespace {

double globalAccesses(const View& v) { return v.count("global_loads") + v.count("global_stores"); }

double sharedAccesses(const View& v) { return v.count("shared_loads") + v.count("shared_stores"); }

double arithmetic(const View& v) { return v.count("adds") + v.count("muls") + v.count("divs") + v.count("mods"); }

double pointers(const View& v) {
    return static_cast<double>(std::ranges::count_if(v.entry.arguments, [](const auto& argument) { return argument.pointer; }));
}

double readOnlyPointers(const View& v) {
    return static_cast<double>(
        std::ranges::count_if(v.entry.arguments, [](const auto& argument) { return argument.pointer && argument.isConst; }));
}

double twoDimensionalShare(const View& v) {
    const auto deep = std::ranges::count_if(v.source.sharedArrays, [](const auto& array) { return array.extents.size() >= 2; });
    return share(static_cast<double>(deep), real(v.source.sharedArrays.size()));
}

double warpFill(const View& v) {
    const auto warp = real(v.device.warpSize);
    const auto threads = real(v.launch.threadsPerBlock);
    return warp > 0 && threads > 0 ? threads / (std::ceil(threads / warp) * warp) : 0;
}

constexpr int kRegisters = 1, kShared = 2, kAll = 3;

/// Resident threads of a processor as a share of its limit, with the asked limits beside those of threads and blocks.
/// Allocation granules are left out: the compiler's own occupancy differs by at most one block.
double occupancy(const View& v, int limits) {
    const auto threads = real(v.launch.threadsPerBlock);
    if (threads <= 0 || !v.hasDevice) return 0;
    double blocks = std::min(std::floor(real(v.device.maxThreadsPerProcessor) / threads), real(v.device.maxBlocksPerProcessor));
    const double registers = real(v.compile.registers) * threads;
    if ((limits & kRegisters) != 0 && registers > 0)
        blocks = std::min(blocks, std::floor(real(v.device.registersPerProcessor) / registers));
    const double shared = static_cast<double>(std::max<std::int64_t>(0, v.compile.staticSharedBytes)) +
                          static_cast<double>(std::max<std::int64_t>(0, v.launch.dynamicSharedBytes));
    if ((limits & kShared) != 0 && shared > 0) blocks = std::min(blocks, std::floor(real(v.device.sharedPerProcessor) / shared));
    return share(blocks * threads, real(v.device.maxThreadsPerProcessor));
}

/// 1/8 of the baseline's speed gives 0, the baseline 1/2, eight times it 1.
double ratioShare(const std::optional<double>& ratio) { return ratio && *ratio > 0 ? std::log2(*ratio) / 6 + 0.5 : 0; }

double rewardShare(const std::optional<double>& reward) { return reward ? (*reward + 10) / 20 : 0; }

} // namespace

const std::vector<Row>& continuousRows() {
    static const std::vector<Row> rows{
        {"access.coalesced_share", "counts of the source", "global_coalesced / global accesses",
         [](const View& v) { return share(v.count("global_coalesced"), globalAccesses(v)); }},
        {"access.strided_share", "counts of the source", "global_strided / global accesses",
         [](const View& v) { return share(v.count("global_strided"), globalAccesses(v)); }},
        {"access.broadcast_share", "counts of the source", "global_broadcast / global accesses",
         [](const View& v) { return share(v.count("global_broadcast"), globalAccesses(v)); }},
        {"access.scattered_share", "counts of the source", "global_scattered / global accesses",
         [](const View& v) { return share(v.count("global_scattered"), globalAccesses(v)); }},
        {"access.load_share", "counts of the source", "loads / (loads + stores)",
         [](const View& v) { return share(v.count("loads"), v.count("loads") + v.count("stores")); }},
        {"access.shared_share", "counts of the source", "shared / (global + shared) accesses",
         [](const View& v) { return share(sharedAccesses(v), globalAccesses(v) + sharedAccesses(v)); }},
        {"access.local_share", "counts of the source", "local accesses / all accesses",
         [](const View& v) {
             return share(v.count("local_accesses"), (globalAccesses(v) + sharedAccesses(v) + v.count("local_accesses")));
         }},
        {"access.in_loop_share", "counts of the source", "loads_in_loops / loads",
         [](const View& v) { return share(v.count("loads_in_loops"), v.count("loads")); }},
        {"access.vector_share", "counts of the source", "vector_accesses / global accesses",
         [](const View& v) { return share(v.count("vector_accesses"), globalAccesses(v)); }},
        {"access.async_copies", "counts of the source", "x / (x + 2)", [](const View& v) { return saturate(v.count("async_copies"), 2); }},
        {"access.arithmetic_per_access", "counts of the source", "x / (x + 4), x = arithmetic / global accesses",
         [](const View& v) { return saturate(share(arithmetic(v), globalAccesses(v)), 4); }},
        {"access.reuse", "counts of the source", "x / (x + 2), x = shared loads / shared stores",
         [](const View& v) { return saturate(share(v.count("shared_loads"), v.count("shared_stores")), 2); }},
        {"access.read_only_pointers", "signature of the kernel", "const pointers / pointers",
         [](const View& v) { return share(readOnlyPointers(v), pointers(v)); }},
        {"shared.static_arrays", "counts of the source", "x / (x + 2)",
         [](const View& v) { return saturate(v.count("shared_arrays"), 2); }},
        {"shared.dynamic", "counts of the source", "1 where dynamic shared memory is declared",
         [](const View& v) { return v.count("shared_dynamic") > 0 ? 1.0 : 0.0; }},
        {"shared.two_dimensional_share", "shared arrays of the source", "arrays with 2 or more extents / arrays",
         [](const View& v) { return twoDimensionalShare(v); }},
        {"shared.strided_share", "counts of the source", "shared_strided / shared accesses",
         [](const View& v) { return share(v.count("shared_strided"), sharedAccesses(v)); }},
        {"shared.static_of_limit", "compiler report and device", "bytes / limit per block",
         [](const View& v) { return share(real(v.compile.staticSharedBytes), real(v.device.sharedPerBlock)); }},
        {"shared.dynamic_of_limit", "launch and device", "bytes / opt-in limit per block",
         [](const View& v) { return share(real(v.launch.dynamicSharedBytes), real(v.device.sharedPerBlockOptin)); }},
        {"registers.per_thread", "compiler report", "registers / 255", [](const View& v) { return real(v.compile.registers) / 255; }},
        {"registers.spill_stores", "compiler report", "log2(1 + bytes) / log2(1 + 4096)",
         [](const View& v) { return logShare(real(v.compile.spillStoreBytes), 4096); }},
        {"registers.spill_loads", "compiler report", "log2(1 + bytes) / log2(1 + 4096)",
         [](const View& v) { return logShare(real(v.compile.spillLoadBytes), 4096); }},
        {"registers.stack", "compiler report", "log2(1 + bytes) / log2(1 + 16384)",
         [](const View& v) { return logShare(real(v.compile.stackBytes), 16384); }},
        {"registers.constant_bytes", "compiler report", "log2(1 + bytes) / log2(1 + 65536)",
         [](const View& v) { return logShare(real(v.compile.constantBytes), 65536); }},
        {"divergence.thread_branch_share", "counts of the source", "thread_branches / branches",
         [](const View& v) { return share(v.count("thread_branches"), v.count("branches")); }},
        {"divergence.branch_density", "counts of the source", "x / (x + 0.2), x = branches / statements",
         [](const View& v) { return saturate(share(v.count("branches"), v.count("statements")), 0.2); }},
        {"divergence.thread_loop_share", "counts of the source", "thread_loops / loops",
         [](const View& v) { return share(v.count("thread_loops"), v.count("loops")); }},
        {"divergence.constant_trip_share", "counts of the source", "constant_trip_loops / loops",
         [](const View& v) { return share(v.count("constant_trip_loops"), v.count("loops")); }},
        {"divergence.unrolled_share", "counts of the source", "unrolled_loops / loops",
         [](const View& v) { return share(v.count("unrolled_loops"), v.count("loops")); }},
        {"divergence.barriers_in_loops", "counts of the source", "x / (x + 2)",
         [](const View& v) { return saturate(v.count("barriers_in_loops"), 2); }},
        {"divergence.warp_operations", "counts of the source", "x / (x + 4), x = shuffles + votes + warp_syncs",
         [](const View& v) { return saturate(v.count("shuffles") + v.count("votes") + v.count("warp_syncs"), 4); }},
        {"compute.multiply_share", "counts of the source", "muls / arithmetic",
         [](const View& v) { return share(v.count("muls"), arithmetic(v)); }},
        {"compute.division_share", "counts of the source", "(divs + mods) / arithmetic",
         [](const View& v) { return share(v.count("divs") + v.count("mods"), arithmetic(v)); }},
        {"compute.math_functions", "counts of the source", "x / (x + 4)",
         [](const View& v) { return saturate(v.count("math_functions"), 4); }},
        {"compute.tensor_cores", "counts of the source", "x / (x + 1), x = mma calls",
         [](const View& v) { return saturate(v.count("mma"), 1); }},
        {"compute.double_types", "counts of the source", "x / (x + 4)", [](const View& v) { return saturate(v.count("double_types"), 4); }},
        {"compute.half_types", "counts of the source", "x / (x + 4)", [](const View& v) { return saturate(v.count("half_types"), 4); }},
        {"compute.inline_ptx", "counts of the source", "x / (x + 1)", [](const View& v) { return saturate(v.count("inline_ptx"), 1); }},
        {"launch.threads_per_block", "launch and device", "threads / limit per block",
         [](const View& v) { return share(real(v.launch.threadsPerBlock), real(v.device.maxThreadsPerBlock)); }},
        {"launch.warp_fill", "launch and device", "threads / threads rounded up to warps", [](const View& v) { return warpFill(v); }},
        {"launch.blocks", "launch", "log2(1 + blocks) / 24", [](const View& v) { return logShare(real(v.launch.blocks), 16777215); }},
        {"launch.blocks_per_processor", "launch and device", "x / (x + 8), x = blocks / processors",
         [](const View& v) { return saturate(share(real(v.launch.blocks), v.device.processors), 8); }},
        {"occupancy.theoretical", "compiler report, launch and device", "resident threads / limit per processor",
         [](const View& v) { return occupancy(v, kAll); }},
        {"occupancy.by_registers", "compiler report, launch and device", "as above, registers alone",
         [](const View& v) { return occupancy(v, kRegisters); }},
        {"occupancy.by_shared", "compiler report, launch and device", "as above, shared memory alone",
         [](const View& v) { return occupancy(v, kShared); }},
        {"profile.dram_of_peak", "last profiled trial", "DRAM throughput / peak",
         [](const View& v) { return v.in.profile.dramOfPeak.value_or(0); }},
        {"profile.issue_active", "last profiled trial", "active issue slots / all",
         [](const View& v) { return v.in.profile.issueActive.value_or(0); }},
        {"profile.achieved_occupancy", "last profiled trial", "warps resident / limit",
         [](const View& v) { return v.in.profile.achievedOccupancy.value_or(0); }},
        {"profile.l1_hit_rate", "last profiled trial", "hits / accesses", [](const View& v) { return v.in.profile.l1HitRate.value_or(0); }},
        {"profile.l2_hit_rate", "last profiled trial", "hits / accesses", [](const View& v) { return v.in.profile.l2HitRate.value_or(0); }},
        {"profile.sm_throughput", "last profiled trial", "SM throughput / peak",
         [](const View& v) { return v.in.profile.smThroughput.value_or(0); }},
        {"search.trials_of_budget", "the session", "trials / budget",
         [](const View& v) { return share(v.in.progress.trials, v.in.progress.budget); }},
        {"search.seconds_of_budget", "the session", "seconds / budget, 0 without one",
         [](const View& v) { return share(v.in.progress.elapsedSeconds, v.in.progress.budgetSeconds); }},
        {"search.best_ratio", "the session", "log2(ratio) / 6 + 1/2; 0 before a correct trial",
         [](const View& v) { return ratioShare(v.in.progress.bestRatio); }},
        {"search.last_ratio", "the session", "log2(ratio) / 6 + 1/2; 0 where it failed",
         [](const View& v) { return ratioShare(v.in.progress.lastRatio); }},
        {"search.last_reward", "the session", "(R + 10) / 20; 0 without one",
         [](const View& v) { return rewardShare(v.in.progress.lastReward); }},
        {"search.mean_reward", "the session", "(R + 10) / 20; 0 without one",
         [](const View& v) { return rewardShare(v.in.progress.meanReward); }},
        {"search.failed_share", "the session", "failed / trials",
         [](const View& v) { return share(v.in.progress.failed, v.in.progress.trials); }},
        {"search.failed_compile_share", "the session", "compile failures / trials",
         [](const View& v) { return share(v.in.progress.failedCompile, v.in.progress.trials); }},
        {"search.failed_check_share", "the session", "wrong results / trials",
         [](const View& v) { return share(v.in.progress.failedCheck, v.in.progress.trials); }},
        {"search.improvement_age", "the session", "trials since the last improvement / trials",
         [](const View& v) { return share(v.in.progress.sinceImprovement, v.in.progress.trials); }},
        {"search.improvements", "the session", "x / (x + 5)", [](const View& v) { return saturate(v.in.progress.improvements, 5); }},
        {"space.size", "the search space", "log2(1 + valid) / 30", [](const View& v) { return logShare(v.in.space.valid, 1073741823); }},
        {"space.free_share", "the search space", "1 - (pinned parameters / parameters); 0 without any",
         [](const View& v) { return v.in.space.parameters > 0 ? 1 - share(v.in.space.pinned, v.in.space.parameters) : 0.0; }},
    };
    return rows;
}

} // namespace ww::encode
