// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "source/functions.h"
#include "source/source_model.h"
#include "source/tokens.h"

namespace ww::source {

/// Macros, namespace-scope constants and non-type template parameters of the entries, by position; one site per name.
/// `identifiers` counts every name's occurrences outside comments and strings.
[[nodiscard]] std::vector<ParameterSite> findParameters(const Tokens& tokens, const Declarations& declarations,
                                                        const std::map<std::string, int, std::less<>>& identifiers);

}  // namespace ww::source
