// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "commands.h"
#include "compile/toolkit.h"
#include "output.h"
#include "source/host_code.h"
#include "source/include_scan.h"
#include "source/source_model.h"
#include "spec/left_alone.h"

namespace ww::cli {
namespace {

using source::SourceModel;

struct SourceFlags {
    std::string file;
    bool json = false;
};

void title(const std::string& text) { std::cout << '\n' << paint(text, "bold") << '\n'; }

std::string joined(const std::vector<expr::Value>& values) {
    std::string out;
    for (const auto& value : values) out += (out.empty() ? "" : ", ") + value.display();
    return out;
}

void printEntries(const SourceModel& model) {
    title("Kernels");
    Table table({">line", "kernel", "template parameters", "launch bounds", "notes"});
    for (const auto& entry : model.entries) {
        std::string parameters;
        for (const auto& parameter : entry.templateParameters) {
            parameters += (parameters.empty() ? "" : ", ") + parameter.type + " " + parameter.name +
                          (parameter.defaultText ? " = " + *parameter.defaultText : "");
        }
        std::string notes = entry.externC ? "extern \"C\"" : "";
        if (!entry.configurations.empty()) notes = std::to_string(entry.configurations.size()) + " autotune configurations";
        table.add({std::to_string(entry.line), entry.signature(), parameters, entry.launchBounds, notes});
    }
    table.print();
}

void printParameters(const SourceModel& model) {
    if (model.parameters.empty()) return;
    title("Parameters");
    Table table({">line", "name", "kind", "value", "proposed values", "why not"});
    for (const auto& site : model.parameters) {
        const bool proposed = model.language == source::Language::Cuda && site.tunable && !site.proposedValues.empty();
        const std::string alone = proposed ? spec::whyLeftAlone(site) : std::string();  // `tune` shall do what stands here
        table.add({std::to_string(site.line), site.name, std::string(toString(site.kind)), site.text,
                   alone.empty() ? joined(site.proposedValues) : std::string(), alone.empty() ? site.whyNot : alone});
    }
    table.print();
}

std::string strideOf(const source::MemoryAccess& access) {
    if (access.pattern != source::Pattern::Strided) return {};
    return access.stride ? std::to_string(*access.stride) : access.strideText;
}

void printAccesses(const source::FunctionModel& function) {
    if (function.accesses.empty()) return;
    Table table({">line", "access", "space", "pattern", ">stride", ">width", ">bytes", "address", "how"});
    for (const auto& access : function.accesses) {
        const std::string how = access.masked ? access.hint.empty() ? "masked" : "masked, " + access.hint : access.hint;
        table.add({std::to_string(access.line), std::string(toString(access.kind)), std::string(toString(access.space)),
                   std::string(toString(access.pattern)), strideOf(access), std::to_string(access.vectorWidth),
                   access.bytes > 0 ? std::to_string(access.bytes) : "", access.address, how});
    }
    table.print();
}

void printShared(const SourceModel& model, const source::FunctionModel& function) {
    if (function.sharedArrays.empty()) return;
    Table table({">line", "shared array", "type", "bytes"});
    for (const auto& array : function.sharedArrays) {
        std::string name = array.name;
        for (const auto& extent : array.extents) name += "[" + extent + "]";
        table.add({std::to_string(array.line), name, array.elementType, array.bytes.empty() ? array.whyNot : array.bytes});
    }
    table.print();
    for (const auto& entry : model.entries) {
        if (model.functionOf(entry) != &function) continue;
        const auto bytes = source::sharedBytes(model, entry, expr::Scope{});
        if (bytes) std::cout << "static shared memory with the defaults: " << *bytes << " bytes\n";
    }
}

void printFlow(const source::FunctionModel& function) {
    if (!function.loops.empty()) {
        Table table({">line", "loop", ">depth", "iterations", "unroll", "over"});
        for (const auto& loop : function.loops) {
            std::string trips = loop.trips;
            if (loop.tripCount && trips != std::to_string(*loop.tripCount)) trips += " = " + std::to_string(*loop.tripCount);
            if (loop.threadDependent) trips += trips.empty() ? "by thread" : ", by thread";
            table.add({std::to_string(loop.line), std::string(toString(loop.kind)), std::to_string(loop.depth), trips, loop.unroll, loop.condition});
        }
        table.print();
    }
    if (!function.branches.empty()) {
        Table table({">line", "branch", ">depth", "depends on the thread", "condition"});
        for (const auto& branch : function.branches) {
            const std::string depends = branch.divergent ? "yes, diverges" : branch.threadDependent ? "by warp" : "no";
            table.add({std::to_string(branch.line), branch.kind, std::to_string(branch.depth), depends, branch.condition});
        }
        table.print();
    }
    if (!function.operations.empty()) {
        Table table({">line", "operation", "name", ">loops", "note"});
        for (const auto& operation : function.operations) {
            table.add({std::to_string(operation.line), std::string(toString(operation.kind)), operation.name,
                       std::to_string(operation.loopDepth), operation.divergent ? "in a divergent branch" : ""});
        }
        table.print();
    }
}

void printFile(const SourceModel& model) {
    if (!model.objects.empty()) {
        title("Constants, textures and device variables");
        Table table({">line", "kind", "name", "type", "bytes"});
        for (const auto& object : model.objects) table.add({std::to_string(object.line), object.kind, object.name, object.type, object.bytes});
        table.print();
    }
    if (!model.features.empty()) {
        title("Features");
        Table table({">line", "feature", "text"});
        for (const auto& feature : model.features) table.add({std::to_string(feature.line), feature.id, feature.text});
        table.print();
    }
    if (model.problems.empty()) return;
    title("Syntax that was not understood");
    Table table({">line", ">column", "text"});
    for (const auto& problem : model.problems) table.add({std::to_string(problem.line), std::to_string(problem.column), problem.text});
    table.print();
}

/// Where the headers of a CUDA file come from, and what its compilers will not get to see.
void printReading(const SourceModel& model) {
    std::vector<source::IncludeFolder> folders{{model.path.parent_path(), "the kernel's folder", true}};
    for (const auto& folder : compile::toolkitIncludeFolders()) folders.push_back({folder, "the CUDA Toolkit", false});
    if (const auto includes = source::resolveIncludes(model.text, folders); !includes.empty()) {
        title("Includes");
        Table table({">line", "include", "found in", "file"});
        for (const auto& one : includes) {
            const std::string from = one.from.empty() ? "" : one.from.filename().string() + ":";
            const auto name = std::string_view(one.written).substr(1, one.written.size() - 2);
            const std::string place = source::isHostHeader(name)     ? "left out: only the host needs it"
                                      : compile::isServedHeader(name) ? "served from memory"
                                      : one.file.empty()              ? "not found"
                                                                      : one.foundIn;
            table.add({from + std::to_string(one.line), one.written, place, one.file.string()});
        }
        table.print();
    }
    const auto device = source::separateHostCode(model.text, [](std::string_view written) { return source::isHostHeader(written.substr(1, written.size() - 2)); });
    if (device.setAside.empty() && device.undecorated.empty()) return;
    title("Host code");
    if (!device.setAside.empty()) std::cout << device.note() << '\n';
    for (const auto& name : device.undecorated) std::cout << name << " has no __device__, but device code calls it: it is compiled for the device\n";
}

int runSource(const SourceFlags& flags) {
    const auto model = source::load(flags.file);
    if (!model) return report(model.error(), flags.json);
    if (flags.json) {
        printJson(source::toJson(*model));
        return 0;
    }
    const bool cuda = model->language == source::Language::Cuda;
    std::cout << flags.file << ": " << (cuda ? "CUDA C++" : "Triton") << ", " << model->format.name() << '\n';
    for (const auto& note : model->conversions) std::cout << note << '\n';
    printEntries(*model);
    printParameters(*model);
    for (const auto& function : model->functions) {
        title((function.entry ? "Kernel " : "Device function ") + function.name + ", line " + std::to_string(function.line));
        printAccesses(function);
        printShared(*model, function);
        printFlow(function);
        for (const auto& lambda : function.lambdas) std::cout << "line " << lambda.line << ": lambda " << lambda.name << lambda.captures << '\n';
    }
    printFile(*model);
    if (cuda) printReading(*model);
    return 0;
}

}  // namespace

void addSource(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<SourceFlags>();
    auto* command = app.add_subcommand("source", "What was understood of a kernel file: kernels, parameters, memory accesses, loops");
    command->add_option("file", flags->file, "CUDA C++ (.cu, .cuh) or Triton (.py)")->required();
    command->add_flag("--json", flags->json, "One JSON document on stdout");
    command->callback([flags, &exitCode] { exitCode = runSource(*flags); });
}

}  // namespace ww::cli
