// SPDX-License-Identifier: Apache-2.0
#include "engine/trial_diagnosis.h"

#include <filesystem>

#include "engine/device_reading.h"

namespace ww::engine {
namespace {

namespace fs = std::filesystem;

/// Headers and Symbol arguments, as the record's spec names them.
void addSpec(const store::SessionRecord& session, diagnose::Context& context) {
    std::vector<fs::path> folders;
    const Json* section = member(session.specJson, "Warpwright");
    if (const Json* include = section != nullptr ? member(*section, "Include") : nullptr; include != nullptr && include->is_array()) {
        for (const auto& folder : *include) {
            if (folder.is_string()) folders.push_back((fs::path(session.specPath).parent_path() / folder.get<std::string>()).lexically_normal());
        }
    }
    const Json* kind = member(session.device, "kind");
    const bool cpu = kind != nullptr && *kind == "cpu";
    auto headers = userHeaders(session.sourceText, fs::path(session.sourcePath).parent_path(), folders, cpu ? device::DeviceKind::Cpu : device::DeviceKind::Cuda);
    for (const auto& header : headers.found) context.headers.push_back(header.string());
    context.leftOut = std::move(headers.leftOut);
    const Json* kernel = member(session.specJson, "KernelSpecification");
    const Json* arguments = kernel != nullptr ? member(*kernel, "Arguments") : nullptr;
    if (arguments == nullptr || !arguments->is_array()) return;
    for (const auto& argument : *arguments) {
        const Json* memory = member(argument, "MemoryType");
        const Json* name = member(argument, "Name");
        if (memory != nullptr && *memory == "Symbol" && name != nullptr && name->is_string()) context.symbols.push_back(name->get<std::string>());
    }
}

}  // namespace

Json findDiagnosis(const store::SessionRecord& session, const store::TrialRecord& trial) {
    const auto text = diagnose::relevantText(trial.status, trial.message, trial.log);
    // A shared measurement's message is about the sharing; a clean compile says nothing.
    if (text.empty() || trial.sharedWith) return {};
    diagnose::Context context;
    context.fileName = std::filesystem::path(session.sourcePath).filename().string();
    context.source = session.sourceText;
    context.entry = session.entry;
    for (const auto& parameter : session.parameters) context.parameters.push_back(parameter.name);
    addSpec(session, context);
    const auto found = diagnose::Catalogue::builtIn().match(trial.status, text, context);
    return found ? found->toJson() : Json();
}

std::optional<diagnose::Diagnosis> diagnosisOf(const store::SessionRecord& session, const store::TrialRecord& trial) {
    return diagnose::Diagnosis::fromJson(trial.diagnosis.is_null() ? findDiagnosis(session, trial) : trial.diagnosis);
}

}  // namespace ww::engine
