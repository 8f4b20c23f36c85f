// SPDX-License-Identifier: Apache-2.0
// Replays recorded spaces that hold failures under random proposals, with and without the screen:
// feasibility_bench [--repeats N] [FILE...]; without files, all of $WARPWRIGHT_DATA/spaces. Prints a table; asserts nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>

#include "policy/screened_strategy.h"
#include "store/recorded_space.h"

namespace {

using namespace ww;

constexpr int kFirst = 50, kLast = 200;  ///< the trials that are counted
constexpr int kLookEvery = 10;           ///< trials between looks at the good configurations

/// The measured configurations in random order, each once: what RandomStrategy does, over a space known as a list only.
class ShuffledStrategy final : public policy::Strategy {
public:
    ShuffledStrategy(const store::RecordedSpace& recorded, std::uint64_t seed) {
        for (const auto& trial : recorded.trials()) m_order.push_back(trial.configuration);
        SplitMix64 rng(seed);
        std::shuffle(m_order.begin(), m_order.end(), rng);
    }
    std::string_view name() const noexcept override { return "shuffled"; }
    Result<std::vector<policy::Proposal>> propose(int n, const policy::ProposalContext& context) override {
        std::vector<policy::Proposal> proposals;
        for (std::size_t i = 0; i < m_order.size() && static_cast<int>(proposals.size()) < n; ++i)
            if (!context.tried.contains(m_order[i])) proposals.push_back({i + 1, m_order[i], "random", {}});
        return proposals;
    }
    Result<void> observe(const policy::Observation&) override { return {}; }

private:
    std::vector<space::Configuration> m_order;
};

/// How many of some configurations were put last, over all looks.
struct Share {
    double hits = 0, all = 0;
    void add(bool hit) { hits += hit ? 1 : 0, ++all; }
    [[nodiscard]] double percent() const { return all > 0 ? 100 * hits / all : 0; }
};

struct Figures {
    Share without, with;               ///< failures among the counted trials
    Share near, fair;                  ///< put last among configurations within 10 % and 50 % of the best time
    std::vector<double> registerErrors, sharedErrors;  ///< relative, of forecasts made before the trial
    double bestWithout = 0, bestWith = 0;              ///< best time / best found, at the last trial; sums over repeats
};

policy::Observation observationOf(const store::RecordedTrial& trial, std::uint64_t id) {
    policy::Observation seen;
    seen.proposalId = id;
    seen.configuration = trial.configuration;
    seen.status = trial.status;
    seen.timeNs = trial.time;
    seen.registers = trial.registers;
    seen.sharedBytes = trial.sharedBytes;
    return seen;
}

double median(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

/// One session of kLast trials. `model` sees the same trials as the strategy, to be asked about the good configurations.
void replay(const store::RecordedSpace& recorded, std::uint64_t seed, bool screened, Figures& figures) {
    policy::FeasibilityModel model(recorded.space(), {seed, kFirst, {}});
    std::unique_ptr<policy::Strategy> strategy = std::make_unique<ShuffledStrategy>(recorded, seed);
    if (screened) strategy = std::make_unique<policy::ScreenedStrategy>(std::move(strategy), policy::FeasibilityModel(recorded.space(), {seed, kFirst, {}}));
    const auto mask = recorded.space().fullMask();
    const policy::StateVector state{};
    policy::TriedSet tried;
    double best = HUGE_VAL;
    for (int number = 1; number <= kLast; ++number) {
        const auto proposals = strategy->propose(1, {state, mask, tried, number - 1, kLast, std::nullopt});
        if (!proposals || proposals->empty()) return;
        const auto& trial = *recorded.find(proposals->front().configuration);
        const auto seen = observationOf(trial, proposals->front().id);
        if (screened && number > kFirst && number % kLookEvery == 0) {
            for (const auto& one : recorded.trials()) {
                if (!one.time || *one.time > 1.5 * *recorded.bestTime() || tried.contains(one.configuration)) continue;
                const auto forecast = model.forecast(one.configuration);
                const bool last = forecast && policy::ScreenedStrategy::likelyFails(*forecast);
                figures.fair.add(last);
                if (*one.time <= 1.1 * *recorded.bestTime()) figures.near.add(last);
            }
            if (const auto forecast = model.forecast(trial.configuration)) {
                if (forecast->registers && trial.registers) figures.registerErrors.push_back(std::abs(*forecast->registers / *trial.registers - 1));
                if (forecast->sharedBytes && trial.sharedBytes.value_or(0) > 0)
                    figures.sharedErrors.push_back(std::abs(*forecast->sharedBytes / *trial.sharedBytes - 1));
            }
        }
        tried.insert(trial.configuration);
        if (trial.time) best = std::min(best, *trial.time);
        (void)strategy->observe(seen).has_value();
        model.observe(seen);
        if (number > kFirst) (screened ? figures.with : figures.without).add(policy::failedToRun(trial.status).value_or(false));
    }
    (screened ? figures.bestWith : figures.bestWithout) += *recorded.bestTime() / best;
}

void show(const std::string& path, int repeats) {
    const auto recorded = store::RecordedSpace::read(path);
    if (!recorded) {
        std::printf("%s\n", recorded.error().toString().c_str());
        return;
    }
    const auto failures = std::ranges::count_if(recorded->trials(), [](const auto& trial) { return !trial.time; });
    if (failures == 0 || !recorded->bestTime()) return;
    Figures figures;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        replay(*recorded, static_cast<std::uint64_t>(repeat) + 1, false, figures);
        replay(*recorded, static_cast<std::uint64_t>(repeat) + 1, true, figures);
    }
    std::string name = path.substr(path.find_last_of('/') + 1);
    name = name.substr(0, name.find(".json"));
    std::printf("| %s | %.1f | %.1f | %.2f | %.1f | %.1f | %.1f | %.3f / %.3f |", name.c_str(),
                100.0 * static_cast<double>(failures) / static_cast<double>(recorded->trials().size()), figures.without.percent(), figures.with.percent(),
                figures.without.percent() / figures.with.percent(), figures.near.percent(), figures.fair.percent(), figures.bestWithout / repeats,
                figures.bestWith / repeats);
    if (!figures.registerErrors.empty())
        std::printf(" %.1f / %.1f |", 100 * median(figures.registerErrors), 100 * median(figures.sharedErrors));
    else
        std::printf(" - |");
    std::printf("\n");
    std::fflush(stdout);
}

/// CPU time: on a busy machine the clock on the wall tells of others.
double cpuMs() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

/// What a proposal costs late in a long session.
void showCost(const std::string& path) {
    const auto recorded = store::RecordedSpace::read(path);
    if (!recorded) return;
    policy::ScreenedStrategy strategy(std::make_unique<ShuffledStrategy>(*recorded, 1), policy::FeasibilityModel(recorded->space(), {1, kFirst, {}}));
    const auto mask = recorded->space().fullMask();
    const policy::StateVector state{};
    policy::TriedSet tried;
    const int trials = static_cast<int>(std::min<std::size_t>(2000, recorded->trials().size()));
    double lateMs = 0, largestMs = 0;
    int late = 0;
    for (int number = 1; number <= trials; ++number) {
        const double begin = cpuMs();
        const auto proposals = strategy.propose(1, {state, mask, tried, number - 1, trials, std::nullopt});
        if (!proposals || proposals->empty()) break;
        const auto& trial = *recorded->find(proposals->front().configuration);
        (void)strategy.observe(observationOf(trial, proposals->front().id)).has_value();
        const double spent = cpuMs() - begin;
        tried.insert(trial.configuration);
        if (number <= trials - trials / 4) continue;
        lateMs += spent;
        largestMs = std::max(largestMs, spent);
        ++late;
    }
    std::printf("CPU time of a trial, %d to %d: mean %.2f ms, largest %.1f ms (%s)\n", trials - late + 1, trials, lateMs / late, largestMs, path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    int repeats = 20;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--repeats") == 0 && i + 1 < argc) repeats = std::max(1, std::atoi(argv[++i]));
        else files.emplace_back(argv[i]);
    }
    if (const char* data = std::getenv("WARPWRIGHT_DATA"); files.empty() && data != nullptr) {
        std::error_code failed;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(data) / "spaces", failed))
            if (entry.path().filename().string().find(".json") != std::string::npos) files.push_back(entry.path().string());
        std::ranges::sort(files);
    }
    if (files.empty()) {
        std::fprintf(stderr, "feasibility_bench [--repeats N] FILE...; or set WARPWRIGHT_DATA to the folder above spaces/\n");
        return 2;
    }
    std::printf("| space | failures %% | trials %d-%d without %% | with %% | cut | within 10 %% put last %% | within 50 %% put last %% | found at %d without / with | "
                "registers / shared bytes off by %% |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n", kFirst, kLast, kLast);
    for (const auto& file : files) show(file, repeats);
    showCost(files.front());
    return 0;
}
