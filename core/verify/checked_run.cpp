// SPDX-License-Identifier: Apache-2.0
#include "verify/checked_run.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace ww::verify {

namespace {

void note(Repeats& repeats, int launch, const std::vector<LaunchBuffers::Difference>& differences) {
    if (differences.empty()) return;
    if (repeats.differing++ == 0) {
        const auto& first = differences.front();
        repeats.firstDiffering = launch;
        repeats.output = first.name;
        repeats.elements = first.elements;
        repeats.index = first.first;
        repeats.unwritten = first.poisoned;
    }
    for (const auto& difference : differences) {
        auto known = std::ranges::find(repeats.spreads, difference.name, [](const auto& spread) { return spread.first; });
        if (known == repeats.spreads.end()) known = repeats.spreads.insert(known, {difference.name, Spread{}});
        known->second.relative = std::max(known->second.relative, difference.spread.relative);
        known->second.absolute = std::max(known->second.absolute, difference.spread.absolute);
    }
}

/// Guards and inputs; findings of an earlier look are kept.
Result<void> inspect(LaunchBuffers& buffers, bool wholeInputs, CheckedRun& run) {
    WW_TRY(violations, buffers.guardViolations());
    if (run.guardViolations.empty()) run.guardViolations = std::move(violations);
    WW_TRY(changed, buffers.changedInputs(wholeInputs));
    if (run.changedInputs.empty()) run.changedInputs = std::move(changed);
    return {};
}

/// The launches after the first. A fault is the run's outcome.
Result<void> repeat(device::Device& device, LaunchBuffers& buffers, const device::Launch& launch, const RunOptions& options, CheckedRun& run) {
    const auto end = monotonicNs() + static_cast<std::int64_t>(options.repeatSeconds * 1e9);
    for (int number = 2; number <= options.launches && monotonicNs() < end; ++number) {
        WW_CHECK(buffers.rearm((options.poison + number - 1) % 2));
        run.outcome = device.run(launch);
        if (run.outcome.status != TrialStatus::Ok) {
            run.outcome.message += " (in launch " + std::to_string(number) + " on the same inputs)";
            return {};
        }
        run.repeats.launches = number;
        WW_TRY(differences, buffers.differences());
        note(run.repeats, number, differences);
    }
    return run.repeats.launches > 1 ? inspect(buffers, options.wholeInputs, run) : Result<void>{};
}

} // namespace

Json Repeats::toJson() const {
    Json json{{"launches", launches}, {"differing", differing}};
    if (differing == 0) return json;
    json["first_differing"] = firstDiffering;
    json["output"] = output;
    json["elements"] = elements;
    json["index"] = index;
    json["unwritten"] = unwritten;
    for (const auto& [name, spread] : spreads) json["spreads"].push_back({{"output", name}, {"relative", spread.relative}, {"absolute", spread.absolute}});
    return json;
}

Repeats Repeats::fromJson(const Json& json) {
    Repeats repeats;
    repeats.launches = json.at("launches").get<int>();
    repeats.differing = json.at("differing").get<int>();
    if (repeats.differing == 0) return repeats;
    repeats.firstDiffering = json.at("first_differing").get<int>();
    repeats.output = json.at("output").get<std::string>();
    repeats.elements = json.at("elements").get<std::uint64_t>();
    repeats.index = json.at("index").get<std::uint64_t>();
    repeats.unwritten = json.at("unwritten").get<std::uint64_t>();
    for (const auto& one : json.at("spreads")) {
        // An infinite spread (from a run of zeros) travels as null.
        const auto figure = [&](const char* key) { return one.at(key).is_null() ? HUGE_VAL : one.at(key).get<double>(); };
        repeats.spreads.emplace_back(one.at("output").get<std::string>(), Spread{figure("relative"), figure("absolute")});
    }
    return repeats;
}

Result<CheckedRun> checkedRun(device::Device& device, LaunchBuffers& buffers, device::ModuleId module, const spec::ResolvedLaunch& launch,
                              const RunOptions& options, const DataSource& data) {
    CheckedRun run;
    WW_CHECK(buffers.prepare(launch, options.seed, options.poison, data));
    const device::Launch prepared = buffers.launch(module);
    if (!launch.empty) run.outcome = device.run(prepared);
    // After a fault the contents mean nothing, and after a sticky one the context cannot even be read.
    if (run.outcome.status != TrialStatus::Ok) return run;
    WW_CHECK(inspect(buffers, options.wholeInputs, run));
    WW_TRY(outputs, buffers.outputs());
    run.outputs = std::move(outputs);
    run.unwrittenOutputs = buffers.unwrittenOutputs();
    if (!launch.empty && options.launches > 1) WW_CHECK(repeat(device, buffers, prepared, options, run));
    return run;
}

} // namespace ww::verify
