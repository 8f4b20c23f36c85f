// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "commands.h"
#include "engine/session.h"
#include "output.h"

namespace ww::cli {
namespace {

struct BenchFlags {
    engine::SessionOptions session;
    std::string spec;
    std::vector<std::string> configurations;
    bool json = false;
};

int runBench(BenchFlags& flags) {
    flags.session.specPath = flags.spec;
    const auto document = engine::benchConfigurations(flags.session, flags.configurations);
    if (!document) return report(document.error(), flags.json);
    if (flags.json) {
        printJson(*document);
        return 0;
    }
    std::cout << "workload " << (*document)["workload"].get<std::string>() << " on " << (*document)["device"]["name"].get<std::string>() << "\n\n";
    Table table({">time", ">interval", ">ratio", "range", "verdict", "configuration"});
    for (const auto& row : (*document)["results"]) {
        const std::int64_t timeNs = row["time_ns"];
        table.add({timeText(timeNs), spreadText(timeNs, Interval{row["ci"][0], row["ci"][1]}), ratioText(row["ratio"].get<double>()),
                   ratioRange(Interval{row["ratio_ci"][0], row["ratio_ci"][1]}), row["verdict"], configText(row["config"])});
    }
    table.print();
    return 0;
}

}  // namespace

void addBench(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<BenchFlags>();
    auto* command = app.add_subcommand("bench", "Measure configurations against each other, interleaved, in a fresh process");
    command->add_option("spec", flags->spec, "Spec file, folder or kernel source")->required();
    command->add_option("--config", flags->configurations, "P=V,..; may be repeated; the first is the reference; missing parameters take their defaults");
    command->add_option("--device", flags->session.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
    command->add_option("--workload", flags->session.workload, "Workload to measure");
    command->add_flag("--no-sandbox", flags->session.allowNoSandbox, "Consent to run without isolation where it cannot be had");
    command->add_flag("--json", flags->json, "One JSON document on stdout");
    command->callback([flags, &exitCode] { exitCode = runBench(*flags); });
}

}  // namespace ww::cli
