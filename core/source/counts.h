// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "source/functions.h"
#include "source/source_model.h"
#include "source/tokens.h"

namespace ww::source {

/// Counts over the file's device code. Every name of docs/source-model.md is present, zero where nothing was found.
/// Memory, control flow and operations are counted from `model.functions`; the rest from the syntax trees.
[[nodiscard]] SyntaxCounts countSyntax(const Tokens& tokens, const Declarations& declarations, const SourceModel& model);

/// The counts that the model alone gives; all others are zero.
[[nodiscard]] SyntaxCounts countModel(const SourceModel& model);

}  // namespace ww::source
