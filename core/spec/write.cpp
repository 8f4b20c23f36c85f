// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

namespace fs = std::filesystem;
using OptionalExpression = std::optional<expr::Expression>;

const char* text(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::Scalar: return "Scalar";
    case MemoryKind::Vector: return "Vector";
    case MemoryKind::Local: return "Local";
    case MemoryKind::Symbol: return "Symbol";
    case MemoryKind::Texture: return "Texture";
    }
    return "Vector";
}

const char* text(Access access) {
    switch (access) {
    case Access::ReadOnly: return "ReadOnly";
    case Access::WriteOnly: return "WriteOnly";
    case Access::ReadWrite: return "ReadWrite";
    }
    return "ReadOnly";
}

const char* text(Fill fill) {
    switch (fill) {
    case Fill::Constant: return "Constant";
    case Fill::Random: return "Random";
    case Fill::BinaryRaw: return "BinaryRaw";
    case Fill::Generator: return "Generator";
    case Fill::Script: return "Script";
    }
    return "Constant";
}

const char* text(TextureAddress address) {
    switch (address) {
    case TextureAddress::Clamp: return "Clamp";
    case TextureAddress::Wrap: return "Wrap";
    case TextureAddress::Mirror: return "Mirror";
    case TextureAddress::Border: return "Border";
    }
    return "Clamp";
}

Json textureJson(const TextureSampling& sampling) {
    return {{"Filter", sampling.filter == TextureFilter::Linear ? "Linear" : "Point"},
            {"Address", text(sampling.address)},
            {"Normalized", sampling.normalized},
            {"Read", sampling.read == TextureRead::NormalizedFloat ? "NormalizedFloat" : "Element"}};
}

/// Whole numbers without a fraction, as people write them.
Json number(double value) {
    if (const auto whole = wholeNumber(expr::Value(value)); whole && std::abs(*whole) < (std::int64_t{1} << 53)) return *whole;
    return value;
}

/// 4096 for "4096", else the expression's text.
Json sizeJson(const std::string& expression) {
    const bool digits = !expression.empty() && expression.size() < 18 && expression.find_first_not_of("0123456789") == std::string::npos;
    return digits ? Json(std::stoll(expression)) : Json(expression);
}

Json texts(const std::vector<expr::Expression>& expressions) {
    Json list = Json::array();
    for (const auto& expression : expressions) list.push_back(expression.text());
    return list;
}

Json dimensions(const std::array<OptionalExpression, 3>& sizes) {
    Json object = Json::object();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (sizes[axis]) object[kAxis[axis]] = sizes[axis]->text();
    }
    return object;
}

std::string relativeTo(const fs::path& folder, const fs::path& path) {
    const fs::path relative = path.lexically_relative(folder);
    return (relative.empty() ? path : relative).generic_string();
}

const char* typeWord(const space::Parameter& parameter) {
    const auto all = [&](auto&& test) { return std::all_of(parameter.values.begin(), parameter.values.end(), test); };
    if (all([](const auto& v) { return v.isBool(); })) return "bool";
    if (all([](const auto& v) { return v.isInt(); })) return "int";
    return all([](const auto& v) { return v.isNumber(); }) ? "float" : "string";
}

Json spaceJson(const Spec& spec) {
    Json parameters = Json::array();
    for (const auto& parameter : spec.parameters) {
        std::string values;
        for (const auto& value : parameter.values) values += (values.empty() ? "" : ", ") + value.repr();
        Json object{{"Name", parameter.name}, {"Type", typeWord(parameter)}, {"Values", "[" + values + "]"}};
        const bool missing = std::find(spec.defaultMissing.begin(), spec.defaultMissing.end(), parameter.name) != spec.defaultMissing.end();
        const auto& preset = parameter.values[parameter.defaultIndex];
        // A tuple would read as its own one-element list, a string as an expression: both as Python text.
        if (!missing) object["Default"] = preset.isTuple() ? Json::array({preset.toJson()}) : preset.toJson();
        parameters.push_back(std::move(object));
    }
    Json conditions = Json::array();
    for (const auto& condition : spec.conditions) {
        conditions.push_back({{"Expression", condition.text}, {"Parameters", condition.parameters}});
    }
    return {{"TuningParameters", parameters}, {"Conditions", conditions}};
}

