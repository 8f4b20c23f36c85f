// SPDX-License-Identifier: Apache-2.0
#include "bench/comparison.h"

#include <algorithm>

#include "base/rng.h"

namespace ww::bench {
namespace {

constexpr double kRisk = 0.05;
/// Attributes of a device are rated figures; boost clocks and rounding stay within this.
constexpr double kFloorShare = 0.9;

}  // namespace

std::vector<Compared> compareTogether(const std::vector<std::vector<double>>& samplesNs, double noiseFloor, std::uint64_t seed) {
    std::vector<Compared> compared(samplesNs.size());
    if (compared.empty()) return compared;
    compared.front() = {{1.0, {1.0, 1.0}}, Verdict::Same};
    std::vector<std::size_t> waiting;
    for (std::size_t i = 1; i < samplesNs.size(); ++i) {
        compared[i].ratio = bootstrapRatio(samplesNs.front(), samplesNs[i], deriveSeed(seed, i));
        compared[i].verdict = judge(compared[i].ratio.ci, noiseFloor);
        if (compared[i].verdict == Verdict::Faster) waiting.push_back(i);
    }
    // A step passes when any of those left is faster at its level: which one is the same as asking for the smallest p-value.
    auto comparisons = static_cast<double>(samplesNs.size() - 1);
    for (bool passed = true; passed && !waiting.empty(); comparisons -= 1) {
        passed = false;
        for (auto one = waiting.begin(); one != waiting.end() && !passed; ++one) {
            auto& entry = compared[*one];
            entry.ratio = bootstrapRatio(samplesNs.front(), samplesNs[*one], deriveSeed(seed, *one), 1.0 - kRisk / comparisons);
            passed = judge(entry.ratio.ci, noiseFloor) == Verdict::Faster;
            if (passed) {
                waiting.erase(one);
                break;
            }
        }
    }
    for (const std::size_t left : waiting) compared[left].verdict = Verdict::Ambiguous;
    return compared;
}

double physicalFloorNs(const PhysicalLimits& limits) noexcept {
    const double moved = std::max(0.0, limits.bytes - limits.cachedBytes);
    const double memory = limits.bytesPerSecond > 0 ? moved / limits.bytesPerSecond : 0.0;
    const double arithmetic = limits.flopsPerSecond > 0 ? limits.flops / limits.flopsPerSecond : 0.0;
    return std::max(memory, arithmetic) * 1e9;
}

bool isImpossible(double timeNs, double floorNs) noexcept { return !(timeNs > 0.0) || timeNs < kFloorShare * floorNs; }

}  // namespace ww::bench
