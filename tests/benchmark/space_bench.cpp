// SPDX-License-Identifier: Apache-2.0
// Times the search space on spec files: space_bench FILE.json... Prints milliseconds; asserts nothing.
#include <cstdio>
#include <optional>

#include "../unit/space/spec_reader.h"
#include "base/units.h"

namespace {

double msSince(std::int64_t start) { return static_cast<double>(ww::monotonicNs() - start) / 1e6; }

void measure(const char* path) {
    std::int64_t start = ww::monotonicNs();
    const auto space = readSpace(path);
    if (!space) {
        std::printf("%s: %s\n", path, space.error().toString().c_str());
        return;
    }
    std::printf("%s\n  build %.2f ms", path, msSince(start));
    start = ww::monotonicNs();
    const ww::space::Count count = space->countValid();
    std::printf(", count %.3f ms: %.0f valid of %.0f%s\n", msSince(start), count.value, space->cartesianSize(), count.exact ? "" : " (estimate)");
    if (count.value < 5e6) {
        start = ww::monotonicNs();
        std::size_t listed = 0;
        space->forEachValid([&](const ww::space::Configuration& configuration) { return listed += configuration.index.size() > 0 ? 1 : 0, true; });
        std::printf("  list %.2f ms: %zu\n", msSince(start), listed);
    }
    ww::SplitMix64 rng(1);
    start = ww::monotonicNs();
    for (int i = 0; i < 1000; ++i)
        (void)space->sample(rng);
    std::printf("  1000 samples %.2f ms\n", msSince(start));
    std::vector<std::optional<std::uint16_t>> partial(space->parameters().size());
    start = ww::monotonicNs();
    constexpr int rounds = 20;
    for (int i = 0; i < rounds; ++i) {
        partial.assign(partial.size(), std::nullopt);
        const auto drawn = space->sample(rng);
        for (std::size_t p = 0; drawn && p < partial.size(); ++p) {
            (void)space->feasibleValues(partial, p);
            partial[p] = drawn->index[p];
        }
    }
    std::printf("  feasibleValues in order %.4f ms a call", msSince(start) / (rounds * static_cast<double>(partial.size())));
    start = ww::monotonicNs();
    for (int i = 0; i < rounds; ++i) {
        partial.assign(partial.size(), std::nullopt);
        const auto drawn = space->sample(rng);
        for (std::size_t p = partial.size(); drawn && p-- > 0;) {
            (void)space->feasibleValues(partial, p);
            partial[p] = drawn->index[p];
        }
    }
    std::printf(", backwards %.4f ms\n", msSince(start) / (rounds * static_cast<double>(partial.size())));
    ww::space::ValueMask mask = space->fullMask();
    mask[0].assign(mask[0].size(), false);
    mask[0].back() = true;
    start = ww::monotonicNs();
    const double pinned = space->countValid(&mask).value;
    std::printf("  count under a new mask %.3f ms: %.0f\n", msSince(start), pinned);
    start = ww::monotonicNs();
    for (const auto& [id, refused] : space->rejectedBy())
        std::printf("  %s refuses %.0f%s\n", id.c_str(), refused.value, refused.exact ? "" : " (estimate)");
    std::printf("  rejectedBy %.2f ms\n", msSince(start));
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        measure(argv[i]);
    return argc > 1 ? 0 : 2;
}
