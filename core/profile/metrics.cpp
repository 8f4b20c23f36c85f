// SPDX-License-Identifier: Apache-2.0
#include "profile/metrics.h"

#include <algorithm>
#include <string>

namespace ww::profile {
namespace {

using enum MetricGroup;

// Names drift between generations (FACTS.md 4.2): a row lists the alternatives, a test checks each against every chip that CUPTI knows.
constexpr Metric kMetrics[] = {
    {"time_ns", "ns", Trial, "Duration",
     {"gpu__time_duration.sum"}},
    {"dram_bytes", "byte", Trial, "DRAM traffic",
     {"dram__bytes.sum"}},
    {"dram_pct", "%", Trial, "DRAM bandwidth of peak",
     {"dram__bytes.sum.pct_of_peak_sustained_elapsed"}},
    {"occupancy_pct", "%", Trial, "Achieved occupancy",
     {"sm__warps_active.avg.pct_of_peak_sustained_active"}},
    {"issue_pct", "%", Trial, "Issue slots busy",
     {"smsp__issue_active.avg.pct_of_peak_sustained_active"}},
    {"sm_clock_hz", "Hz", Trial, "SM clock",
     {"sm__cycles_elapsed.avg.per_second"}},
    {"instructions", "1", Trial, "Instructions of warps",
     {"sm__inst_executed.sum"}},
    {"sm_pct", "%", SpeedOfLight, "Compute throughput of peak",
     {"sm__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {"memory_pct", "%", SpeedOfLight, "Memory throughput of peak",
     {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"}},
    {"dram_throughput_pct", "%", SpeedOfLight, "DRAM throughput of peak",
     {"dram__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {"l2_pct", "%", SpeedOfLight, "L2 throughput of peak",
     {"lts__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {"l1_pct", "%", SpeedOfLight, "L1 throughput of peak",
     {"l1tex__throughput.avg.pct_of_peak_sustained_active"}},
    {"l1_hit_pct", "%", SpeedOfLight, "L1 hit rate",
     {"l1tex__t_sector_hit_rate.pct"}},
    {"l2_hit_pct", "%", SpeedOfLight, "L2 hit rate",
     {"lts__t_sector_hit_rate.pct"}},
    {"tensor_pct", "%", SpeedOfLight, "Tensor pipe busy",
     {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"}},
    {"sm_active_pct", "%", SpeedOfLight, "SM cycles with work",
     {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed"}},
    {"eligible_warps", "warp", SpeedOfLight, "Eligible warps per cycle and scheduler",
     {"smsp__warps_eligible.avg.per_cycle_active"}},
    {"stall_long_scoreboard", "warp", Stalls, "Waiting for global or local memory",
     {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"}},
    {"stall_short_scoreboard", "warp", Stalls, "Waiting for shared memory or special functions",
     {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"}},
    {"stall_barrier", "warp", Stalls, "Waiting at a barrier",
     {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"}},
    {"stall_math_pipe_throttle", "warp", Stalls, "Arithmetic pipe full",
     {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"}},
    {"stall_mio_throttle", "warp", Stalls, "Shared-memory queue full",
     {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"}},
    {"stall_lg_throttle", "warp", Stalls, "Load/store queue full",
     {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"}},
    {"stall_tex_throttle", "warp", Stalls, "Texture queue full",
     {"smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio"}},
    {"stall_wait", "warp", Stalls, "Fixed latency of an instruction",
     {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"}},
    {"stall_not_selected", "warp", Stalls, "Ready, another warp was taken",
     {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio"}},
    {"stall_no_instruction", "warp", Stalls, "Waiting for instructions",
     {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"}},
    {"stall_membar", "warp", Stalls, "Waiting at a memory fence",
     {"smsp__average_warps_issue_stalled_membar_per_issue_active.ratio"}},
    {"stall_branch_resolving", "warp", Stalls, "Waiting for a branch target",
     {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio"}},
    {"stall_dispatch_stall", "warp", Stalls, "Dispatcher busy",
     {"smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio"}},
    {"stall_drain", "warp", Stalls, "Waiting for stores at the end",
     {"smsp__average_warps_issue_stalled_drain_per_issue_active.ratio"}},
    {"stall_sleeping", "warp", Stalls, "Asleep by request",
     {"smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio"}},
    {"stall_selected", "warp", Stalls, "Issuing",
     {"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio"}},
    {"stall_imc_miss", "warp", Stalls, "Constant cache miss",
     {"smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio"}},
    {"stall_gmma", "warp", Stalls, "Waiting for warp-group matrix operations",
     {"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio"}},
    {"inst_fadd", "1", Roofline, "FP32 add of threads",
     {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"}},
    {"inst_fmul", "1", Roofline, "FP32 mul of threads",
     {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}},
    {"inst_ffma", "1", Roofline, "FP32 fma of threads",
     {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}},
    {"peak_ffma", "1/cycle", Roofline, "FP32 fma of threads at peak",
     {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"}},
    {"inst_dadd", "1", Roofline, "FP64 add of threads",
     {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum"}},
    {"inst_dmul", "1", Roofline, "FP64 mul of threads",
     {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum"}},
    {"inst_dfma", "1", Roofline, "FP64 fma of threads",
     {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum"}},
    {"peak_dfma", "1/cycle", Roofline, "FP64 fma of threads at peak",
     {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained"}},
    {"inst_hadd", "1", Roofline, "FP16 add of threads",
     {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum"}},
    {"inst_hmul", "1", Roofline, "FP16 mul of threads",
     {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum"}},
    {"inst_hfma", "1", Roofline, "FP16 fma of threads",
     {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"}},
    {"peak_hfma", "1/cycle", Roofline, "FP16 fma of threads at peak",
     {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"}},
    {"ops_tensor_fp16", "1", Roofline, "Tensor operations FP16",
     {"sm__ops_path_tensor_src_fp16_dst_fp32.sum",
      "sm__ops_path_tensor_src_fp16.sum",
      "sm__ops_path_tensor_src_fp16_dst_fp16.sum"}},
    {"peak_tensor_fp16", "1/cycle", Roofline, "Tensor operations FP16 at peak",
     {"sm__ops_path_tensor_src_fp16_dst_fp32.sum.peak_sustained",
      "sm__ops_path_tensor_src_fp16.sum.peak_sustained",
      "sm__ops_path_tensor_src_fp16_dst_fp16.sum.peak_sustained"}},
    {"ops_tensor_bf16", "1", Roofline, "Tensor operations BF16",
     {"sm__ops_path_tensor_src_bf16_dst_fp32.sum"}},
    {"peak_tensor_bf16", "1/cycle", Roofline, "Tensor operations BF16 at peak",
     {"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained"}},
    {"ops_tensor_tf32", "1", Roofline, "Tensor operations TF32",
     {"sm__ops_path_tensor_src_tf32_dst_fp32.sum"}},
    {"peak_tensor_tf32", "1/cycle", Roofline, "Tensor operations TF32 at peak",
     {"sm__ops_path_tensor_src_tf32_dst_fp32.sum.peak_sustained"}},
    {"peak_dram", "byte/cycle", Roofline, "DRAM bytes at peak",
     {"dram__bytes.sum.peak_sustained"}},
    {"dram_clock_hz", "Hz", Roofline, "DRAM clock",
     {"dram__cycles_elapsed.avg.per_second"}},
    {"dram_read_bytes", "byte", Memory, "DRAM reads",
     {"dram__bytes_read.sum",
      "dram__bytes_op_read.sum"}},
    {"dram_write_bytes", "byte", Memory, "DRAM writes",
     {"dram__bytes_write.sum",
      "dram__bytes_op_write.sum"}},
    {"l2_bytes", "byte", Memory, "L2 traffic",
     {"lts__t_bytes.sum"}},
    {"load_bytes_per_sector", "byte", Memory, "Bytes used of a 32-byte sector loaded",
     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"}},
    {"store_bytes_per_sector", "byte", Memory, "Bytes used of a 32-byte sector stored",
     {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio"}},
    {"load_sectors_per_request", "1", Memory, "Sectors per global load",
     {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"}},
    {"store_sectors_per_request", "1", Memory, "Sectors per global store",
     {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"}},
    {"bank_conflicts", "1", Memory, "Shared-memory bank conflicts",
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}},
    {"shared_wavefronts", "1", Memory, "Shared-memory wavefronts",
     {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}},
    {"local_load_bytes", "byte", Memory, "Local memory loads (spills)",
     {"l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum"}},
    {"local_store_bytes", "byte", Memory, "Local memory stores (spills)",
     {"l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"}},
    {"mix_fp32", "1", Mix, "FP32 instructions of threads",
     {"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"}},
    {"mix_fp64", "1", Mix, "FP64 instructions of threads",
     {"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"}},
    {"mix_fp16", "1", Mix, "FP16 instructions of threads",
     {"smsp__sass_thread_inst_executed_op_fp16_pred_on.sum"}},
    {"mix_integer", "1", Mix, "Integer instructions of threads",
     {"smsp__sass_thread_inst_executed_op_integer_pred_on.sum"}},
    {"mix_bit", "1", Mix, "Bit instructions of threads",
     {"smsp__sass_thread_inst_executed_op_bit_pred_on.sum"}},
    {"mix_conversion", "1", Mix, "Conversion instructions of threads",
     {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum"}},
    {"mix_control", "1", Mix, "Control flow instructions of threads",
     {"smsp__sass_thread_inst_executed_op_control_pred_on.sum"}},
    {"mix_memory", "1", Mix, "Memory instructions of threads",
     {"smsp__sass_thread_inst_executed_op_memory_pred_on.sum"}},
    {"mix_communication", "1", Mix, "Between threads instructions of threads",
     {"smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on.sum"}},
    {"mix_misc", "1", Mix, "Other instructions of threads",
     {"smsp__sass_thread_inst_executed_op_misc_pred_on.sum"}},
    {"mix_tensor", "1", Mix, "Tensor instructions of warps",
     {"sm__inst_executed_pipe_tensor.sum"}},
    {"threads_per_instruction", "1", Mix, "Active threads per instruction",
     {"smsp__thread_inst_executed_per_inst_executed.ratio"}},
    {"uniform_branch_pct", "%", Mix, "Branches without divergence",
     {"smsp__sass_average_branch_targets_threads_uniform.pct"}},
};

constexpr std::pair<MetricSet, std::string_view> kSets[] = {
    {MetricSet::Trial, "trial"}, {MetricSet::SpeedOfLight, "sol"}, {MetricSet::Stalls, "stalls"}, {MetricSet::Full, "full"}};

bool belongs(MetricGroup group, MetricSet set) noexcept {
    if (group == Trial || set == MetricSet::Full) return true;
    return set == MetricSet::SpeedOfLight ? group == SpeedOfLight : set == MetricSet::Stalls && group == Stalls;
}

}  // namespace

std::string_view toString(MetricSet set) noexcept {
    return std::find_if(std::begin(kSets), std::end(kSets), [&](const auto& pair) { return pair.first == set; })->second;
}

Result<MetricSet> metricSetFrom(std::string_view word) {
    for (const auto& [set, name] : kSets) {
        if (name == word) return set;
    }
    return fail(ErrorCode::InvalidArgument, "there is no set of metrics \"" + std::string(word) + "\"; use trial, sol, stalls or full");
}

std::string_view toString(MetricGroup group) noexcept {
    switch (group) {
    case Trial: return "trial";
    case SpeedOfLight: return "sol";
    case Stalls: return "stalls";
    case Roofline: return "roofline";
    case Memory: return "memory";
    case Mix: break;
    }
    return "mix";
}

std::span<const Metric> allMetrics() noexcept { return kMetrics; }

const Metric* findMetric(std::string_view id) noexcept {
    const auto found = std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const Metric& metric) { return metric.id == id; });
    return found == std::end(kMetrics) ? nullptr : found;
}

std::vector<const Metric*> metricsOf(MetricSet set) {
    std::vector<const Metric*> chosen;
    for (const auto& metric : kMetrics) {
        if (belongs(metric.group, set)) chosen.push_back(&metric);
    }
    return chosen;
}

}  // namespace ww::profile
