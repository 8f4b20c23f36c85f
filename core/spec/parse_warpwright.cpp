// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

std::string didYouMean(std::string_view word, const std::vector<std::string>& known) {
    const std::string nearest = expr::nearestName(word, known);
    return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

std::vector<std::string> parameterNames(const Spec& spec) {
    std::vector<std::string> names;
    for (const auto& parameter : spec.parameters) names.push_back(parameter.name);
    return names;
}

std::vector<std::string> argumentNames(const Spec& spec) {
    std::vector<std::string> names;
    for (const auto& argument : spec.arguments) names.push_back(argument.name);
    return names;
}

Result<void> checkArgument(const Spec& spec, const std::string& name, const std::string& path) {
    if (spec.findArgument(name) != nullptr) return {};
    return fail(ErrorCode::InvalidSpec, path + ": there is no argument \"" + name + "\"" + didYouMean(name, argumentNames(spec)));
}

Result<void> readParameters(const Reader& section, Spec& spec) {
    WW_TRY(table, section.object({"Parameters"}));
    if (!table) return {};
    for (const auto& [name, value] : table->json().items()) {
        const auto found = std::find_if(spec.parameters.begin(), spec.parameters.end(), [&, &key = name](const auto& p) { return p.name == key; });
        if (found == spec.parameters.end()) {
            return fail(ErrorCode::InvalidSpec, table->pathOf(name) + ": there is no such tuning parameter" + didYouMean(name, parameterNames(spec)));
        }
        WW_TRY(reader, Reader::from(value, table->pathOf(name)));
        reader.noteUnknown({"Site", "Scale", "Label", "Effect"}, spec.notes);
        WW_TRY(site, reader.text({"Site"}));
        if (site) {
            const auto known = space::siteFrom(foldKey(*site));
            if (!known) return fail(ErrorCode::InvalidSpec, reader.pathOf("Site") + " is \"" + *site + "\"; it must be one of macro, constexpr, template, launch, option");
            found->site = *known;
            spec.siteGiven.push_back(name);
        }
        WW_TRY(scale, reader.text({"Scale"}));
        if (scale) {
            const auto known = space::scaleFrom(foldKey(*scale));
            if (!known) return fail(ErrorCode::InvalidSpec, reader.pathOf("Scale") + " is \"" + *scale + "\"; it must be one of ordinal, log2, categorical, boolean");
            found->scale = *known;
        }
        WW_TRY(label, reader.text({"Label"}));
        found->label = label.value_or("");
        WW_TRY(effect, reader.text({"Effect"}));
        found->effect = effect.value_or("");
    }
    return {};
}

Result<std::map<std::string, std::int64_t>> readSizes(const Reader& owner, const Spec& spec) {
    std::map<std::string, std::int64_t> sizes;
    WW_TRY(table, owner.object({"Sizes"}));
    if (!table) return sizes;
    const auto names = parameterNames(spec);
    for (const auto& [name, value] : table->json().items()) {
        const std::string path = table->pathOf(name);
        if (!value.is_number_integer()) return wrongType(path, "an integer", value);
        if (const auto reason = whyNotAName(name); !reason.empty()) return fail(ErrorCode::InvalidSpec, path + " cannot be used as a name: it " + reason);
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            return fail(ErrorCode::InvalidSpec, path + " is a tuning parameter as well; rename one of them");
        }
        sizes[name] = value.get<std::int64_t>();
    }
    return sizes;
}

