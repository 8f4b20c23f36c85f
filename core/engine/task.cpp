// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "device/device.h"
#include "engine/device_reading.h"
#include "engine/session.h"
#include "source/cpu_gaps.h"

namespace ww::engine {
namespace {

/// Every construct of the device's own text that the CPU device cannot run, whatever values the parameters take, in one error.
Result<void> checkServable(const spec::Spec& spec, std::string_view text, const source::Entry& entry, const device::DeviceFacts& device) {
    if (device.kind != device::DeviceKind::Cpu) return {};
    auto known = source::cpuMacros();
    for (const auto& parameter : spec.parameters) known.open.insert(parameter.name);
    for (const auto& option : spec.compilerOptions) {
        if (option.starts_with("-D")) known.open.insert(option.substr(2, option.find('=') - 2));
    }
    return source::checkRunsOnCpu(text, entry.qualifiedName, known, spec.kernelFile);
}

/// Symbol arguments name variables of the source.
Result<void> checkSymbols(const spec::Spec& spec, const source::SourceModel& model) {
    for (const auto& argument : spec.arguments) {
        if (argument.memory != spec::MemoryKind::Symbol) continue;
        const auto colon = argument.name.rfind(':');
        const std::string name = colon == std::string::npos ? argument.name : argument.name.substr(colon + 1);
        if (model.declared.contains(name)) continue;
        const auto near = expr::nearestName(name, {model.declared.begin(), model.declared.end()});
        return fail(ErrorCode::NotFound,
                    "the spec has a Symbol argument \"" + argument.name + "\", but the source declares no variable of that name" +
                        (near.empty() ? "; declare it __constant__ or __device__, or correct the argument's Name" : "; did you mean \"" + near + "\"?"),
                    model.path.string());
    }
    return {};
}

/// Texture arguments stand where the kernel takes a cudaTextureObject_t, and all of these are such.
Result<void> checkTextures(const spec::Spec& spec, const source::Entry& entry, const source::SourceModel& model) {
    std::size_t position = 0;
    for (const auto& argument : spec.arguments) {
        if (argument.memory == spec::MemoryKind::Symbol || argument.memory == spec::MemoryKind::Local) continue;
        if (position >= entry.arguments.size()) break;  // the device tells of a wrong number
        const auto& parameter = entry.arguments[position++];
        const bool isObject = parameter.type == "cudaTextureObject_t" && !parameter.pointer;
        const bool given = argument.memory == spec::MemoryKind::Texture;
        if (given ? !parameter.pointer : !isObject) continue;  // the type may have a name of the user's
        return fail(ErrorCode::InvalidSpec,
                    isObject ? "the kernel's argument " + parameter.name + " is a texture object; give \"" + argument.name + "\" MemoryType Texture in the spec"
                             : "the spec gives the texture \"" + argument.name + "\" for the kernel's argument " + parameter.name + " of type " + parameter.type +
                                   "; a texture takes a cudaTextureObject_t",
                    model.path.string());
    }
    return {};
}

/// Data of one type behind an argument of another is read as something else. Types with a name of the user's or of a template
/// are left alone, and so are signedness and vectors over an array of their elements.
Result<void> checkTypes(const spec::Spec& spec, const source::Entry& entry, const source::SourceModel& model) {
    std::size_t position = 0;
    for (const auto& argument : spec.arguments) {
        if (argument.memory == spec::MemoryKind::Symbol || argument.memory == spec::MemoryKind::Local) continue;
        if (position >= entry.arguments.size()) break;
        const auto& parameter = entry.arguments[position++];
        const bool own = model.findParameter(parameter.type) != nullptr || model.declared.contains(parameter.type);
        if (argument.memory == spec::MemoryKind::Texture || own) continue;
        const auto given = spec::elementTypeFrom(argument.typeName), taken = spec::elementTypeFrom(parameter.type);
        if (!given || !taken || (parameter.pointer && given->second != taken->second)) continue;
        const bool whole = !isFloating(given->first) && !isFloating(taken->first);
        const bool same = whole ? sizeOf(given->first) == sizeOf(taken->first) : given->first == taken->first;
        if (same && given->second == taken->second) continue;
        return fail(ErrorCode::InvalidSpec,
                    "the spec gives \"" + argument.name + "\" the type " + argument.typeName + ", but the kernel's argument " + parameter.name + " is of type " +
                        parameter.type + (parameter.pointer ? "*" : "") + "; correct the argument's Type",
                    spec.file.empty() ? model.path.string() : spec.file.string());
    }
    return {};
}

Result<const source::Entry*> findEntry(const source::SourceModel& model, const std::string& name) {
    if (const auto* entry = model.findEntry(name)) return entry;
    std::vector<std::string> known;
    for (const auto& entry : model.entries) known.push_back(entry.name);
    std::string list;
    for (const auto& one : known) list += (list.empty() ? "" : ", ") + one;
    const auto near = expr::nearestName(name, known);
    return fail(ErrorCode::NotFound,
                "the spec names the kernel \"" + name + "\", but the source has " + list +
                    (near.empty() ? "" : "; did you mean \"" + near + "\"?"),
                model.path.string());
}

space::Site siteOf(const source::SourceModel& model, const source::Entry& entry, const std::string& name, space::Site declared) {
    if (declared == space::Site::Option) return declared;
    if (const auto* site = model.findParameter(name)) {
        switch (site->kind) {
        case source::SiteKind::GuardedMacro:
        case source::SiteKind::Macro: return space::Site::Macro;
        case source::SiteKind::Constant: return space::Site::Constexpr;
        case source::SiteKind::TemplateParameter: return space::Site::Template;
        case source::SiteKind::ConstexprArgument:
        case source::SiteKind::LaunchOption: return space::Site::Launch;
        }
    }
    for (const auto& parameter : entry.templateParameters) {
        if (parameter.name == name) return space::Site::Template;
    }
    return source::undefinedNames(model, {name}).empty() ? space::Site::Launch : space::Site::Define;
}

Result<const spec::WorkloadSpec*> pickWorkload(const spec::Spec& spec, const device::DeviceFacts& device, const std::string& named) {
    const auto byName = [&](const std::string& name) -> Result<const spec::WorkloadSpec*> {
        if (const auto* found = spec.findWorkload(name)) return found;
        std::string list;
        for (const auto& workload : spec.workloads) list += (list.empty() ? "" : ", ") + workload.name;
        return fail(ErrorCode::NotFound, "there is no workload \"" + name + "\"; the spec has " + list, spec.file.string());
    };
    if (!named.empty()) return byName(named);
    if (device.kind == device::DeviceKind::Cpu && !spec.cpuWorkload.empty()) return byName(spec.cpuWorkload);
    for (const auto& workload : spec.workloads) {
        if (!workload.verifyOnly && workload.weight > 0) return &workload;
    }
    return fail(ErrorCode::InvalidSpec, "no workload is tuned: give one a Weight above 0, or name one with --workload", spec.file.string());
}

Unexpected emptySpace(const space::SearchSpace& space, const std::filesystem::path& file) {
    std::string worst;
    double refused = 0;
    for (const auto& [id, count] : space.rejectedBy()) {
        if (count.value <= refused) continue;
        refused = count.value;
        for (const auto& constraint : space.constraints()) {
            if (constraint.id == id) worst = constraint.expression.text();
        }
    }
    return fail(ErrorCode::EmptySpace,
                "no configuration satisfies all constraints" +
                    (worst.empty() ? std::string() : "; \"" + worst + "\" refuses most: relax it or widen a domain"),
                file.string());
}

}  // namespace

Result<Task> loadTask(const std::filesystem::path& specPath, const device::DeviceFacts& device, const std::string& workload) {
    WW_TRY(spec, spec::load(specPath));
    WW_CHECK(spec::checkTunable(spec));
    WW_TRY(model, source::loadCuda(spec.kernelFile));
    WW_TRY(entry, findEntry(model, spec.kernelName));
    WW_CHECK(checkSymbols(spec, model));
    WW_CHECK(checkTextures(spec, *entry, model));
    WW_CHECK(checkTypes(spec, *entry, model));
    for (auto& parameter : spec.parameters) parameter.site = siteOf(model, *entry, parameter.name, parameter.site);

    WW_TRY(reading, readForDevice(spec, model, device));
    WW_CHECK(checkServable(spec, reading.text.text, *entry, device));
    WW_TRY(chosen, pickWorkload(spec, device, workload));
    expr::Scope facts;
    device.addTo(facts);
    WW_TRY(space, spec::makeSpace(spec, *chosen, &facts));
    if (space.isEmpty()) return emptySpace(space, spec.file.empty() ? spec.kernelFile : spec.file);

    std::vector<std::string> notes = spec.notes;
    for (const auto& problem : model.problems) {
        notes.push_back("line " + std::to_string(problem.line) + ", column " + std::to_string(problem.column) +
                        " of the source was not understood (" + problem.text + "); if the compiler accepts it, all is well");
    }
    notes.insert(notes.end(), reading.notes.begin(), reading.notes.end());
    for (const auto& other : spec.workloads) {
        // The CPU device tunes its own small workload on purpose; elsewhere a second tuned workload is worth a word.
        const bool expected = device.kind == device::DeviceKind::Cpu && !spec.cpuWorkload.empty();
        if (!expected && &other != chosen && !other.verifyOnly && other.weight > 0) {
            notes.push_back("workload " + other.name + " is not measured in this session; tune it with --workload " + other.name);
        }
    }
    spec::WorkloadSpec tuned = *chosen;
    return Task{std::move(spec), std::move(model), std::move(tuned), std::move(space), device, std::move(notes), std::move(reading.includes),
                std::move(reading.text), std::move(reading.defines)};
}

std::vector<device::DeviceFacts> listDevices() {
    auto devices = device::listCudaDevices();
    devices.push_back(device::cpuFacts());
    return devices;
}

Result<device::DeviceFacts> findDevice(const std::string& name) {
    if (name == "cpu") return device::cpuFacts();
    if (name == "auto") {
        auto gpus = device::listCudaDevices();
        return gpus.empty() ? device::cpuFacts() : gpus.front();
    }
    if (name == "cuda" || name.starts_with("cuda:")) {
        std::size_t index = 0;
        if (name.size() > 5) {
            const auto [end, failed] = std::from_chars(name.data() + 5, name.data() + name.size(), index);
            if (failed != std::errc{} || end != name.data() + name.size()) {
                return fail(ErrorCode::InvalidArgument, "\"" + name + "\" names no device; write cuda or cuda:0, cuda:1, ...");
            }
        }
        const auto gpus = device::listCudaDevices();
        if (gpus.empty()) {
            return fail(ErrorCode::EnvironmentMissing,
                        "no CUDA device was found: install the NVIDIA driver (libcuda.so.1), or use --device cpu; "
                        "`warpwright-cli doctor` tells more");
        }
        if (index >= gpus.size()) {
            return fail(ErrorCode::InvalidArgument, "there is no CUDA device " + std::to_string(index) + "; this machine has " +
                                                        std::to_string(gpus.size()));
        }
        return gpus[index];
    }
    return fail(ErrorCode::InvalidArgument, "unknown device \"" + name + "\"; use auto, cpu, cuda or cuda:N");
}

}  // namespace ww::engine
