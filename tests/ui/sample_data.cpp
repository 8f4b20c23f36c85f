// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_data.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace sample {

using namespace ww;

namespace {

const char* const kSource = R"(// gemm: C = A * B, row-major, float32
#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#define STAGES 2
#define VECTOR 4
constexpr int WARPS = 4;
constexpr int SPLIT_K = 1;
#define UNROLL true

extern "C" __global__ void __launch_bounds__(WARPS * 32)
gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    __shared__ float tileA[STAGES][TILE_M][9];
    __shared__ float tileB[STAGES][8][TILE_N + 4];
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 8) {
        // one tile of A and B per step
        loadTile(tileA, tileB, a, b, k, n);
        __syncthreads();
        multiply(tileA, tileB, sum);
        __syncthreads();
    }
    storeTile(sum, c, n);
}
)";

struct Domain {
    const char* name;
    Json values;
    Json standard;
    const char* effect;
};

const std::vector<Domain>& domains() {
    static const std::vector<Domain> all{
        {"TILE_M", {16, 32, 64, 128, 256}, 64, "Rows of C that one block computes"},
        {"TILE_N", {16, 32, 64, 128}, 64, "Columns of C that one block computes"},
        {"STAGES", {2, 3, 4, 5}, 2, "Tiles in flight from global to shared memory"},
        {"VECTOR", {1, 2, 4, 8}, 4, "Elements that one load moves"},
        {"WARPS", {2, 4, 8, 16}, 4, "Warps per block"},
        {"SPLIT_K", {1, 2, 4, 8}, 1, "Parts the inner dimension is split into"},
        {"UNROLL", {true, false}, true, "Whether the inner loop is unrolled"}};
    return all;
}

/// As verify/ and the pipeline write it.
Json correctness(double error, bool pass) {
    const auto check = [](const char* workload, double relative, bool passed) {
        Json output{{"output", "c"}, {"type", "float32"}, {"pass", passed}, {"elements", 1048576}, {"relative_l2", relative}, {"relative_tolerance", 1e-5}};
        output["worst"] = {{"index", 1047559}, {"got", 1.5}, {"want", 1.25}};
        return Json{{"workload", workload}, {"outputs", Json::array({output})}, {"passed", passed}};
    };
    return {{"reference", "TorchScript, float64"}, {"checks", Json::array({check("edge 17", error / 2, pass), check("N = 1024", error, pass)})}};
}

std::size_t pick(int number, std::size_t parameter) {
    // Later trials lean to the better values, as a policy would.
    const auto& values = domains()[parameter].values;
    const std::size_t good[] = {3, 3, 1, 2, 2, 0, 0};
    const double u = static_cast<double>(SplitMix64::at(static_cast<std::uint64_t>(number), parameter) >> 11) * 0x1.0p-53;
    if (u < std::min(0.85, number * 0.012)) return good[parameter];
    return static_cast<std::size_t>(SplitMix64::at(static_cast<std::uint64_t>(number) + 7, parameter) % values.size());
}

}  // namespace

store::SessionRecord session() {
    store::SessionRecord record;
    record.id = 7;
    record.kernel = "gemm";
    record.title = "Matrix multiplication, float32";
    record.specPath = "/kernels/gemm/gemm.json";
    record.sourcePath = "/kernels/gemm/gemm.cu";
    record.sourceText = kSource;
    record.entry = "gemm";
    record.workload = "N = 1024 · fp32";
    record.device = {{"name", "NVIDIA H200"}, {"kind", "cuda"}, {"uuid", "GPU-0"}};
    record.strategy = "warp";
    record.objective = "composite";
    record.budgetTrials = 100;
    record.sandbox = "bubblewrap";
    record.startedAt = "2026-01-31T12:00:00.000Z";
    record.noiseFloor = 0.0021;
    for (const auto& domain : domains()) {
        record.parameters.push_back({domain.name, "macro", "log2", "", domain.effect, domain.values, domain.standard});
    }
    record.constraints = Json::array({{{"id", "spec:0"}, {"sentence", "shared memory fits"}, {"text", "TILE_M * TILE_N * STAGES * 4 <= smem_per_block_optin"}},
                                      {{"id", "spec:1"}, {"sentence", "tile rows divide among warps"}, {"text", "TILE_M % (WARPS * 8) == 0"}},
                                      {{"id", "spec:2"}, {"sentence", "vector divides the tile"}, {"text", "TILE_N % VECTOR == 0"}},
                                      {{"id", "rule:block_size"}, {"sentence", "a block has at most 1024 threads"}, {"text", "WARPS * 32 <= max_threads_per_block"}}});
    return record;
}

std::vector<ui::SourceSite> sites(const store::SessionRecord& record) {
    std::vector<ui::SourceSite> found;
    for (const auto& parameter : record.parameters) {
        for (const std::string& before : {"#define " + parameter.name + " ", "int " + parameter.name + " = "}) {
            const auto at = record.sourceText.find(before);
            if (at == std::string::npos) continue;
            const auto begin = at + before.size();
            const auto end = record.sourceText.find_first_of(";\n", begin);
            const auto line = 1 + std::count(record.sourceText.begin(), record.sourceText.begin() + static_cast<std::ptrdiff_t>(at), '\n');
            found.push_back({QString::fromStdString(parameter.name), static_cast<int>(begin), static_cast<int>(end), static_cast<int>(line)});
            break;
        }
    }
    return found;
}

