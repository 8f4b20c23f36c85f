// SPDX-License-Identifier: Apache-2.0
#include "engine/trial_diagnosis.h"

#include <filesystem>

namespace ww::engine {

Json findDiagnosis(const store::SessionRecord& session, const store::TrialRecord& trial) {
    const auto text = diagnose::relevantText(trial.status, trial.message, trial.log);
    // A shared measurement's message is about the sharing; a clean compile says nothing.
    if (text.empty() || trial.sharedWith) return {};
    diagnose::Context context;
    context.fileName = std::filesystem::path(session.sourcePath).filename().string();
    context.source = session.sourceText;
    context.entry = session.entry;
    for (const auto& parameter : session.parameters) context.parameters.push_back(parameter.name);
    const auto found = diagnose::Catalogue::builtIn().match(trial.status, text, context);
    return found ? found->toJson() : Json();
}

std::optional<diagnose::Diagnosis> diagnosisOf(const store::SessionRecord& session, const store::TrialRecord& trial) {
    return diagnose::Diagnosis::fromJson(trial.diagnosis.is_null() ? findDiagnosis(session, trial) : trial.diagnosis);
}

}  // namespace ww::engine
