// SPDX-License-Identifier: Apache-2.0
#include "engine/candidate.h"

#include <algorithm>

#include "base/hash.h"

namespace ww::engine {
namespace {

/// The spelling of a template argument that computes with parameters, such as `block * items`; the text itself where it does not.
Result<std::string> templateText(const std::string& text, const expr::Scope& scope) {
    const auto expression = expr::Expression::parse(text);
    if (!expression || expression->names().empty()) return text;
    const auto& names = expression->names();
    if (!std::all_of(names.begin(), names.end(), [&](const auto& name) { return scope.find(name) != nullptr; })) return text;  // a type
    WW_TRY(value, expression->evaluate(scope));
    return mutate::spell(value);
}

/// The entry's template arguments: those of the spec by position, with parameters replaced by their values; where the spec
/// lists none, each non-type parameter by its own name.
Result<std::vector<std::string>> templateArguments(const Task& task, const source::Entry& entry, const mutate::Mutant& mutant,
                                                   const expr::Scope& scope) {
    const auto assigned = [&](const std::string& name) -> const std::string* {
        for (const auto& [parameter, text] : mutant.templateArguments) {
            if (parameter == name) return &text;
        }
        return nullptr;
    };
    std::vector<std::string> arguments;
    if (!task.spec.templateArguments.empty()) {
        for (const auto& text : task.spec.templateArguments) {
            const auto* value = assigned(text);
            WW_TRY(computed, value != nullptr ? Result<std::string>(*value) : templateText(text, scope));
            arguments.push_back(computed);
        }
        return arguments;
    }
    for (const auto& parameter : entry.templateParameters) {
        if (const auto* value = assigned(parameter.name)) {
            arguments.push_back(*value);
        } else if (parameter.defaultText) {
            arguments.push_back(*parameter.defaultText);
        } else {
            return fail(ErrorCode::InvalidSpec,
                        "the kernel's template parameter " + parameter.name +
                            " has no value: tune it, or give Warpwright.Entry.TemplateArguments in the spec",
                        task.spec.file.string());
        }
    }
    return arguments;
}

std::string fullType(const source::KernelArgument& argument) {
    std::string type = argument.isConst && argument.pointer ? "const " + argument.type : argument.type;
    if (argument.pointer) type += "*";
    return type;
}

/// The compilers' text: without host code, edited, and with the macros that the source lacks.
std::string deviceSource(const Task& task, const mutate::Mutant& mutant) {
    std::vector<mutate::Edit> edits = mutant.edits;
    for (const auto& [name, value] : mutant.defines) {
        const auto place = std::find_if(task.defines.begin(), task.defines.end(), [&](const LocalDefine& one) { return one.name == name; });
        const std::size_t offset = place == task.defines.end() ? 0 : place->offset;
        const int line = place == task.defines.end() ? 1 : place->line;
        edits.push_back({name, {offset, offset}, "", "#define " + name + " " + value + "\n#line " + std::to_string(line) + "\n"});
    }
    std::stable_sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
    return mutate::spliced(task.deviceText.text, edits);
}

}  // namespace

Result<Candidate> makeCandidate(const Task& task, const space::Configuration& configuration) {
    std::vector<mutate::Assignment> assignments;
    std::vector<std::string> options = task.spec.compilerOptions;
    const auto& parameters = task.space.parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const auto& value = task.space.valueOf(configuration, p);
        if (parameters[p].site == space::Site::Option) {
            WW_TRY(text, mutate::spell(value));
            if (!text.empty() && text != "false" && text != "0") options.push_back(text);
        } else {
            assignments.push_back({parameters[p].name, value});
        }
    }
    Candidate candidate;
    candidate.configuration = configuration;
    WW_TRY(mutant, mutate::apply(task.source, assignments));
    const auto* entry = task.source.findEntry(task.spec.kernelName);
    WW_TRY(arguments, templateArguments(task, *entry, mutant, task.space.scopeFor(configuration)));

    auto& request = candidate.request;
    request.target = task.device.kind == device::DeviceKind::Cuda ? compile::Target::Cuda : compile::Target::Cpu;
    request.architecture = task.device.architecture;
    request.source = deviceSource(task, mutant);
    request.fileName = task.spec.kernelFile.filename().string();
    request.entry = entry->qualifiedName;
    request.templateArguments = std::move(arguments);
    for (const auto& argument : entry->arguments) request.argumentTypes.push_back(fullType(argument));
    for (const auto& argument : task.spec.arguments) {
        if (argument.memory == spec::MemoryKind::Symbol) request.symbols.push_back(argument.name);
    }
    request.options = std::move(options);
    request.includeFolders.push_back(task.spec.kernelFile.parent_path().string());
    for (const auto& folder : task.spec.includeFolders) request.includeFolders.push_back(folder.string());
    request.deadlineSeconds = task.spec.limits.compileSeconds;
    candidate.mutant = std::move(mutant);
    return candidate;
}

Result<spec::ResolvedLaunch> launchFor(const Task& task, const space::Configuration& configuration, const spec::WorkloadSpec& workload) {
    expr::Scope facts;
    task.device.addTo(facts);
    WW_TRY(constants, spec::constantsFor(task.spec, workload, &facts));
    expr::Scope scope(&constants);
    const auto& parameters = task.space.parameters();
    for (std::size_t p = 0; p < parameters.size(); ++p) scope.set(parameters[p].name, task.space.valueOf(configuration, p));
    return spec::resolveLaunch(task.spec, scope, workload);
}

device::LaunchShape shapeOf(const spec::ResolvedLaunch& launch) {
    return {launch.grid, launch.block, static_cast<std::size_t>(launch.dynamicSharedBytes)};
}

std::string measurementKey(const std::string& objectHash, const spec::ResolvedLaunch& launch) {
    std::string key = objectHash;
    for (const auto extent : launch.grid) key += "," + std::to_string(extent);
    for (const auto extent : launch.block) key += ":" + std::to_string(extent);
    key += "/" + std::to_string(launch.dynamicSharedBytes);
    for (const auto& argument : launch.arguments) {
        key += ";" + argument.name + "=" + std::to_string(argument.elements) + "," + argument.scalar.repr();
        if (argument.memory != spec::MemoryKind::Texture) continue;
        for (const auto extent : argument.extents) key += "x" + std::to_string(extent);
    }
    return contentHash(key);
}

}  // namespace ww::engine
