// SPDX-License-Identifier: Apache-2.0
#include "source/operations.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace ww::source {
namespace {

using namespace std::string_view_literals;
using Kind = OperationKind;

const std::set<std::string_view> kMath{
    "sqrt"sv, "sqrtf"sv, "exp"sv, "expf"sv, "exp2"sv, "exp2f"sv, "log"sv, "logf"sv, "log2"sv, "log2f"sv, "log1p"sv, "log1pf"sv,
    "expm1"sv, "expm1f"sv, "sin"sv, "sinf"sv, "cos"sv, "cosf"sv, "tan"sv, "tanf"sv, "tanh"sv, "tanhf"sv, "sinh"sv, "cosh"sv, "pow"sv,
    "powf"sv, "fabs"sv, "fabsf"sv, "abs"sv, "floor"sv, "floorf"sv, "ceil"sv, "ceilf"sv, "round"sv, "roundf"sv, "rint"sv, "fmin"sv,
    "fminf"sv, "fmax"sv, "fmaxf"sv, "min"sv, "max"sv, "fma"sv, "fmaf"sv, "erf"sv, "erff"sv, "atan"sv, "atan2"sv, "atan2f"sv, "hypot"sv,
    "cbrt"sv, "rsqrt"sv, "rsqrtf"sv, "fmod"sv, "fmodf"sv, "copysign"sv, "copysignf"sv, "trunc"sv, "truncf"sv, "__hadd"sv, "__hmul"sv,
    "__hfma"sv, "__hadd2"sv, "__hmul2"sv, "__hfma2"sv, "__fmaf_rn"sv, "__umulhi"sv, "__mulhi"sv, "__popc"sv, "__clz"sv, "__ffs"sv};

const std::set<std::string_view> kFastMath{"__expf"sv, "__exp10f"sv, "__logf"sv, "__log2f"sv, "__log10f"sv, "__sinf"sv, "__cosf"sv,
                                           "__tanf"sv, "__powf"sv, "__fdividef"sv, "__frcp_rn"sv, "__frsqrt_rn"sv, "__fsqrt_rn"sv,
                                           "rsqrtf"sv, "rsqrt"sv, "__sincosf"sv, "sincosf"sv, "sincospif"sv, "hexp"sv, "h2exp"sv,
                                           "hrsqrt"sv, "hrcp"sv, "__tanhf"sv};

const std::set<std::string_view> kLoads{"__ldg"sv, "__ldcg"sv, "__ldcs"sv, "__ldca"sv, "__ldlu"sv, "__ldcv"sv};
const std::set<std::string_view> kStores{"__stwb"sv, "__stcg"sv, "__stcs"sv, "__stwt"sv};

const std::map<std::string_view, Kind> kCalls{
    {"__syncthreads"sv, Kind::Barrier}, {"__syncthreads_count"sv, Kind::Barrier}, {"__syncthreads_and"sv, Kind::Barrier},
    {"__syncthreads_or"sv, Kind::Barrier}, {"__barrier_sync"sv, Kind::Barrier}, {"__syncwarp"sv, Kind::WarpSync},
    {"__cluster_barrier_arrive"sv, Kind::ClusterSync}, {"__cluster_barrier_wait"sv, Kind::ClusterSync},
    {"cluster_sync"sv, Kind::ClusterSync}, {"__threadfence"sv, Kind::Fence}, {"__threadfence_block"sv, Kind::Fence},
    {"__threadfence_system"sv, Kind::Fence}, {"atomic_thread_fence"sv, Kind::Fence}, {"mma_sync"sv, Kind::MatrixMultiply},
    {"bmma_sync"sv, Kind::MatrixMultiply}, {"mma"sv, Kind::MatrixMultiply}, {"gemm"sv, Kind::MatrixMultiply},
    {"memcpy_async"sv, Kind::AsyncCopy}, {"cp_async_bulk"sv, Kind::TensorMemory}, {"cp_async_bulk_tensor"sv, Kind::TensorMemory},
    {"mbarrier_init"sv, Kind::Mbarrier}, {"mbarrier_arrive"sv, Kind::Mbarrier}, {"mbarrier_try_wait"sv, Kind::Mbarrier},
    {"wgmma"sv, Kind::WarpgroupMultiply}, {"warpgroup_arrive"sv, Kind::WarpgroupMultiply}, {"warpgroup_wait"sv, Kind::WarpgroupMultiply}};

const std::pair<std::string_view, Kind> kCallPrefixes[] = {
    {"__shfl"sv, Kind::Shuffle}, {"__ballot"sv, Kind::Vote}, {"__any"sv, Kind::Vote}, {"__all"sv, Kind::Vote}, {"__match"sv, Kind::Vote},
    {"__activemask"sv, Kind::Vote}, {"__reduce_"sv, Kind::Reduction}, {"atomic"sv, Kind::Atomic}, {"__mbarrier_"sv, Kind::Mbarrier},
    {"__pipeline_memcpy_async"sv, Kind::AsyncCopy}, {"wgmma_"sv, Kind::WarpgroupMultiply}};

const std::map<std::string_view, Kind> kMembers{
    {"sync"sv, Kind::Barrier}, {"shfl"sv, Kind::Shuffle}, {"shfl_down"sv, Kind::Shuffle}, {"shfl_up"sv, Kind::Shuffle},
    {"shfl_xor"sv, Kind::Shuffle}, {"ballot"sv, Kind::Vote}, {"arrive_and_wait"sv, Kind::Mbarrier}, {"arrive"sv, Kind::Mbarrier},
    {"barrier_arrive"sv, Kind::Barrier}, {"barrier_wait"sv, Kind::Barrier}, {"fetch_add"sv, Kind::Atomic}, {"fetch_sub"sv, Kind::Atomic},
    {"fetch_min"sv, Kind::Atomic}, {"fetch_max"sv, Kind::Atomic}, {"compare_exchange_strong"sv, Kind::Atomic},
    {"compare_exchange_weak"sv, Kind::Atomic}};

const std::pair<std::string_view, Kind> kPtx[] = {
    {"wgmma"sv, Kind::WarpgroupMultiply}, {"tcgen05.mma"sv, Kind::WarpgroupMultiply}, {"tcgen05"sv, Kind::TensorMemory},
    {"cp.async.bulk"sv, Kind::TensorMemory}, {"cp.reduce.async.bulk"sv, Kind::TensorMemory}, {"cp.async.mbarrier"sv, Kind::Mbarrier},
    {"cp.async"sv, Kind::AsyncCopy}, {"mbarrier"sv, Kind::Mbarrier}, {"mma."sv, Kind::MatrixMultiply}, {"wmma.mma"sv, Kind::MatrixMultiply},
    {"bar.warp"sv, Kind::WarpSync}, {"bar."sv, Kind::Barrier}, {"barrier.cluster"sv, Kind::ClusterSync}, {"barrier."sv, Kind::Barrier},
    {"membar"sv, Kind::Fence}, {"fence"sv, Kind::Fence}, {"shfl"sv, Kind::Shuffle}, {"vote"sv, Kind::Vote}, {"match."sv, Kind::Vote},
    {"activemask"sv, Kind::Vote}, {"redux"sv, Kind::Reduction}, {"atom"sv, Kind::Atomic}, {"red."sv, Kind::Atomic},
    {"ex2"sv, Kind::FastMath}, {"lg2"sv, Kind::FastMath}, {"sin.approx"sv, Kind::FastMath}, {"cos.approx"sv, Kind::FastMath},
    {"tanh.approx"sv, Kind::FastMath}, {"rcp.approx"sv, Kind::FastMath}, {"rsqrt"sv, Kind::FastMath}, {"sqrt.approx"sv, Kind::FastMath},
    {"fma."sv, Kind::Math}, {"sqrt"sv, Kind::Math}, {"rcp"sv, Kind::Math}};

bool continuesOpcode(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
}

/// Operand numbers of "[%4]", "[%0+16]" in one instruction.
std::vector<int> addressOperands(std::string_view instruction) {
    std::vector<int> numbers;
    bool inside = false;
    for (std::size_t i = 0; i < instruction.size(); ++i) {
        if (instruction[i] == '[') inside = true;
        if (instruction[i] == ']') inside = false;
        if (!inside || instruction[i] != '%' || i + 1 >= instruction.size() || std::isdigit(static_cast<unsigned char>(instruction[i + 1])) == 0) {
            continue;
        }
        int number = 0;
        for (++i; i < instruction.size() && std::isdigit(static_cast<unsigned char>(instruction[i])) != 0 && number < 1000; ++i) {
            number = number * 10 + (instruction[i] - '0');
        }
        --i;
        numbers.push_back(number);
    }
    return numbers;
}

}  // namespace

