// SPDX-License-Identifier: Apache-2.0
#include "spec/from_pragma.h"

#include <algorithm>

#include "spec/proposer.h"

namespace ww::spec {
namespace {

void takeParameters(const PragmaKernel& kernel, const source::SourceModel& model, Spec& spec) {
    for (const auto& given : kernel.parameters) {
        space::Parameter parameter;
        parameter.name = given.name;
        parameter.values = given.values;
        parameter.defaultIndex = given.defaultIndex;
        parameter.scale = proposedScale(parameter.values);
        // A name that stands in pragmas alone must not become a macro of the compile.
        const auto known = model.declared.contains(given.name) || model.findParameter(given.name) != nullptr;
        const auto used = model.identifiers.find(given.name);
        if (!known && used == model.identifiers.end()) {
            parameter.site = space::Site::Launch;
            spec.siteGiven.push_back(given.name);
        }
        spec.parameters.push_back(std::move(parameter));
    }
}

Result<std::vector<expr::Expression>> parsedAll(const std::vector<std::string>& texts) {
    std::vector<expr::Expression> all;
    for (const auto& text : texts) {
        WW_TRY(one, expr::Expression::parse(text));
        all.push_back(one);
    }
    return all;
}

Result<void> takeLaunch(const PragmaKernel& kernel, const std::string& place, Spec& spec) {
    WW_TRY(problem, parsedAll(kernel.problemSize));
    WW_TRY(block, parsedAll(kernel.blockSize));
    WW_TRY(grid, parsedAll(kernel.gridSize));
    WW_TRY(divisors, parsedAll(kernel.gridDivisors));
    if (block.empty()) return fail(ErrorCode::InvalidSpec, "the block is missing; add #pragma kernel block_size(...)", place);
    if (problem.empty() && grid.empty()) {
        return fail(ErrorCode::InvalidSpec, "the grid is missing; add #pragma kernel problem_size(...), or grid_size(...)", place);
    }
    spec.problemSize = problem;
    std::copy(block.begin(), block.end(), spec.localSize.begin());
    std::copy(grid.begin(), grid.end(), spec.globalSize.begin());
    WW_TRY(one, expr::Expression::parse("1"));
    for (std::size_t axis = 0; grid.empty() && axis < problem.size(); ++axis) {
        const auto& given = divisors.empty() ? block : divisors;
        spec.gridDivisors[axis] = {axis < given.size() ? given[axis] : one};
    }
    if (kernel.sharedMemory.empty()) return {};
    WW_TRY(shared, expr::Expression::parse(kernel.sharedMemory));
    spec.sharedMemory = shared;
    return {};
}

/// A text that is a constant becomes what C++ shall see of it; anything else stays an expression over parameters.
Result<std::string> templateText(const PragmaValue& value) {
    WW_TRY(parsed, expr::Expression::parse(value.text));
    if (!parsed.names().empty()) return value.text;
    WW_TRY(constant, parsed.evaluate(expr::Scope{}));
    return constant.display();
}

Result<void> takeArguments(const PragmaKernel& kernel, const source::SourceModel& model, Spec& spec) {
    const source::Entry& entry = model.entries[kernel.entry];
    Proposer proposer(model, entry, spec);
    for (const auto& [name, type] : kernel.types) {
        proposer.setType(name, type);
        spec.notes.push_back(name + " is " + type + "; set(" + name + " = \"double\") in a pragma names another type");
    }
    for (const auto& name : kernel.usedArguments) proposer.addSize(name);
    for (const auto& [name, elements] : kernel.buffers) proposer.setElements(name, elements);
    for (const auto& [name, value] : kernel.variables) {
        WW_TRY(text, templateText(value));
        const bool isArgument = std::any_of(entry.arguments.begin(), entry.arguments.end(), [&key = name](const auto& a) { return a.name == key && !a.pointer; });
        const auto type = value.type == PragmaValue::Type::Text && elementTypeFrom(text);
        if (type) proposer.setType(name, text);
        proposer.setValue(name, isArgument ? value.text : text);
    }
    for (const auto& parameter : kernel.parameters) {
        const bool ofArgument = std::any_of(entry.arguments.begin(), entry.arguments.end(), [&](const auto& a) { return a.type == parameter.name; });
        if (!ofArgument) continue;
        return fail(ErrorCode::InvalidSpec, "the tuned type \"" + parameter.name + "\" is the type of an argument, so the data would differ between configurations; "
                                            "give it one type with #pragma kernel set(" + parameter.name + " = \"float\")",
                    model.path.string() + ", line " + std::to_string(entry.line));
    }
    WW_CHECK(proposer.arguments());
    proposer.giveSizesValues();
    return proposer.templateArguments();
}

}  // namespace

Result<Spec> fromPragmas(const source::SourceModel& model, const PragmaKernel& kernel, Spec spec) {
    const source::Entry& entry = model.entries[kernel.entry];
    const std::string place = model.path.string() + ", line " + std::to_string(entry.line);
    spec.kernelName = shortestName(model, entry);
    spec.name = kernel.tuningKey.empty() ? entry.name : kernel.tuningKey;
    spec.title = entry.name;
    spec.notes = kernel.notes;
    if (kernel.parameters.empty()) return fail(ErrorCode::InvalidSpec, "the pragmas tune nothing; add #pragma kernel tune(NAME = 32, 64, ...)", place);
    takeParameters(kernel, model, spec);
    for (const auto& text : kernel.restrictions) spec.conditions.push_back({text, {}});
    WW_CHECK(takeLaunch(kernel, place, spec));
    WW_CHECK(takeArguments(kernel, model, spec));
    spec.notes.emplace_back("the kernel at its defaults is the reference: results are checked for sameness only");
    resolve(spec, model);
    return spec;
}

}  // namespace ww::spec