std::shared_ptr<const store::TrialRecord> trial(int number) {
    auto record = std::make_shared<store::TrialRecord>();
    record->id = number;
    record->sessionId = 7;
    record->number = number;
    record->config = Json::object();
    double quality = 0.4;
    const auto& all = domains();
    for (std::size_t p = 0; p < all.size(); ++p) {
        const bool baseline = number == 1;
        const std::size_t v = baseline ? 0 : pick(number, p);
        const Json value = baseline ? all[p].standard : all[p].values[v];
        record->config[all[p].name] = value;
        quality += !baseline && v == std::size_t(p == 0 || p == 1 ? 3 : p == 2 ? 1 : p == 3 || p == 4 ? 2 : 0) ? 0.26 : 0.02 * static_cast<double>(v);
    }
    const double noise = static_cast<double>(SplitMix64::at(99, static_cast<std::uint64_t>(number)) % 1000) / 1000.0;
    const double ratio = number == 1 ? 1.0 : quality * (0.9 + 0.18 * noise);
    record->origin = number == 1 ? "baseline" : number <= 20 ? "init" : "policy";
    record->stages = {180000, 412000000, 260000000, 530000000, 0, 900000};
    record->objectHash = "9f86d081884c7d659a2feaa0c55ad015";
    const int kind = number == 1 ? 0 : static_cast<int>(SplitMix64::at(5, static_cast<std::uint64_t>(number)) % 11);
    if (kind == 9 || kind == 10) {
        record->status = kind == 9 ? TrialStatus::ResourceError : TrialStatus::WrongResult;
        record->message = kind == 9 ? "too many resources requested for launch: 255 registers x 512 threads" : "c: relative error 3.1e-2 at [17, 940], 1e-5 is allowed";
        record->reward.total = kind == 9 ? -8 : -5;
        record->stages.benchNs = 0;
        if (kind == 10) record->correctness = correctness(3.1e-2, false);
        return record;
    }
    const double time = 952000.0 / ratio;
    record->timeNs = static_cast<std::int64_t>(time);
    record->timeCi = Interval{time * 0.997, time * 1.003};
    record->ratio = ratio;
    record->ratioCi = Interval{ratio * 0.982, ratio * 1.018};
    record->verdict = ratio > 1.03 ? Verdict::Faster : ratio < 0.97 ? Verdict::Slower : number == 1 ? Verdict::Same : Verdict::Ambiguous;
    record->reward = {0.7 * ratio + 0.1 + 0.15 * noise, ratio, 0.4 + 0.4 * noise, 1.0, "composite/1"};
    record->compileFacts = {{"registers", 64 + number % 40}, {"static_shared_bytes", 49152}, {"spill_store_bytes", 0}, {"spill_load_bytes", 0}};
    record->correctness = correctness(2.4e-6, true);
    for (int i = 0; i < 24; ++i) {
        const double wobble = static_cast<double>(SplitMix64::at(static_cast<std::uint64_t>(number) + 1000, static_cast<std::uint64_t>(i)) % 1000) / 1000.0;
        record->samplesNs.push_back(time * (0.994 + 0.013 * wobble));
        record->baselineSamplesNs.push_back(952000 * (0.995 + 0.012 * wobble));
    }
    return record;
}

store::EventRecord event(int afterTrial, const char* kind, Json data) {
    store::EventRecord record;
    record.sessionId = 7;
    record.afterTrial = afterTrial;
    record.kind = kind;
    record.data = std::move(data);
    return record;
}

ui::EventBatch running(int trials, int budget) {
    ui::EventBatch batch;
    store::SessionRecord record = session();
    record.budgetTrials = budget;
    batch.push_back(engine::SessionStarted{record, nullptr, {}, {}});
    for (int number = 1; number <= trials; ++number) {
        batch.push_back(engine::TrialFinished{trial(number)});
        if (number == 20) batch.push_back(engine::EventLogged{event(20, "policy", {{"text", "takes over"}})});
        if (number == 34) batch.push_back(engine::EventLogged{event(34, "pin", {{"parameter", "VECTOR"}, {"value", 4}})});
        if (number == 58) batch.push_back(engine::EventLogged{event(58, "ban", {{"parameter", "SPLIT_K"}, {"value", 8}})});
    }
    engine::StageChanged stage{engine::Stage::Benchmarking, trials + 1, space::Configuration{{3, 2, 1, 2, 2, 0, 0}}};
    batch.push_back(stage);
    engine::Progress progress;
    progress.trials = trials;
    progress.budget = budget;
    progress.elapsedSeconds = 73;
    progress.etaSeconds = 72;
    progress.compileSeconds = 212;
    progress.deviceSeconds = 48;
    progress.trialsPerMinute = 61;
    progress.rejections = {{"spec:0", 3120}, {"spec:1", 1404}, {"spec:2", 288}};
    progress.probabilities = policy::Probabilities{{.03F, .08F, .2F, .62F, .07F}, {.04F, .1F, .4F, .46F}, {.2F, .55F, .2F, .05F}, {0, 0, 1, 0},
                                                   {.05F, .2F, .65F, .1F}, {.75F, .15F, .1F, 0}, {.7F, .3F}};
    batch.push_back(progress);
    return batch;
}

ui::EventBatch finished(const std::vector<std::shared_ptr<const store::TrialRecord>>& trials) {
    const store::TrialRecord* best = nullptr;
    for (const auto& each : trials) {
        if (each->ratio && (best == nullptr || *each->ratio > *best->ratio)) best = each.get();
    }
    store::MeasuredRecord measured{best->number, best->config, *best->timeNs, *best->timeCi, *best->ratio - 0.02,
                                   Interval{*best->ratio - 0.06, *best->ratio + 0.02}, Verdict::Faster, {}};
    return {engine::EventLogged{event(static_cast<int>(trials.size()), "finalists", Json::object())}, engine::FinalistsMeasured{{measured}},
            engine::SessionEnded{store::SessionStatus::Finished, std::nullopt, measured}};
}

}  // namespace sample
