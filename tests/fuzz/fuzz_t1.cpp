// SPDX-License-Identifier: Apache-2.0
// T1 documents: what loads can be written and loads again to the same document; spaces and launches never crash.
#include "fuzz.h"
#include "spec/spec.h"

using namespace ww;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 16384) return 0;
    const auto spec = spec::parse(fuzz::asText(data, size), "/nonexistent/fuzz.json");
    if (!spec) {
        fuzz::require(!spec.error().message.empty(), "an error says what is wrong");
        return 0;
    }
    const auto written = spec::toT1(*spec).dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto again = spec::parse(written, "/nonexistent/fuzz.json");
    fuzz::require(again.has_value(), "what toT1 writes loads");
    fuzz::require(spec::toT1(*again).dump(-1, ' ', false, Json::error_handler_t::replace) == written, "a second round changes nothing");
    for (const auto& workload : spec->workloads) {
        const auto space = spec::makeSpace(*spec, workload, nullptr);
        if (!space) continue;
        (void)spec::resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), workload).has_value();
    }
    return 0;
}
