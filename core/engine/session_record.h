// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "encode/encode.h"
#include "engine/session.h"

namespace ww::engine {

/// What a new session starts with, for the trial log (without id and sandbox level; of the facts only the
/// space's counts).
[[nodiscard]] store::SessionRecord describeSession(const Task& task, const SessionOptions& options);

/// The JSON that `tune --json` ends with (DESIGN.md section 11).
[[nodiscard]] Json summaryDocument(const store::SessionRecord& session, const std::vector<store::TrialRecord>& trials,
                                   const std::vector<store::MeasuredRecord>& finalists, const store::StageTimes& total, double deviceSeconds,
                                   double wallSeconds);

/// {config, time_ns, ci, ratio, ratio_ci, verdict}
[[nodiscard]] Json toJson(const store::MeasuredRecord& measured);

/// Fills the encoder's view of the search from the trials so far.
void fillProgress(encode::Inputs& inputs, const std::vector<store::TrialRecord>& trials, int bestTrial);

}  // namespace ww::engine
