// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ww::diagnose {

/// resources/diagnoses/catalogue.json, put into the program by the build.
extern const std::string_view kCatalogueJson;

}  // namespace ww::diagnose
