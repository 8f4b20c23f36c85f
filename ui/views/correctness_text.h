// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "store/records.h"

namespace ww::ui {

struct CorrectnessText {
    bool passed = true;
    QString headline;   ///< empty: nothing was checked
    QString detail;
};

/// Words for TrialRecord::correctness. Reads what it knows and leaves the rest: the figures grow with later parts.
[[nodiscard]] CorrectnessText describeCorrectness(const store::TrialRecord& record);

}  // namespace ww::ui
