// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "source/functions.h"
#include "source/source_model.h"
#include "source/tokens.h"

namespace ww::source {

/// Counts over the file's device code. Every name of docs/source-model.md is present, zero where nothing was found.
[[nodiscard]] SyntaxCounts countSyntax(TSNode root, const Tokens& tokens, const Declarations& declarations,
                                       const std::vector<ParameterSite>& parameters);

}  // namespace ww::source