Json argumentJson(const ArgumentSpec& argument) {
    Json object{{"Name", argument.name}, {"Type", argument.typeName}, {"MemoryType", text(argument.memory)}, {"AccessType", text(argument.access)}};
    if (!argument.sizeText.empty()) object["Size"] = sizeJson(argument.sizeText);
    for (const auto& extent : argument.extents) object["Size"].push_back(sizeJson(extent.text()));
    if (argument.memory == MemoryKind::Texture) object["Texture"] = textureJson(argument.sampling);
    object["FillType"] = text(argument.fill);
    if (argument.fill == Fill::Constant || argument.fill == Fill::Random) object["FillValue"] = number(argument.fillValue);
    if (!argument.dataSource.empty()) object["DataSource"] = argument.dataSource;
    if (argument.memory == MemoryKind::Vector || argument.memory == MemoryKind::Symbol) object["Output"] = argument.output ? 1 : 0;
    return object;
}

Json referenceArgumentsJson(const Spec& spec) {
    Json list = Json::array();
    for (const auto& reference : spec.reference.arguments) {
        Json object{{"Name", reference.target + "_reference"}, {"TargetName", reference.target}, {"FillType", text(reference.fill)}};
        if (reference.fill == Fill::Constant || reference.fill == Fill::Random) object["FillValue"] = number(reference.fillValue);
        if (!reference.dataSource.empty()) object["DataSource"] = reference.dataSource;
        if (!reference.method.empty()) object["ValidationMethod"] = reference.method;
        if (reference.threshold != 0) object["ValidationThreshold"] = reference.threshold;
        list.push_back(std::move(object));
    }
    return list;
}

Json kernelJson(const Spec& spec) {
    Json kernel{{"Language", spec.language}, {"KernelName", spec.kernelName}};
    if (!spec.kernelFile.empty()) kernel["KernelFile"] = relativeTo(spec.folder, spec.kernelFile);
    if (!spec.compilerOptions.empty()) kernel["CompilerOptions"] = spec.compilerOptions;
    kernel["GlobalSizeType"] = spec.globalSizeIsThreads ? "OpenCL" : "CUDA";
    if (spec.localSize[0] || spec.localSize[1] || spec.localSize[2]) kernel["LocalSize"] = dimensions(spec.localSize);
    if (spec.globalSize[0] || spec.globalSize[1] || spec.globalSize[2]) kernel["GlobalSize"] = dimensions(spec.globalSize);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!spec.gridDivisors[axis].empty()) kernel[std::string("GridDiv") + kAxis[axis]] = texts(spec.gridDivisors[axis]);
    }
    if (!spec.problemSize.empty()) {
        Json list = Json::array();
        for (const auto& size : spec.problemSize) list.push_back(sizeJson(size.text()));
        kernel["ProblemSize"] = std::move(list);
    }
    if (spec.sharedMemory) kernel["SharedMemory"] = sizeJson(spec.sharedMemory->text());
    kernel["Arguments"] = Json::array();
    for (const auto& argument : spec.arguments) kernel["Arguments"].push_back(argumentJson(argument));
    if (!spec.reference.arguments.empty()) kernel["ReferenceArguments"] = referenceArgumentsJson(spec);
    return kernel;
}

Json parametersJson(const Spec& spec) {
    Json table = Json::object();
    for (const auto& parameter : spec.parameters) {
        Json object = Json::object();
        const bool siteGiven = std::find(spec.siteGiven.begin(), spec.siteGiven.end(), parameter.name) != spec.siteGiven.end();
        if (siteGiven) object["Site"] = space::toString(parameter.site);
        if (parameter.scale != proposedScale(parameter.values)) object["Scale"] = space::toString(parameter.scale);
        if (!parameter.label.empty()) object["Label"] = parameter.label;
        if (!parameter.effect.empty()) object["Effect"] = parameter.effect;
        if (!object.empty()) table[parameter.name] = std::move(object);
    }
    return table;
}

Json workloadsJson(const Spec& spec) {
    Json list = Json::array();
    for (const auto& workload : spec.workloads) {
        Json object{{"Name", workload.name}, {"Weight", number(workload.weight)}};
        if (workload.verifyOnly) object["VerifyOnly"] = true;
        if (!workload.sizes.empty()) object["Sizes"] = workload.sizes;
        for (const auto& [argument, type] : workload.dtypes) object["DTypes"][argument] = toString(type);
        list.push_back(std::move(object));
    }
    return list;
}

