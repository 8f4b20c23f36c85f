// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/catalogue.h"
#include "store/records.h"

namespace ww::engine {

/// The cause that the catalogue finds in a trial's message and log; null where it knows none. For the trial's record.
[[nodiscard]] Json findDiagnosis(const store::SessionRecord& session, const store::TrialRecord& trial);

/// The stored diagnosis, else one found now (a log of an older version); nullopt where none is known.
[[nodiscard]] std::optional<diagnose::Diagnosis> diagnosisOf(const store::SessionRecord& session, const store::TrialRecord& trial);

}  // namespace ww::engine