std::optional<OperationKind> operationOf(std::string_view called, bool member) {
    if (member) {
        if (const auto found = kMembers.find(called); found != kMembers.end()) return found->second;
    }
    if (const auto found = kCalls.find(called); found != kCalls.end()) return found->second;
    for (const auto& [prefix, kind] : kCallPrefixes) {
        if (called.starts_with(prefix)) return kind;
    }
    if (kFastMath.contains(called)) return Kind::FastMath;
    return kMath.contains(called) ? std::optional(Kind::Math) : std::nullopt;
}

std::optional<OperationKind> operationOfPtx(std::string_view opcode) {
    for (const auto& [prefix, kind] : kPtx) {
        if (opcode.starts_with(prefix)) return kind;
    }
    return std::nullopt;
}

bool isMath(std::string_view called) { return kMath.contains(called); }
bool isFastMath(std::string_view called) { return kFastMath.contains(called); }
bool isLoadFunction(std::string_view called) { return kLoads.contains(called); }
bool isStoreFunction(std::string_view called) { return kStores.contains(called); }

bool isTextureFunction(std::string_view called) {
    return called.starts_with("tex1D") || called.starts_with("tex2D") || called.starts_with("tex3D") || called.starts_with("texCubemap") ||
           called.starts_with("surf1D") || called.starts_with("surf2D") || called.starts_with("surf3D");
}

std::vector<PtxInstruction> ptxInstructions(std::string_view code) {
    std::vector<PtxInstruction> instructions;
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t end = std::min(code.find(';', at), code.size());
        std::string_view one = code.substr(at, end - at);
        at = end + 1;
        std::string_view opcode;
        do {
            one.remove_prefix(std::min(one.size(), one.find_first_not_of(" \t\r\n{}")));
            if (one.starts_with("@")) {  // a predicate
                one.remove_prefix(std::min(one.size(), one.find_first_of(" \t\r\n")));
                one.remove_prefix(std::min(one.size(), one.find_first_not_of(" \t\r\n")));
            }
            const auto stop = std::find_if_not(one.begin(), one.end(), continuesOpcode);
            opcode = one.substr(0, static_cast<std::size_t>(stop - one.begin()));
            one.remove_prefix(opcode.size());
        } while (opcode.ends_with(':'));  // labels
        if (opcode.empty() || std::isalpha(static_cast<unsigned char>(opcode.front())) == 0) continue;
        instructions.push_back({std::string(opcode), addressOperands(one)});
    }
    return instructions;
}

}  // namespace ww::source