Json referenceJson(const ReferenceSpec& reference) {
    if (reference.kind == ReferenceKind::TorchScript) {
        return {{"TorchScript", reference.torchScript}, {"Inputs", reference.inputs}, {"Outputs", reference.outputs}};
    }
    if (reference.kind == ReferenceKind::Default) return {{"Default", true}};
    Json kernel{{"File", reference.kernel.file}, {"Name", reference.kernel.name}};
    if (Json local = dimensions(reference.kernel.localSize); !local.empty()) kernel["LocalSize"] = std::move(local);
    if (Json global = dimensions(reference.kernel.globalSize); !global.empty()) kernel["GlobalSize"] = std::move(global);
    return {{"Kernel", std::move(kernel)}};
}

/// Whether it only repeats what ReferenceArguments say.
bool isDerived(const Spec& spec, const std::string& output, const Tolerance& tolerance) {
    if (spec.reference.kind != ReferenceKind::Arguments) return false;
    return std::any_of(spec.reference.arguments.begin(), spec.reference.arguments.end(),
                       [&](const auto& reference) { return reference.target == output && toleranceOf(reference) == std::optional(tolerance); });
}

Json toleranceJson(const Spec& spec) {
    const ToleranceSpec& tolerance = spec.tolerance;
    const auto pair = [](const Tolerance& from, Json& to) {
        if (from.relative) to["Relative"] = *from.relative;
        if (from.absolute) to["Absolute"] = *from.absolute;
    };
    Json object = Json::object();
    pair(tolerance, object);
    for (const auto& [name, own] : tolerance.outputs) {
        if (isDerived(spec, name, own)) continue;
        object["Outputs"][name] = Json::object();
        pair(own, object["Outputs"][name]);
    }
    if (tolerance.nanMatches) object["NaN"] = "match";
    return object;
}

Json entryJson(const Spec& spec) {
    Json entry = Json::object();
    if (!spec.templateArguments.empty()) entry["TemplateArguments"] = spec.templateArguments;
    if (Json cluster = dimensions(spec.cluster); !cluster.empty()) entry["Cluster"] = std::move(cluster);
    if (spec.cooperative) entry["Cooperative"] = true;
    return entry;
}

Json limitsJson(const LimitsSpec& limits) {
    const LimitsSpec usual;
    Json object = Json::object();
    if (limits.trialSeconds != usual.trialSeconds) object["TrialSeconds"] = number(limits.trialSeconds);
    if (limits.compileSeconds != usual.compileSeconds) object["CompileSeconds"] = number(limits.compileSeconds);
    if (limits.deviceMemoryGrowthMiB != usual.deviceMemoryGrowthMiB) object["DeviceMemoryGrowthMiB"] = limits.deviceMemoryGrowthMiB;
    return object;
}

Json sectionJson(const Spec& spec) {
    Json section{{"Version", 1}};
    const auto put = [&](const char* key, Json value) {
        if (!value.empty()) section[key] = std::move(value);
    };
    if (!spec.title.empty()) section["Title"] = spec.title;
    if (!spec.about.empty()) section["About"] = spec.about;
    put("Parameters", parametersJson(spec));
    put("Sizes", spec.sizes);
    put("Workloads", workloadsJson(spec));
    if (!spec.cpuWorkload.empty()) section["CpuWorkload"] = spec.cpuWorkload;
    for (const auto& argument : spec.arguments) {
        if (argument.memory == MemoryKind::Scalar && argument.scalar) section["Scalars"][argument.name] = sizeJson(argument.scalar->text());
    }
    if (spec.reference.kind != ReferenceKind::Arguments) section["Reference"] = referenceJson(spec.reference);
    put("Tolerance", toleranceJson(spec));
    for (const auto& argument : spec.arguments) {
        if (argument.alignment > 0) section["Alignment"][argument.name] = argument.alignment;
    }
    if (spec.gradientCheck) section["GradientCheck"] = true;
    if (spec.workBytes) section["Work"]["Bytes"] = spec.workBytes->text();
    if (spec.workFlops) section["Work"]["Flops"] = spec.workFlops->text();
    if (spec.objective != "composite") section["Objective"] = spec.objective;
    Json include = Json::array();
    for (const auto& folder : spec.includeFolders) include.push_back(relativeTo(spec.folder, folder));
    put("Include", std::move(include));
    put("Limits", limitsJson(spec.limits));
    put("Entry", entryJson(spec));
    return section;
}

}  // namespace

Json toT1(const Spec& spec) {
    Json document = Json::object();
    document["General"] = {{"BenchmarkName", spec.name}, {"OutputFormat", "JSON"}};
    document["ConfigurationSpace"] = spaceJson(spec);
    document["KernelSpecification"] = kernelJson(spec);
    document["Warpwright"] = sectionJson(spec);
    return document;
}

}  // namespace ww::spec
