// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/records.h"

namespace ww::test {

inline store::SessionRecord sampleSession() {
    store::SessionRecord session;
    session.kernel = "gemm";
    session.title = "Matrix product";
    session.specPath = "/kernels/gemm/gemm.json";
    session.device = Json{{"uuid", "CPU-1"}, {"name", "A processor"}, {"kind", "cpu"}, {"cores", 2}};
    session.workload = "small";
    session.strategy = "random";
    session.objective = "composite";
    session.seed = 0xfedcba9876543210ull;
    session.budgetTrials = 40;
    session.budgetSeconds = 12.5;
    session.sandbox = "bubblewrap";
    session.startedAt = "2026-01-31T12:00:00.000Z";
    session.sourceText = "__global__ void gemm() {}\n// \xc3\xa9 \xe4\xb8\xad";
    session.sourcePath = "/kernels/gemm/gemm.cu";
    session.entry = "gemm";
    session.specJson = Json::parse(R"({"KernelSpecification": {}, "Warpwright": {"Workloads": [
        {"Name": "tuned", "Sizes": {"N": 4096}}, {"Name": "small", "Sizes": {"N": 256}}]}})");
    session.noiseFloor = 0.0125;
    session.parameters = {{"TILE", "macro", "log2", "Tile", "Edge of a tile", Json{8, 16, 32}, Json(16)},
                          {"ACC", "macro", "categorical", "", "", Json{"fp16", "fp32"}, Json("fp32")}};
    session.constraints = Json::parse(R"([{"id": "c1", "sentence": "fits", "text": "TILE <= 32"}])");
    session.facts = Json{{"version", "0.1.0"}};
    return session;
}

/// A trial with every member set, so that a round trip that forgets one is seen.
inline store::TrialRecord sampleTrial(std::int64_t session, int number, std::int64_t timeNs = 1000) {
    store::TrialRecord trial;
    trial.sessionId = session;
    trial.number = number;
    trial.config = Json{{"TILE", 16}, {"ACC", "fp32"}, {"PAIR", {1, 2}}, {"FLAG", true}};
    trial.status = TrialStatus::Ok;
    trial.verdict = Verdict::Faster;
    trial.timeNs = timeNs;
    trial.timeCi = Interval{static_cast<double>(timeNs) - 1.5, static_cast<double>(timeNs) + 2.5};
    trial.ratio = 1.25;
    trial.ratioCi = Interval{1.2, 1.3};
    trial.reward = {0.975, 1.25, 0.5, 1.0, "composite/1"};
    trial.stages = {1, 2, 3, 4, 5, 6};
    trial.message = "one line\nand another";
    trial.origin = "policy";
    trial.objectHash = "0123456789abcdef";
    trial.sharedWith = 1;
    trial.compileFacts = Json{{"registers", 32}, {"spill_bytes", 0}, {"constant_bytes", -1}, {"flags", "-O2"}};
    trial.policy = Json{{"log_prob", -1.25}};
    trial.correctness = Json::array({Json{{"output", "c"}, {"pass", true}}});
    trial.startedAt = "2026-01-31T12:00:01.000Z";
    trial.log = "warning: unused variable 'x'\n";
    trial.diagnosis = Json{{"id", "macro-redefined"}, {"line", 3}, {"captures", {{"name", "TILE"}}}};
    trial.baselineSamplesNs = {1250.5, 1249.25, 1251};
    trial.samplesNs = {1000.125, 999, 1001};
    return trial;
}

inline store::TrialRecord failedTrial(std::int64_t session, int number, TrialStatus status) {
    store::TrialRecord trial;
    trial.sessionId = session;
    trial.number = number;
    trial.config = Json{{"TILE", 8}};
    trial.status = status;
    trial.message = "it failed";
    trial.origin = "random";
    return trial;
}

} // namespace ww::test