Result<void> readWorkload(const Reader& reader, std::size_t index, Spec& spec) {
    reader.noteUnknown({"Name", "Weight", "VerifyOnly", "Sizes", "DTypes"}, spec.notes);
    WorkloadSpec workload;
    WW_TRY(name, reader.text({"Name"}));
    workload.name = name.value_or("workload" + std::to_string(index));
    if (spec.findWorkload(workload.name) != nullptr) {
        return fail(ErrorCode::InvalidSpec, reader.pathOf("Name") + ": the workload \"" + workload.name + "\" is given twice; rename one of them");
    }
    WW_TRY(weight, reader.number({"Weight"}));
    workload.weight = weight.value_or(1);
    if (workload.weight < 0) return fail(ErrorCode::InvalidSpec, reader.pathOf("Weight") + " must not be negative");
    WW_TRY(verifyOnly, reader.flag({"VerifyOnly"}));
    workload.verifyOnly = verifyOnly.value_or(false);
    WW_TRY(sizes, readSizes(reader, spec));
    for (const auto& [size, value] : sizes) {
        if (spec.sizes.contains(size)) continue;
        std::vector<std::string> known;
        for (const auto& entry : spec.sizes) known.push_back(entry.first);
        return fail(ErrorCode::InvalidSpec, reader.pathOf("Sizes." + size) + " is not among Warpwright.Sizes; give its usual value there" +
                                                didYouMean(size, known));
    }
    workload.sizes = sizes;
    WW_TRY(types, reader.object({"DTypes"}));
    if (types) {
        for (const auto& [argument, value] : types->json().items()) {
            WW_CHECK(checkArgument(spec, argument, types->pathOf(argument)));
            if (!value.is_string()) return wrongType(types->pathOf(argument), "a type's name", value);
            const auto type = dtypeFrom(value.get<std::string>());
            if (!type) return fail(ErrorCode::InvalidSpec, types->pathOf(argument) + ": there is no type \"" + value.get<std::string>() + "\"");
            workload.dtypes[argument] = *type;
        }
    }
    spec.workloads.push_back(std::move(workload));
    return {};
}

Result<void> readWorkloads(const Reader& section, Spec& spec) {
    WW_TRY(sizes, readSizes(section, spec));
    spec.sizes = sizes;
    WW_TRY(list, section.objects({"Workloads"}));
    for (std::size_t i = 0; i < list.size(); ++i) WW_CHECK(readWorkload(list[i], i, spec));
    WW_TRY(cpu, section.text({"CpuWorkload"}));
    spec.cpuWorkload = cpu.value_or("");
    if (!spec.cpuWorkload.empty() && spec.findWorkload(spec.cpuWorkload) == nullptr) {
        std::vector<std::string> known;
        for (const auto& workload : spec.workloads) known.push_back(workload.name);
        return fail(ErrorCode::InvalidSpec, section.pathOf("CpuWorkload") + ": there is no workload \"" + spec.cpuWorkload + "\"" +
                                                didYouMean(spec.cpuWorkload, known));
    }
    return {};
}

Result<void> readScalars(const Reader& section, Spec& spec) {
    WW_TRY(table, section.object({"Scalars"}));
    if (!table) return {};
    for (const auto& [name, value] : table->json().items()) {
        WW_CHECK(checkArgument(spec, name, table->pathOf(name)));
        WW_TRY(expression, expressionFrom(value, table->pathOf(name)));
        const auto found = std::find_if(spec.arguments.begin(), spec.arguments.end(), [&, &key = name](const auto& a) { return a.name == key; });
        if (found->memory != MemoryKind::Scalar) {
            return fail(ErrorCode::InvalidSpec, table->pathOf(name) + ": this argument is no Scalar; only Scalars have a value of their own");
        }
        found->scalar = expression;
    }
    return {};
}

Result<void> readTorchScript(const Reader& reader, Spec& spec) {
    WW_TRY(lines, reader.texts({"TorchScript"}));
    auto& reference = spec.reference;
    reference.kind = ReferenceKind::TorchScript;
    reference.torchScript.clear();
    for (const auto& line : lines) reference.torchScript += (reference.torchScript.empty() ? "" : "\n") + line;
    WW_TRY(inputs, reader.texts({"Inputs"}));
    WW_TRY(outputs, reader.texts({"Outputs"}));
    reference.inputs = inputs;
    reference.outputs = outputs;
    std::vector<std::string> known = argumentNames(spec);
    for (const auto& size : spec.sizes) known.push_back(size.first);
    for (const auto& input : inputs) {
        if (std::find(known.begin(), known.end(), input) != known.end()) continue;
        return fail(ErrorCode::InvalidSpec, reader.pathOf("Inputs") + ": there is no argument or size \"" + input + "\"" + didYouMean(input, known));
    }
    for (const auto& output : outputs) WW_CHECK(checkArgument(spec, output, reader.pathOf("Outputs")));
    if (!inputs.empty() && !outputs.empty()) return {};
    return fail(ErrorCode::InvalidSpec, reader.pathOf(inputs.empty() ? "Inputs" : "Outputs") +
                                            " is missing; name the arguments or sizes that the TorchScript reference takes or gives");
}

