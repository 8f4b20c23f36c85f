// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

/// Every key is used, told as meant for other tuners, or told as unknown. Types are checked where the keys are used.
Result<void> noteKeys(const Reader& root, Spec& spec) {
    std::vector<std::string> ignored;
    root.noteUnknown({"General", "ConfigurationSpace", "KernelSpecification", "ProblemSize", "Warpwright"},
                     {"Search", "Budget", "BenchmarkConfig", "Verification", "Metadata"}, spec.notes, ignored);
    WW_TRY(general, root.object({"General"}));
    if (general) {
        general->noteUnknown({"BenchmarkName", "OutputFormat", "FormatVersion"},
                             {"LoggingLevel", "TimeUnit", "OutputFile", "Objective", "Minimize", "BenchmarksPath"}, spec.notes, ignored);
    }
    WW_TRY(space, root.object({"ConfigurationSpace"}));
    if (space) {
        space->noteUnknown({"TuningParameters", "Conditions", "Constraints", "Restrictions"}, spec.notes);
        WW_TRY(parameters, space->objects({"TuningParameters"}));
        for (const auto& parameter : parameters) parameter.noteUnknown({"Name", "Type", "Values", "Default", "DefaultValue"}, spec.notes);
    }
    WW_TRY(kernel, root.object({"KernelSpecification"}));
    if (kernel) {
        kernel->noteUnknown({"Language", "BenchmarkName", "KernelName", "KernelFile", "CompilerOptions", "LocalSize", "BlockSize", "GlobalSize", "GridSize",
                             "GlobalSizeType", "GridDivX", "GridDivY", "GridDivZ", "ProblemSize", "SharedMemory", "Arguments", "ReferenceArguments"},
                            {"Device", "Profiling", "Stream", "SimulationInput", "Misc", "SharedMemoryOriginal", "BenchmarkPath"}, spec.notes, ignored);
        WW_TRY(arguments, kernel->objects({"Arguments"}));
        for (const auto& argument : arguments) {
            argument.noteUnknown({"Name", "Type", "MemoryType", "MemType", "Size", "Length", "FillType", "FillValue", "Value", "DataSource", "AccessType", "Output", "TypeSize",
                                  "Texture"},
                                 {"RandomSeed"}, spec.notes, ignored);
        }
        WW_TRY(references, kernel->objects({"ReferenceArguments"}));
        for (const auto& reference : references) {
            reference.noteUnknown({"Name", "TargetName", "FillType", "FillValue", "Value", "DataSource", "ValidationMethod", "ValidationThreshold"}, {"RandomSeed"},
                                  spec.notes, ignored);
        }
    }
    std::string list;
    for (const auto& key : ignored) list += (list.empty() ? "" : ", ") + key;
    if (!list.empty()) spec.notes.push_back("meant for other tuners and not used here: " + list);
    return {};
}

Result<Spec> parseDocument(const Json& document, const std::filesystem::path& file) {
    WW_TRY(root, Reader::from(document, ""));
    Spec spec;
    spec.file = file;
    spec.folder = std::filesystem::absolute(file).parent_path();
    WW_TRY(general, root.object({"General"}));
    if (general) {
        WW_TRY(benchmark, general->text({"BenchmarkName"}));
        spec.name = benchmark.value_or("");
    }
    WW_CHECK(noteKeys(root, spec));
    WW_CHECK(readSpace(root, spec));
    WW_CHECK(readKernel(root, spec));
    WW_CHECK(readWarpwright(root, spec));
    WW_CHECK(finishSpec(spec));
    return spec;
}

