// SPDX-License-Identifier: Apache-2.0
// What the engine itself costs per trial: the time of a step that belongs neither to strategy, compile, verify, bench nor
// profile. Runs a real session on the CPU device; equal programs share measurements, so most trials are short.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/units.h"
#include "engine/session.h"

using namespace ww;

namespace {

/// Adds up the time between stage changes, by who it belongs to.
class Ledger {
public:
    void operator()(const engine::SessionEvent& event) {
        if (const auto* changed = std::get_if<engine::StageChanged>(&event)) enter(changed->stage);
    }

    void begin() {
        m_engineNs = 0;
        m_since = monotonicNs();
        m_stage = engine::Stage::Idle;
    }

    [[nodiscard]] double endMs() {
        enter(engine::Stage::Idle);
        return static_cast<double>(m_engineNs) * 1e-6;
    }

private:
    void enter(engine::Stage stage) {
        const auto now = monotonicNs();
        switch (m_stage) {
        case engine::Stage::Proposing:
        case engine::Stage::Learning:
        case engine::Stage::Compiling:
        case engine::Stage::Verifying:
        case engine::Stage::Benchmarking: break;
        default: m_engineNs += now - m_since;
        }
        m_since = now;
        m_stage = stage;
    }

    engine::Stage m_stage = engine::Stage::Idle;
    std::int64_t m_since = 0, m_engineNs = 0;
};

}  // namespace

int main() {
    const auto database = std::filesystem::temp_directory_path() / ("engine_bench-" + std::to_string(monotonicNs()) + ".db");
    engine::SessionOptions options;
    options.specPath = resourceRoot() / "kernels" / "vector_add";
    options.device = "cpu";
    options.strategy = "random";
    options.trials = 16;
    options.seed = 1;
    options.database = database;
    options.allowNoSandbox = true;
    options.finalists = false;
    Ledger ledger;
    std::stop_source stop;
    auto session = engine::Session::create(options, [&](const engine::SessionEvent& event) { ledger(event); }, stop);
    if (!session) {
        std::fprintf(stderr, "%s\n", session.error().toString().c_str());
        return 1;
    }
    std::vector<double> costs;
    for (;;) {
        ledger.begin();
        const auto stepped = (*session)->step();
        if (!stepped) {
            std::fprintf(stderr, "%s\n", stepped.error().toString().c_str());
            return 1;
        }
        if (*stepped == engine::Session::StepResult::Finished) break;
        costs.push_back(ledger.endMs());
    }
    session->reset();
    std::filesystem::remove(database);
    std::sort(costs.begin(), costs.end());
    std::printf("engine cost per trial over %zu trials: median %.2f ms, 95th percentile %.2f ms, largest %.2f ms (target: median under 5 ms)\n", costs.size(),
                costs[costs.size() / 2], costs[costs.size() * 95 / 100], costs.back());
    return 0;
}