Result<void> readReference(const Reader& section, Spec& spec) {
    WW_TRY(reader, section.object({"Reference"}));
    if (!reader) return {};
    reader->noteUnknown({"TorchScript", "Inputs", "Outputs", "Kernel", "Default"}, spec.notes);
    if (reader->find({"TorchScript"}) != nullptr) return readTorchScript(*reader, spec);
    WW_TRY(kernel, reader->object({"Kernel"}));
    if (!kernel) {
        WW_TRY(original, reader->flag({"Default"}));
        if (!original.value_or(false)) return fail(ErrorCode::InvalidSpec, reader->pathOf("TorchScript") + ", Kernel or Default: true is missing");
        spec.reference.kind = ReferenceKind::Default;
        return {};
    }
    kernel->noteUnknown({"File", "Name", "LocalSize", "GlobalSize"}, spec.notes);
    spec.reference.kind = ReferenceKind::Kernel;
    WW_TRY(file, kernel->text({"File"}));
    WW_TRY(name, kernel->text({"Name"}));
    spec.reference.kernel.file = file.value_or("");
    spec.reference.kernel.name = name.value_or("");
    if (spec.reference.kernel.name.empty()) return fail(ErrorCode::InvalidSpec, kernel->pathOf("Name") + " is missing; name the reference kernel");
    WW_TRY(local, kernel->object({"LocalSize"}));
    WW_TRY(global, kernel->object({"GlobalSize"}));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (local) {
            WW_TRY(size, local->expression({kAxis[axis]}));
            spec.reference.kernel.localSize[axis] = size;
        }
        if (global) {
            WW_TRY(size, global->expression({kAxis[axis]}));
            spec.reference.kernel.globalSize[axis] = size;
        }
    }
    return {};
}

Result<void> readTolerancePair(const Reader& reader, Tolerance& tolerance) {
    for (auto [key, target] : {std::pair{"Relative", &tolerance.relative}, std::pair{"Absolute", &tolerance.absolute}}) {
        WW_TRY(value, reader.number({key}));
        if (value && *value < 0) return fail(ErrorCode::InvalidSpec, reader.pathOf(key) + " must not be negative");
        *target = value;
    }
    return {};
}

Result<void> readTolerance(const Reader& section, Spec& spec) {
    WW_TRY(reader, section.object({"Tolerance"}));
    if (!reader) return {};
    reader->noteUnknown({"Relative", "Absolute", "Outputs", "NaN"}, spec.notes);
    WW_CHECK(readTolerancePair(*reader, spec.tolerance));
    WW_TRY(outputs, reader->object({"Outputs"}));
    if (outputs) {
        for (const auto& [name, value] : outputs->json().items()) {
            WW_CHECK(checkArgument(spec, name, outputs->pathOf(name)));
            WW_TRY(pair, Reader::from(value, outputs->pathOf(name)));
            WW_CHECK(readTolerancePair(pair, spec.tolerance.outputs[name]));
        }
    }
    WW_TRY(nan, reader->text({"NaN"}));
    const auto policy = wordIndex(nan.value_or("forbid"), {"forbid", "match"});
    if (!policy) return fail(ErrorCode::InvalidSpec, reader->pathOf("NaN") + " is \"" + *nan + "\"; it must be one of forbid, match");
    spec.tolerance.nanMatches = *policy == 1;
    return {};
}

Result<void> readLimits(const Reader& section, Spec& spec) {
    WW_TRY(reader, section.object({"Limits"}));
    if (!reader) return {};
    reader->noteUnknown({"TrialSeconds", "CompileSeconds", "DeviceMemoryGrowthMiB"}, spec.notes);
    WW_TRY(trial, reader->number({"TrialSeconds"}));
    WW_TRY(compile, reader->number({"CompileSeconds"}));
    WW_TRY(growth, reader->integer({"DeviceMemoryGrowthMiB"}));
    spec.limits.trialSeconds = trial.value_or(spec.limits.trialSeconds);
    spec.limits.compileSeconds = compile.value_or(spec.limits.compileSeconds);
    spec.limits.deviceMemoryGrowthMiB = growth.value_or(spec.limits.deviceMemoryGrowthMiB);
    if (spec.limits.trialSeconds <= 0) return fail(ErrorCode::InvalidSpec, reader->pathOf("TrialSeconds") + " must be above 0");
    if (spec.limits.compileSeconds <= 0) return fail(ErrorCode::InvalidSpec, reader->pathOf("CompileSeconds") + " must be above 0");
    if (spec.limits.deviceMemoryGrowthMiB < 0) return fail(ErrorCode::InvalidSpec, reader->pathOf("DeviceMemoryGrowthMiB") + " must not be negative");
    return {};
}

