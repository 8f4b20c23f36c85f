// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

namespace fs = std::filesystem;

/// The spec that a folder names: spec.json, else its only *.json.
Result<fs::path> specInFolder(const fs::path& folder) {
    std::error_code failed;
    if (fs::is_regular_file(folder / "spec.json", failed)) return folder / "spec.json";
    std::vector<fs::path> found;
    fs::directory_iterator entries(folder, failed);
    if (failed) return fail(ErrorCode::Unreadable, "this folder cannot be read; check its permissions", folder.string());
    for (const auto& entry : entries) {
        if (entry.path().extension() == ".json" && entry.is_regular_file(failed)) found.push_back(entry.path());
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        return fail(ErrorCode::NotFound, "this folder holds no *.json spec; name the kernel's file itself, or write a spec with `warpwright-cli spec kernel.cu`",
                    folder.string());
    }
    std::sort(found.begin(), found.end());
    std::string names;
    for (const auto& file : found) names += (names.empty() ? "" : ", ") + file.filename().string();
    return fail(ErrorCode::InvalidSpec, "this folder holds several specs (" + names + "); name one of them, or call it spec.json", folder.string());
}

bool hasExtension(const fs::path& path, Keys extensions) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

bool mentions(std::string_view text, std::string_view name) {
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const bool starts = at == 0 || !isWord(text[at - 1]);
        const bool ends = at + name.size() == text.size() || !isWord(text[at + name.size()]);
        if (starts && ends) return true;
    }
    return false;
}

/// Where a parameter that the source does not define can act.
space::Site siteWithoutDefinition(const Spec& spec, const source::SourceModel& model, const std::string& name) {
    if (mentions(model.text, name)) return space::Site::Define;
    const bool option = std::any_of(spec.compilerOptions.begin(), spec.compilerOptions.end(), [&](const auto& o) { return mentions(o, name); });
    if (option) return space::Site::Option;
    // A header of the user's may use it; a macro that nothing uses does no harm.
    const bool ownHeaders = std::any_of(model.includes.begin(), model.includes.end(), [](const auto& i) { return i.starts_with('"'); });
    return ownHeaders ? space::Site::Define : space::Site::Launch;
}

space::Site siteOf(const Spec& spec, const source::SourceModel& model, const source::Entry* entry, const std::string& name) {
    const source::ParameterSite* site = model.findParameter(name);
    if (site == nullptr) return siteWithoutDefinition(spec, model, name);
    switch (site->kind) {
    case source::SiteKind::GuardedMacro:
    case source::SiteKind::Macro: return space::Site::Macro;
    case source::SiteKind::Constant: return space::Site::Constexpr;
    case source::SiteKind::TemplateParameter: break;
    case source::SiteKind::ConstexprArgument:
    case source::SiteKind::LaunchOption: return space::Site::Launch;
    }
    const bool ofEntry = entry != nullptr && std::any_of(entry->templateParameters.begin(), entry->templateParameters.end(),
                                                         [&](const auto& parameter) { return parameter.name == name; });
    return ofEntry ? space::Site::Template : siteWithoutDefinition(spec, model, name);
}

void takeDefaultFromSource(Spec& spec, space::Parameter& parameter, const source::SourceModel& model) {
    const auto missing = std::find(spec.defaultMissing.begin(), spec.defaultMissing.end(), parameter.name);
    if (missing == spec.defaultMissing.end()) return;
    const source::ParameterSite* site = model.findParameter(parameter.name);
    if (site == nullptr || !site->defaultValue) return;
    spec.defaultMissing.erase(missing);
    if (const auto index = parameter.indexOf(*site->defaultValue)) {
        parameter.defaultIndex = *index;
    } else {
        spec.notes.push_back("parameter " + parameter.name + ": the source says " + site->defaultValue->repr() + ", which is not in the domain; " +
                             parameter.values[parameter.defaultIndex].repr() + " is the default instead");
    }
}

/// One text per template parameter of the entry: the tuning parameter of that name, else the source's own default.
void takeTemplateArguments(Spec& spec, const source::Entry& entry) {
    std::vector<std::string> arguments;
    for (const auto& parameter : entry.templateParameters) {
        const bool tuned = std::any_of(spec.parameters.begin(), spec.parameters.end(), [&](const auto& p) { return p.name == parameter.name; });
        if (!tuned && !parameter.defaultText) return;  // checkTunable() asks for it
        arguments.push_back(tuned ? parameter.name : *parameter.defaultText);
    }
    spec.templateArguments = std::move(arguments);
}

}  // namespace

void resolve(Spec& spec, const source::SourceModel& model) {
    const source::Entry* entry = spec.kernelName.empty() && model.entries.size() == 1 ? &model.entries.front() : model.findEntry(spec.kernelName);
    for (auto& parameter : spec.parameters) {
        const bool given = std::find(spec.siteGiven.begin(), spec.siteGiven.end(), parameter.name) != spec.siteGiven.end();
        if (!given) parameter.site = siteOf(spec, model, entry, parameter.name);
        takeDefaultFromSource(spec, parameter, model);
    }
    if (entry == nullptr) return;
    if (spec.kernelName.empty()) spec.kernelName = entry->name;
    if (spec.templateArguments.empty() && !entry->templateParameters.empty()) takeTemplateArguments(spec, *entry);
}

Result<Spec> load(const fs::path& path) {
    std::error_code failed;
    if (!fs::exists(path, failed)) {
        return fail(ErrorCode::NotFound, "there is no such file or folder; name a spec (*.json), a folder with one, or a kernel (*.cu)", path.string());
    }
    fs::path file = path;
    if (fs::is_directory(path, failed)) {
        WW_TRY(found, specInFolder(path));
        file = found;
    }
    if (hasExtension(file, {".cu", ".cuh", ".cc", ".cpp", ".cxx", ".h", ".hpp"})) return fromSource(file);
    if (hasExtension(file, {".py"})) {
        return fail(ErrorCode::Unsupported, "Triton kernels cannot be tuned by this version; name a CUDA kernel (*.cu) or a spec (*.json)", file.string());
    }
    WW_TRY(text, readFile(file));
    auto spec = parse(text, file);
    if (!spec || spec->kernelFile.empty() || !fs::is_regular_file(spec->kernelFile, failed)) return spec;
    // A source that cannot be read is the business of those who compile it; `space` works without.
    if (auto model = source::loadCuda(spec->kernelFile)) resolve(*spec, *model);
    return spec;
}

}  // namespace ww::spec
