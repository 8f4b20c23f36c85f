// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <map>
#include <memory>

#include "commands.h"
#include "engine/session.h"
#include "output.h"
#include "spec/spec.h"
#include "store/recorded_space.h"

namespace ww::cli {
namespace {

struct SpaceFlags {
    std::string spec, device, workload, explain;
    bool count = false, list = false, json = false;
    int sample = 0;
    std::uint64_t seed = 0;
};

Result<space::SearchSpace> openSpace(const SpaceFlags& flags) {
    WW_TRY(spec, spec::load(flags.spec));
    const spec::WorkloadSpec* workload = &spec.workloads.front();
    if (!flags.workload.empty()) {
        workload = spec.findWorkload(flags.workload);
        if (workload == nullptr) return fail(ErrorCode::NotFound, "there is no workload \"" + flags.workload + "\"", flags.spec);
    }
    if (flags.device.empty()) return spec::makeSpace(spec, *workload, nullptr);
    WW_TRY(device, engine::findDevice(flags.device));
    expr::Scope facts;
    device.addTo(facts);
    return spec::makeSpace(spec, *workload, &facts);
}

Json countJson(const space::Count& count) {
    return count.exact && count.value < 9.007e15 ? Json(static_cast<std::int64_t>(count.value)) : Json(count.value);
}

void showCount(const space::SearchSpace& space, bool json) {
    const auto valid = space.countValid();
    const auto rejected = space.rejectedBy();
    const auto textOf = [&](const std::string& id) {
        for (const auto& constraint : space.constraints()) {
            if (constraint.id == id) return constraint.expression.text();
        }
        return id;
    };
    if (json) {
        Json counts = Json::object();
        for (const auto& [id, count] : rejected) counts[textOf(id)] = countJson(count);
        printJson({{"cartesian", space.cartesianSize() < 9.007e15 ? Json(static_cast<std::int64_t>(space.cartesianSize())) : Json(space.cartesianSize())},
                   {"valid", countJson(valid)},
                   {"exact", valid.exact},
                   {"valid_ci", valid.exact ? Json() : Json{valid.low, valid.high}},
                   {"rejected_by", counts}});
        return;
    }
    std::printf("%.0f combinations, %s%.0f valid\n", space.cartesianSize(), valid.exact ? "" : "about ", valid.value);
    if (!valid.exact) std::printf("an estimate: 95 %% interval %.0f to %.0f\n", valid.low, valid.high);
    if (rejected.empty()) return;
    std::cout << '\n';
    Table table({">refused", "by"});
    for (const auto& [id, count] : rejected) {
        char text[64];
        std::snprintf(text, sizeof text, "%s%.0f", count.exact ? "" : "~", count.value);
        table.add({text, textOf(id)});
    }
    table.print();
}

int showExplanation(const space::SearchSpace& space, const SpaceFlags& flags) {
    const auto configuration = space.parse(flags.explain, space.defaultConfiguration());
    if (!configuration) return report(configuration.error(), flags.json);
    const auto refused = space.explain(*configuration);
    if (flags.json) {
        printJson({{"config", space.toJson(*configuration)},
                   {"valid", !refused.has_value()},
                   {"constraint", refused ? Json(refused->constraintId) : Json()},
                   {"reason", refused ? Json(refused->sentence) : Json()},
                   {"suggestion", refused && !refused->suggestion.empty() ? Json(refused->suggestion) : Json()}});
    } else {
        std::cout << space.display(*configuration) << '\n'
                  << (refused ? "refused: " + refused->sentence + (refused->suggestion.empty() ? "" : "\n" + refused->suggestion) : "valid") << '\n';
    }
    return refused ? 1 : 0;
}

/// A recorded space has no conditions: what was measured is what there is.
int showRecorded(const store::RecordedSpace& recorded, const SpaceFlags& flags) {
    const auto& trials = recorded.trials();
    const auto& space = recorded.space();
    if (flags.list || flags.sample > 0) {
        SplitMix64 rng(flags.seed != 0 ? flags.seed : drawSeed());
        Json configurations = Json::array();
        const std::size_t count = flags.list ? trials.size() : static_cast<std::size_t>(flags.sample);
        for (std::size_t i = 0; i < count && !trials.empty(); ++i) {
            const auto& trial = flags.list ? trials[i] : trials[static_cast<std::size_t>(rng.below(trials.size()))];
            if (flags.json) configurations.push_back(space.toJson(trial.configuration));
            else std::cout << space.display(trial.configuration) << '\n';
        }
        if (flags.json) printJson({{"configurations", configurations}});
        return 0;
    }
    std::map<std::string, std::size_t> failures;
    for (const auto& trial : trials) {
        if (!trial.failure.empty()) ++failures[trial.failure];
    }
    if (flags.json) {
        printJson({{"cartesian", countJson({space.cartesianSize(), true})}, {"valid", trials.size()}, {"exact", true}, {"valid_ci", Json()},
                   {"rejected_by", Json::object()}, {"failed", failures}, {"recorded_on", recorded.device()}});
        return 0;
    }
    std::printf("%s, recorded on %s: %zu configurations of %.0f combinations\n", recorded.kernel().c_str(), recorded.device().c_str(), trials.size(),
                space.cartesianSize());
    for (const auto& [name, failed] : failures) std::printf("%zu failed with %s\n", failed, name.c_str());
    return 0;
}

int runSpace(const SpaceFlags& flags) {
    const auto space = openSpace(flags);
    if (!space && flags.explain.empty()) {
        if (const auto recorded = store::RecordedSpace::read(flags.spec)) return showRecorded(*recorded, flags);
    }
    if (!space) return report(space.error(), flags.json);
    if (!flags.explain.empty()) return showExplanation(*space, flags);
    if (flags.sample > 0 || flags.list) {
        Json configurations = Json::array();
        const auto take = [&](const space::Configuration& configuration) {
            if (flags.json) configurations.push_back(space->toJson(configuration));
            else std::cout << space->display(configuration) << '\n';
        };
        if (flags.list) {
            space->forEachValid([&](const auto& configuration) { take(configuration); return true; });
        } else {
            SplitMix64 rng(flags.seed != 0 ? flags.seed : drawSeed());
            for (int i = 0; i < flags.sample; ++i) {
                const auto drawn = space->sample(rng);
                if (!drawn) break;
                take(*drawn);
            }
        }
        if (flags.json) printJson({{"configurations", configurations}});
        return space->isEmpty() ? 1 : 0;
    }
    showCount(*space, flags.json);
    return 0;
}

}  // namespace

void addSpace(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<SpaceFlags>();
    auto* command = app.add_subcommand("space", "Count, sample, list or explain the valid configurations of a spec");
    command->add_option("spec", flags->spec, "Spec file, folder, kernel source, or a recorded space (Kernel Tuner's cache file)")->required();
    command->add_flag("--count", flags->count, "Count them (what happens without any flag)");
    command->add_option("--sample", flags->sample, "Draw N uniformly");
    command->add_flag("--list", flags->list, "List all");
    command->add_option("--explain", flags->explain, "P=V,..: why a configuration is refused; missing parameters take their defaults");
    command->add_option("--device", flags->device, "Apply this device's rules too");
    command->add_option("--workload", flags->workload, "Whose sizes the conditions see");
    command->add_option("--seed", flags->seed, "Seed of --sample");
    command->add_flag("--json", flags->json, "One JSON document on stdout");
    command->callback([flags, &exitCode] { exitCode = runSpace(*flags); });
}

}  // namespace ww::cli
