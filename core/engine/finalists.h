// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "space/search_space.h"
#include "store/records.h"

namespace ww::engine {

/// The `count` correct, valid trials with the lowest medians and those that the user asked for, best first, the baseline left
/// out; trials that share one measurement count once. Pointers into `trials`.
[[nodiscard]] std::vector<const store::TrialRecord*> chooseFinalists(const std::vector<store::TrialRecord>& trials,
                                                                     const space::SearchSpace& space, std::size_t count);

/// Number of the trial that served as baseline: the first correct one with origin "baseline"; 0 where there is none.
[[nodiscard]] int baselineNumber(const std::vector<store::TrialRecord>& trials);

/// Best first by median, the baseline (the first given) last.
[[nodiscard]] std::vector<store::MeasuredRecord> rankFinalists(std::vector<store::MeasuredRecord> measured);

/// The winner after the finalists' procedure, else the best trial as measured during the search; nullopt without a correct one.
/// The baseline itself wins where nothing beat its median.
[[nodiscard]] std::optional<store::MeasuredRecord> bestOf(const std::vector<store::TrialRecord>& trials,
                                                          const std::vector<store::MeasuredRecord>& ranked);

}  // namespace ww::engine
