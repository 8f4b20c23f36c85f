// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

namespace fs = std::filesystem;

Result<void> checkData(const Spec& spec, const ArgumentSpec& argument) {
    const std::string who = "argument \"" + argument.name + "\"";
    if (!elementTypeFrom(argument.typeName)) {
        return fail(ErrorCode::Unsupported, who + " has the type \"" + argument.typeName + "\", which is no scalar or vector type; only such arguments can be filled and compared");
    }
    if (argument.memory != MemoryKind::Scalar && argument.memory != MemoryKind::Symbol && !argument.size && argument.extents.empty()) {
        return fail(ErrorCode::InvalidSpec, who + " has no Size; give its number of elements");
    }
    switch (argument.fill) {
    case Fill::Generator:
        if (argument.generator) return {};
        return fail(ErrorCode::Unsupported, who + " is made by foreign code (Generator \"" + argument.dataSource.substr(0, 60) +
                                                "\"), which is not run; give FillType Random, Constant, BinaryRaw, or a Generator that is an expression in i");
    case Fill::Script:
        return fail(ErrorCode::Unsupported, who + " is made by a script (" + argument.dataSource.substr(0, 60) +
                                                "), which is not run; write its bytes to a file and use FillType BinaryRaw");
    case Fill::BinaryRaw: {
        WW_TRY(file, dataFileInside(spec.folder, argument.dataSource));
        std::error_code failed;
        if (!fs::is_regular_file(file, failed)) return fail(ErrorCode::NotFound, "the data file of " + who + " is not there", file.string());
        return {};
    }
    case Fill::Constant:
    case Fill::Random: return {};
    }
    return {};
}

Result<void> checkLaunch(const Spec& spec) {
    if (!spec.localSize[0]) return fail(ErrorCode::InvalidSpec, "KernelSpecification.LocalSize.X is missing; give the threads of a block");
    bool grid = spec.globalSize[0].has_value() || !spec.problemSize.empty();
    if (!grid) return fail(ErrorCode::InvalidSpec, "the grid is missing; give KernelSpecification.GlobalSize, or ProblemSize with GridDivX");
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!spec.gridDivisors[axis].empty() && axis >= spec.problemSize.size()) {
            return fail(ErrorCode::InvalidSpec, std::string("KernelSpecification.GridDiv") + kAxis[axis] + " needs ProblemSize[" + std::to_string(axis) + "]; give it");
        }
    }
    return {};
}

Result<void> checkReference(const Spec& spec) {
    const bool output = std::any_of(spec.arguments.begin(), spec.arguments.end(), [](const auto& a) { return a.output; });
    if (!output) {
        return fail(ErrorCode::InvalidSpec, "no argument is an output, so no result could be checked; mark one with \"Output\": 1 or AccessType WriteOnly");
    }
    for (const auto& name : spec.reference.outputs) {
        if (spec.findArgument(name)->output) continue;
        return fail(ErrorCode::InvalidSpec, "the reference gives \"" + name + "\", which is no output; mark it with \"Output\": 1");
    }
    if (spec.reference.kind == ReferenceKind::Kernel && !spec.reference.kernel.file.empty()) {
        const fs::path file = spec.folder / spec.reference.kernel.file;
        std::error_code failed;
        if (!fs::is_regular_file(file, failed)) return fail(ErrorCode::NotFound, "the reference kernel's file is not there", file.string());
    }
    if (spec.reference.kind != ReferenceKind::Arguments) return {};
    for (const auto& argument : spec.reference.arguments) {
        if (argument.fill == Fill::BinaryRaw) WW_CHECK(dataFileInside(spec.folder, argument.dataSource));
    }
    return {};
}

}  // namespace

Result<void> checkTunable(const Spec& spec) {
    if (foldKey(spec.language) != "cuda") {
        return fail(ErrorCode::Unsupported, "the kernel's language is " + spec.language + "; only CUDA kernels can be tuned", spec.file.string());
    }
    if (spec.kernelFile.empty()) {
        return fail(ErrorCode::InvalidSpec, "the spec names no kernel file; give KernelSpecification.KernelFile", spec.file.string());
    }
    std::error_code failed;
    if (!fs::is_regular_file(spec.kernelFile, failed)) {
        return fail(ErrorCode::NotFound, "the kernel's file is not there; KernelSpecification.KernelFile is relative to the spec's folder", spec.kernelFile.string());
    }
    const auto inSpec = [&](Result<void> checked) -> Result<void> {
        if (checked || !checked.error().context.empty()) return checked;
        Error error = std::move(checked).error();
        error.context = spec.file.string();
        return fail(std::move(error));
    };
    WW_CHECK(inSpec(checkLaunch(spec)));
    if (spec.arguments.empty()) {
        return fail(ErrorCode::InvalidSpec, "KernelSpecification.Arguments is missing or empty; list the kernel's arguments in their order", spec.file.string());
    }
    for (const auto& argument : spec.arguments) WW_CHECK(inSpec(checkData(spec, argument)));
    return inSpec(checkReference(spec));
}

}  // namespace ww::spec