/// The least alignment that each buffer may come with, in bytes: a power of two that holds whole elements.
Result<void> readAlignment(const Reader& section, Spec& spec) {
    constexpr std::int64_t kMost = 256;
    WW_TRY(table, section.object({"Alignment"}));
    if (!table) return {};
    for (const auto& [name, value] : table->json().items()) {
        const std::string path = table->pathOf(name);
        WW_CHECK(checkArgument(spec, name, path));
        if (!value.is_number_integer()) return wrongType(path, "a number of bytes", value);
        const auto bytes = value.get<std::int64_t>();
        const auto argument = std::find_if(spec.arguments.begin(), spec.arguments.end(), [&](const auto& one) { return one.name == name; });
        const auto element = static_cast<std::int64_t>(sizeOf(argument->type));
        if (bytes < element || bytes > kMost || (bytes & (bytes - 1)) != 0) {
            return fail(ErrorCode::InvalidSpec, path + " is " + std::to_string(bytes) + "; it must be a power of two from " + std::to_string(element) +
                                                    " (one element) to " + std::to_string(kMost));
        }
        argument->alignment = static_cast<std::uint32_t>(bytes);
    }
    return {};
}

Result<void> readEntry(const Reader& section, Spec& spec) {
    WW_TRY(reader, section.object({"Entry"}));
    if (!reader) return {};
    reader->noteUnknown({"TemplateArguments", "DynamicSharedBytes", "Cluster", "Cooperative"}, spec.notes);
    WW_TRY(arguments, reader->texts({"TemplateArguments"}));
    spec.templateArguments = arguments;
    WW_TRY(shared, reader->expression({"DynamicSharedBytes"}));
    if (shared) {
        if (spec.sharedMemory && spec.sharedMemory->text() != shared->text()) {
            spec.notes.push_back("SharedMemory (" + spec.sharedMemory->text() + ") is ignored: " + reader->pathOf("DynamicSharedBytes") + " wins");
        }
        spec.sharedMemory = shared;
    }
    WW_TRY(cluster, reader->object({"Cluster"}));
    if (cluster) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            WW_TRY(size, cluster->expression({kAxis[axis]}));
            spec.cluster[axis] = size;
        }
    }
    WW_TRY(cooperative, reader->flag({"Cooperative"}));
    spec.cooperative = cooperative.value_or(false);
    return {};
}

}  // namespace

Result<void> readWarpwright(const Reader& root, Spec& spec) {
    WW_TRY(section, root.object({"Warpwright"}));
    if (!section) return {};
    section->noteUnknown({"Version", "Title", "About", "Parameters", "Sizes", "Workloads", "CpuWorkload", "Scalars", "Reference", "Tolerance",
                          "Alignment", "GradientCheck", "Work", "Objective", "Include", "Limits", "Entry"},
                         spec.notes);
    WW_TRY(version, section->integer({"Version"}));
    if (version.value_or(1) != 1) {
        return fail(ErrorCode::InvalidSpec, section->pathOf("Version") + " is " + std::to_string(*version) + "; this program reads version 1, so get a newer one");
    }
    WW_TRY(title, section->text({"Title"}));
    spec.title = title.value_or("");
    WW_TRY(about, section->text({"About"}));
    spec.about = about.value_or("");
    WW_CHECK(readParameters(*section, spec));
    WW_CHECK(readWorkloads(*section, spec));
    WW_CHECK(readScalars(*section, spec));
    WW_CHECK(readReference(*section, spec));
    WW_CHECK(readTolerance(*section, spec));
    WW_CHECK(readAlignment(*section, spec));
    WW_TRY(gradient, section->flag({"GradientCheck"}));
    spec.gradientCheck = gradient.value_or(false);
    WW_TRY(work, section->object({"Work"}));
    if (work) {
        work->noteUnknown({"Bytes", "Flops"}, spec.notes);
        WW_TRY(bytes, work->expression({"Bytes"}));
        WW_TRY(flops, work->expression({"Flops"}));
        spec.workBytes = bytes;
        spec.workFlops = flops;
    }
    WW_TRY(objective, section->text({"Objective"}));
    spec.objective = objective.value_or("composite");
    WW_TRY(include, section->texts({"Include"}));
    for (const auto& folder : include) spec.includeFolders.push_back((spec.folder / folder).lexically_normal());
    WW_CHECK(readLimits(*section, spec));
    return readEntry(*section, spec);
}

}  // namespace ww::spec
