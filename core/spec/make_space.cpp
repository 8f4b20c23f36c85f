// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "space/device_rules.h"
#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

/// Whether every name of the condition has a value; without a device its facts have none.
bool isDecidable(const expr::Expression& expression, const Spec& spec, const expr::Scope& constants) {
    return std::all_of(expression.names().begin(), expression.names().end(), [&](const std::string& name) {
        return constants.find(name) != nullptr ||
               std::any_of(spec.parameters.begin(), spec.parameters.end(), [&](const auto& parameter) { return parameter.name == name; });
    });
}

/// Dynamic shared memory as one expression: SharedMemory and the Local arguments together.
std::string dynamicSharedText(const Spec& spec) {
    std::string text = spec.sharedMemory ? "(" + spec.sharedMemory->text() + ")" : "";
    for (const auto& argument : spec.arguments) {
        if (argument.memory != MemoryKind::Local || !argument.size) continue;
        const auto bytes = static_cast<std::size_t>(argument.components) * sizeOf(argument.type);
        text += (text.empty() ? "" : " + ") + ("(" + argument.size->text() + ") * " + std::to_string(bytes));
    }
    return text;
}

}  // namespace

Result<space::SearchSpace> makeSpace(const Spec& spec, const WorkloadSpec& workload, const expr::Scope* deviceFacts) {
    WW_TRY(constants, constantsFor(spec, workload, deviceFacts));
    std::vector<space::Constraint> constraints;
    for (std::size_t i = 0; i < spec.conditions.size(); ++i) {
        WW_TRY(expression, expr::Expression::parse(spec.conditions[i].text));
        // A condition on the device alone waits for one; every other name was checked by parse().
        if (deviceFacts == nullptr && !isDecidable(expression, spec, constants)) continue;
        constraints.push_back({"spec:" + std::to_string(i), "the spec demands " + spec.conditions[i].text, "", expression, false});
    }
    if (deviceFacts != nullptr) {
        std::vector<std::string> block;
        for (const auto& size : spec.localSize) block.push_back(size ? size->text() : "1");
        WW_TRY(rules, space::deviceRules(block, dynamicSharedText(spec)));
        constraints.insert(constraints.begin(), rules.begin(), rules.end());  // built-in rules come first
    }
    space::SearchSpace::Options options;
    options.constants = constants;
    return space::SearchSpace::create(spec.parameters, std::move(constraints), std::move(options));
}

}  // namespace ww::spec
