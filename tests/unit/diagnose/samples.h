// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/file.h"
#include "diagnose/catalogue.h"

namespace ww::test {

/// samples.json: messages as compilers and devices wrote them, each with the kernel that caused it and what is expected.
/// Those of tool "driver" are the driver's documented names and texts in our worker's wording.
inline Json readSamples() {
    const auto text = readFile(WW_SAMPLES);
    return text ? Json::parse(*text, nullptr, false) : Json();
}

inline diagnose::Context contextOf(const Json& sample) {
    diagnose::Context context;
    context.fileName = "kernel.cu";
    context.source = sample["source"];
    context.entry = "k";
    context.headers = sample.value("headers", std::vector<std::string>());
    context.leftOut = sample.value("left_out", std::vector<std::string>());
    context.symbols = sample.value("symbols", std::vector<std::string>());
    const Json defines = sample.value("defines", Json::object());
    for (const auto& item : defines.items()) context.parameters.push_back(item.key());
    return context;
}

}  // namespace ww::test
