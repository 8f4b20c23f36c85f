// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>
#include <memory>

#include "base/units.h"
#include "commands.h"
#include "engine/profiler.h"
#include "output.h"

namespace ww::cli {
namespace {

struct ProfileFlags {
    engine::SessionOptions session;
    std::string spec, configuration, set = "full";
    bool json = false;
};

constexpr int kBarWidth = 20;

std::string number(double value, int digits) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

/// "12.3 GB/s": a thousand to the next prefix.
std::string scaled(double value, const std::string& unit) {
    constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
    std::size_t prefix = 0;
    while (value >= 1000 && prefix + 1 < std::size(kPrefixes)) {
        value /= 1000;
        ++prefix;
    }
    return number(value, prefix == 0 && value == static_cast<double>(static_cast<long long>(value)) ? 0 : 2) + " " + kPrefixes[prefix] +
           unit;
}

std::string valueText(double value, const std::string& unit) {
    if (unit == "%") return number(value, 1) + " %";
    if (unit == "ns") return formatTimeNs(value);
    if (unit == "byte/s") return scaled(value, "B/s");
    if (unit == "byte") return formatBytes(static_cast<std::uint64_t>(value));
    return scaled(value, unit == "1" ? "" : unit);
}

/// Titles of the figures that are no counter of the tables.
std::string titleOf(const std::string& id) {
    static constexpr std::pair<const char*, const char*> kTitles[] = {{"registers", "Registers per thread"},
                                                                      {"local_bytes", "Local memory per thread"},
                                                                      {"stack_bytes", "Stack per thread"},
                                                                      {"spill_store_bytes", "Spill stores"},
                                                                      {"spill_load_bytes", "Spill loads"},
                                                                      {"static_shared_bytes", "Static shared memory"},
                                                                      {"dynamic_shared_bytes", "Dynamic shared memory"},
                                                                      {"shared_carveout_bytes", "Shared memory set aside"},
                                                                      {"device_launched", "Launched by the device"},
                                                                      {"theoretical_occupancy_pct", "Theoretical occupancy"},
                                                                      {"bench_time_ns", "Median of the bench"},
                                                                      {"estimated_bandwidth", "Estimated bandwidth"},
                                                                      {"estimated_bandwidth_pct", "Estimated bandwidth of peak"},
                                                                      {"estimated_flops", "Estimated operations"}};
    if (const auto* metric = profile::findMetric(id)) return std::string(metric->title);
    for (const auto& [known, title] : kTitles) {
        if (id == known) return title;
    }
    return id.starts_with("code_") ? id.substr(5) + " instructions" : id;
}

std::string barOf(double percent) {
    const int filled = static_cast<int>(std::min(100.0, std::max(0.0, percent)) / 100 * kBarWidth + 0.5);
    std::string bar;
    for (int i = 0; i < kBarWidth; ++i)
        bar += i < filled ? "\u2588" : "\u00b7";
    return bar;
}

void printHead(const Json& document) {
    const Json& profile = document["profile"];
    std::cout << document["kernel"].get<std::string>() << " on " << document["device"]["name"].get<std::string>() << ", workload "
              << document["workload"].get<std::string>() << "\n"
              << configText(document["config"]) << "\n"
              << "median " << formatTimeNs(document["time_ns"].get<double>());
    if (document["counters"]["available"].get<bool>()) {
        std::cout << "; counters of " << profile["chip"].get<std::string>() << ", " << profile["passes"].get<std::size_t>() << " passes in "
                  << number(profile["seconds"].get<double>(), 2)
                  << " s; profile worker isolated by: " << document["profile_sandbox"].get<std::string>();
    }
    std::cout << "\nbest rung of the throughput figures: " << profile["rung"].get<std::string>() << "\n";
}

/// The section of a figure: its group, or what its rung is where it is no counter of the tables.
std::string sectionOf(const std::string& id, const std::string& rung) {
    if (const auto* metric = profile::findMetric(id); metric != nullptr && (rung == "counters" || rung == "activity"))
        return std::string(profile::toString(metric->group));
    return rung == "code" ? "code" : rung == "estimate" || rung == "timed" ? "estimate" : "kernel";
}

void printSection(const Json& metrics, const std::string& section, const char* title) {
    Table table({"figure", ">value", "", "rung"});
    bool any = false;
    for (const auto& [id, one] : metrics.items()) {
        const auto rung = one["rung"].get<std::string>();
        if (sectionOf(id, rung) != section) continue;
        const auto unit = one["unit"].get<std::string>();
        const std::string name = titleOf(id);
        if (one.contains("value")) {
            const double value = one["value"].get<double>();
            table.add({name, valueText(value, unit), unit == "%" ? barOf(value) : std::string(), rung});
        } else {
            table.add({name, "n/a", one["reason"].get<std::string>(), rung});
        }
        any = true;
    }
    if (!any) return;
    std::cout << '\n' << paint(title, "bold") << '\n';
    table.print();
}

void printOccupancy(const Json& occupancy) {
    if (occupancy.is_null()) return;
    std::cout << '\n'
              << paint("Theoretical occupancy", "bold") << "\n"
              << valueText(occupancy["percent"].get<double>(), "%") << "  " << barOf(occupancy["percent"].get<double>()) << "  "
              << occupancy["blocks_per_sm"].get<int>() << " blocks, " << occupancy["warps_per_sm"].get<int>() << " of "
              << occupancy["max_warps_per_sm"].get<int>() << " warps per multiprocessor; limited by "
              << occupancy["limiter"].get<std::string>() << "\n"
              << "blocks by warps " << occupancy["blocks_by"]["warps"].get<int>() << ", registers "
              << occupancy["blocks_by"]["registers"].get<int>() << ", shared memory " << occupancy["blocks_by"]["shared_memory"].get<int>()
              << ", block slots " << occupancy["blocks_by"]["blocks"].get<int>() << "\n";
}

void printRoofline(const Json& roofline) {
    if (roofline.is_null()) return;
    std::cout << '\n'
              << paint("Roofline", "bold") << " (" << roofline["precision"].get<std::string>() << ", "
              << roofline["rung"].get<std::string>() << ")\n"
              << "intensity " << number(roofline["intensity"].get<double>(), 2) << " flop/byte, ridge "
              << number(roofline["ridge"].get<double>(), 2) << " flop/byte: under the " << roofline["bound"].get<std::string>()
              << " roof, at " << valueText(100 * roofline["of_roof"].get<double>(), "%") << " of it\n"
              << scaled(roofline["achieved_flops"].get<double>(), "flop/s") << " of "
              << scaled(roofline["peak_flops"].get<double>(), "flop/s") << "; "
              << scaled(roofline["achieved_bandwidth"].get<double>(), "B/s") << " of "
              << scaled(roofline["peak_bandwidth"].get<double>(), "B/s") << "\n";
}

void printConclusions(const Json& profile) {
    std::cout << '\n' << paint("What holds it back", "bold") << '\n';
    if (profile["bottlenecks"].empty()) std::cout << "nothing that these figures show\n";
    for (const auto& bottleneck : profile["bottlenecks"]) {
        std::cout << "- " << bottleneck["cause"].get<std::string>() << "\n  " << bottleneck["remedy"].get<std::string>() << "\n";
    }
    if (!profile["notes"].empty()) std::cout << '\n' << paint("What is missing", "bold") << '\n';
    for (const auto& note : profile["notes"])
        std::cout << "- " << note.get<std::string>() << "\n";
}

int runProfile(ProfileFlags& flags) {
    flags.session.specPath = flags.spec;
    const auto set = profile::metricSetFrom(flags.set);
    if (!set) return report(set.error(), flags.json);
    const auto document = engine::profileConfiguration(flags.session, flags.configuration, *set);
    if (!document) return report(document.error(), flags.json);
    if (flags.json) {
        printJson(*document);
        return 0;
    }
    const Json& profile = (*document)["profile"];
    printHead(*document);
    static constexpr std::pair<const char*, const char*> kSections[] = {
        {"trial", "Launch"},      {"sol", "Speed of light"},  {"stalls", "Stalls (warps waiting, per issued instruction)"},
        {"memory", "Memory"},     {"roofline", "Operations"}, {"mix", "Instruction mix"},
        {"code", "Machine code"}, {"kernel", "Kernel"},       {"estimate", "Estimates"}};
    for (const auto& [section, title] : kSections)
        printSection(profile["metrics"], section, title);
    printOccupancy(profile["occupancy"]);
    printRoofline(profile["roofline"]);
    printConclusions(profile);
    std::cout << std::flush;
    return 0;
}

} // namespace

void addProfile(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<ProfileFlags>();
    auto* command = app.add_subcommand(
        "profile", "Show what one configuration does on the device: counters, occupancy, roofline, and what holds it back");
    command->add_option("spec", flags->spec, "Spec file, folder or kernel source")->required();
    command->add_option("--config", flags->configuration, "P=V,..; missing parameters take their defaults");
    command->add_option("--set", flags->set, "trial (one pass), sol, stalls or full")
        ->capture_default_str()
        ->check(CLI::IsMember({"trial", "sol", "stalls", "full"}));
    command->add_option("--device", flags->session.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
    command->add_option("--workload", flags->session.workload, "Workload to profile");
    command->add_option("--seed", flags->session.seed, "Of the inputs; drawn where not given");
    command->add_flag("--no-sandbox", flags->session.allowNoSandbox, "Consent to run without isolation where it cannot be had");
    command->add_flag("--json", flags->json, "One JSON document on stdout");
    command->callback([flags, &exitCode] { exitCode = runProfile(*flags); });
}

} // namespace ww::cli
