// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "bridge/session_control.h"
#include "model/session_model.h"

/// A made-up but plausible gemm session, built from the engine's own event types, the same on every run.
namespace sample {

[[nodiscard]] ww::store::SessionRecord session();
[[nodiscard]] std::vector<ww::ui::SourceSite> sites(const ww::store::SessionRecord& session);
[[nodiscard]] std::shared_ptr<const ww::store::TrialRecord> trial(int number);
/// SessionStarted, then `trials` trials with stages and progress between them.
[[nodiscard]] ww::ui::EventBatch running(int trials, int budget);
[[nodiscard]] ww::ui::EventBatch finished(const std::vector<std::shared_ptr<const ww::store::TrialRecord>>& trials);
[[nodiscard]] ww::store::EventRecord event(int afterTrial, const char* kind, ww::Json data);

}  // namespace sample