Result<void> checkConditions(const Spec& spec) {
    const auto known = knownNames(spec);
    for (std::size_t i = 0; i < spec.conditions.size(); ++i) {
        const auto& condition = spec.conditions[i];
        const std::string where = "Conditions[" + std::to_string(i) + "] \"" + condition.text + "\": ";
        auto parsed = expr::Expression::parse(condition.text);
        if (!parsed) {
            Error error = std::move(parsed).error();
            error.message = where + error.message;
            return fail(std::move(error));
        }
        for (const auto& name : parsed->names()) {
            if (std::find(known.begin(), known.end(), name) != known.end()) continue;
            const std::string nearest = expr::nearestName(name, known);
            return fail(ErrorCode::InvalidExpression, where + "there is no parameter or size \"" + name + "\"" +
                                                          (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
        }
    }
    return {};
}

/// A Generator may name the element's index i and sizes; one with other names is foreign code.
void dropForeignGenerators(Spec& spec) {
    for (auto& argument : spec.arguments) {
        if (!argument.generator) continue;
        const auto& names = argument.generator->names();
        const bool own = std::all_of(names.begin(), names.end(), [&](const auto& name) { return name == "i" || spec.sizes.contains(name); });
        if (!own) argument.generator.reset();
    }
}

/// GridDiv and GlobalSize compared at the default configuration and the first workload. What cannot be evaluated is left
/// for resolveLaunch() to tell.
void noteGridDisagreement(Spec& spec) {
    expr::Scope scope;
    for (const auto& parameter : spec.parameters) scope.set(parameter.name, parameter.values[parameter.defaultIndex]);
    if (!setWorkloadNames(spec, spec.workloads.front(), scope)) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (spec.gridDivisors[axis].empty() || !spec.globalSize[axis] || axis >= spec.problemSize.size()) continue;
        std::int64_t block = 1;
        if (spec.localSize[axis]) {
            const auto size = spec.localSize[axis]->evaluate(scope);
            const auto whole = size ? wholeNumber(*size) : std::nullopt;
            if (!whole || *whole <= 0) continue;
            block = *whole;
        }
        const auto divided = gridFromDivisors(spec, axis, scope);
        const auto global = gridFromGlobalSize(spec, axis, block, scope);
        if (divided && global && *divided == *global) continue;
        const std::string key = std::string("GlobalSize.") + kAxis[axis];
        const std::string gives = global ? "gives " + std::to_string(*global) : std::string("gives no whole number of");
        const std::string other = divided ? std::to_string(*divided) : std::string("another number");
        spec.notes.push_back(key + " (" + spec.globalSize[axis]->text() + ") is ignored: it " + gives + " blocks at the defaults where GridDiv" +
                             kAxis[axis] + " gives " + other + "; GridDiv" + kAxis[axis] + " wins");
    }
}

}  // namespace

std::vector<std::string> knownNames(const Spec& spec) {
    std::vector<std::string> names;
    for (const auto& parameter : spec.parameters) names.push_back(parameter.name);
    for (const auto& size : spec.sizes) names.push_back(size.first);
    if (!spec.problemSize.empty()) names.emplace_back("ProblemSize");
    static constexpr const char* kProblem[] = {"problem_size_x", "problem_size_y", "problem_size_z"};
    for (std::size_t axis = 0; axis < spec.problemSize.size(); ++axis) names.emplace_back(kProblem[axis]);
    const auto& facts = deviceFactNames();
    names.insert(names.end(), facts.begin(), facts.end());
    return names;
}

Result<void> finishSpec(Spec& spec) {
    if (spec.name.empty()) spec.name = spec.kernelName;
    if (spec.name.empty()) spec.name = spec.file.stem().string();
    const bool tuned = std::any_of(spec.workloads.begin(), spec.workloads.end(), [](const auto& w) { return !w.verifyOnly; });
    if (!tuned) {
        WorkloadSpec plain;
        if (spec.findWorkload(plain.name) != nullptr) {
            return fail(ErrorCode::InvalidSpec, "Warpwright.Workloads has nothing to tune: every workload is VerifyOnly; add one that is not");
        }
        spec.workloads.insert(spec.workloads.begin(), plain);
    }
    dropForeignGenerators(spec);
    WW_CHECK(checkConditions(spec));
    noteGridDisagreement(spec);
    return {};
}

Result<Spec> parse(std::string_view text, const std::filesystem::path& file) {
    WW_TRY(document, parseJson(text, file.string()));
    auto spec = parseDocument(document, file);
    if (spec) return spec;
    Error error = std::move(spec).error();
    error.context = file.string() + (error.context.empty() ? "" : ", " + error.context);
    return fail(std::move(error));
}

const ArgumentSpec* Spec::findArgument(std::string_view argument) const noexcept {
    const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) { return a.name == argument; });
    return found == arguments.end() ? nullptr : &*found;
}

const WorkloadSpec* Spec::findWorkload(std::string_view workload) const noexcept {
    const auto found = std::find_if(workloads.begin(), workloads.end(), [&](const auto& w) { return w.name == workload; });
    return found == workloads.end() ? nullptr : &*found;
}

}  // namespace ww::spec
