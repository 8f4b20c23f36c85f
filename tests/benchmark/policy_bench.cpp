// SPDX-License-Identifier: Apache-2.0
// Times a session's learning on a kernel: policy_bench KERNEL_OR_SPEC [STRATEGY] [TRIALS]. Prints CPU and wall
// milliseconds; asserts nothing. LibTorch is found as the program finds it: beside the binary, or in WARPWRIGHT_BIN.
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/units.h"
#include "encode/encode.h"
#include "policy/strategy.h"
#include "source/source_model.h"
#include "spec/spec.h"

namespace {

using namespace ww;

/// CPU time of this thread, which other processes do not lengthen.
std::int64_t threadNs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

class Timings {
public:
    template <typename Call> auto time(Call&& call) {
        const std::int64_t wall = monotonicNs(), cpu = threadNs();
        auto result = call();
        m_cpu.push_back(static_cast<double>(threadNs() - cpu) / 1e6);
        m_wall.push_back(static_cast<double>(monotonicNs() - wall) / 1e6);
        return result;
    }
    /// Moves the last timing over to another list.
    void giveLast(Timings& to) {
        to.m_cpu.push_back(m_cpu.back());
        to.m_wall.push_back(m_wall.back());
        m_cpu.pop_back();
        m_wall.pop_back();
    }
    void print(const char* what) const {
        if (m_cpu.empty()) return;
        std::printf("%-28s n %5zu   cpu median %8.4f p99 %8.4f   wall median %8.4f p99 %8.4f ms\n", what, m_cpu.size(), at(m_cpu, 0.5),
                    at(m_cpu, 0.99), at(m_wall, 0.5), at(m_wall, 0.99));
    }

private:
    static double at(std::vector<double> sorted, double quantile) {
        std::ranges::sort(sorted);
        return sorted[static_cast<std::size_t>(quantile * static_cast<double>(sorted.size() - 1))];
    }
    std::vector<double> m_cpu, m_wall;
};

int refuse(const Error& error) {
    std::fprintf(stderr, "%s\n", error.toString().c_str());
    return 1;
}

struct Figures {
    Timings encode, propose, observe, update, probabilities, checkpoint;
};

/// What a session asks of encoder and strategy at each trial; rewards are made up from the indices.
Result<void> session(const spec::Spec& spec, const source::SourceModel& model, const space::SearchSpace& space, std::string_view name,
                     int trials, Figures& figures) {
    const device::DeviceFacts device;
    WW_TRY(strategy, policy::makeStrategy(name, space, {1, 20, 0.7}));
    encode::Inputs inputs;
    inputs.source = &model;
    inputs.device = &device;
    inputs.entry = spec.kernelName;
    inputs.progress.budget = trials;
    const space::ValueMask mask = space.fullMask();
    policy::TriedSet tried;
    std::optional<space::Configuration> incumbent;
    double best = -1e9;
    int updates = 0;
    for (int trial = 0; trial < trials; ++trial) {
        inputs.progress.trials = trial;
        const encode::StateVector state = figures.encode.time([&] { return encode::encode(inputs); });
        const policy::ProposalContext context{state, mask, tried, trial, trials, incumbent};
        WW_TRY(proposals, figures.propose.time([&] { return strategy->propose(1, context); }));
        if (proposals.empty()) break;
        policy::Observation seen;
        seen.proposalId = proposals.front().id;
        seen.configuration = proposals.front().configuration;
        double reward = 0;
        for (std::size_t p = 0; p < seen.configuration.index.size(); ++p)
            reward += 0.05 * static_cast<double>((seen.configuration.index[p] * (p + 3)) % 5);
        seen.reward = seen.learningReward = reward;
        seen.state = state;
        tried.insert(seen.configuration);
        if (reward > best) {
            best = reward;
            incumbent = seen.configuration;
        }
        WW_CHECK(figures.observe.time([&] { return strategy->observe(seen); }));
        const int now = strategy->diagnostics().value("charts/updates", 0);
        if (now != updates) figures.observe.giveLast(figures.update);
        updates = now;
        (void)figures.probabilities.time([&] { return strategy->probabilities(context); });
        if (trial % 10 == 0) WW_CHECK(figures.checkpoint.time([&] { return strategy->checkpoint(); }));
    }
    return {};
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "policy_bench KERNEL_OR_SPEC [STRATEGY] [TRIALS]\n");
        return 2;
    }
    const auto spec = spec::load(argv[1]);
    if (!spec) return refuse(spec.error());
    const auto model = source::loadCuda(spec->kernelFile);
    if (!model) return refuse(model.error());
    expr::Scope deviceFacts;
    device::DeviceFacts{}.addTo(deviceFacts);
    const auto space = spec::makeSpace(*spec, spec->workloads.front(), &deviceFacts);
    if (!space) return refuse(space.error());
    Figures figures;
    const auto done = session(*spec, *model, *space, argc > 2 ? argv[2] : "ppo", argc > 3 ? std::atoi(argv[3]) : 300, figures);
    if (!done) return refuse(done.error());
    figures.encode.print("encode");
    figures.propose.print("propose one");
    figures.observe.print("observe without an update");
    figures.update.print("observe with an update");
    figures.probabilities.print("probabilities");
    figures.checkpoint.print("checkpoint");
    return 0;
}
