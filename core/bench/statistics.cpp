// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "bench/measurement.h"

namespace ww::bench {

namespace {

constexpr std::size_t kResamples = 2000;
/// Below this many samples no resampling can reach 95 %: even the whole range of 5 covers the median with 1 - 2 / 2^5 only.
constexpr std::size_t kFewestForBootstrap = 6;
constexpr double kSmallestGap = 0.005;
/// A trial takes at least this many pairs, so the floor is judged on blocks of that size.
constexpr std::size_t kFloorBlock = 30;

/// Medians of resamples by counting ranks: linear in the sample count, without sorting each resample.
class RankedSample {
public:
    explicit RankedSample(const std::vector<double>& values) : m_sorted(values), m_rank(values.size()), m_counts(values.size()) {
        std::vector<std::size_t> order(values.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
        std::sort(m_sorted.begin(), m_sorted.end());
        for (std::size_t place = 0; place < order.size(); ++place)
            m_rank[order[place]] = static_cast<std::uint32_t>(place);
    }

    [[nodiscard]] double medianOf(const std::vector<std::uint32_t>& indices) {
        std::fill(m_counts.begin(), m_counts.end(), 0u);
        for (const std::uint32_t index : indices)
            ++m_counts[m_rank[index]];
        const std::size_t lower = (indices.size() - 1) / 2, upper = indices.size() / 2;
        std::size_t seen = 0, place = 0;
        while (seen + m_counts[place] <= lower)
            seen += m_counts[place++];
        const double low = m_sorted[place];
        while (seen + m_counts[place] <= upper)
            seen += m_counts[place++];
        return 0.5 * (low + m_sorted[place]);
    }

private:
    std::vector<double> m_sorted;
    std::vector<std::uint32_t> m_rank, m_counts;
};

/// Draws `indices.size()` indices as consecutive blocks that wrap round, so that the ends weigh as much as the middle.
void drawBlocks(SplitMix64& random, std::size_t blockLength, std::vector<std::uint32_t>& indices) {
    const std::size_t count = indices.size();
    for (std::size_t filled = 0; filled < count;) {
        std::size_t at = static_cast<std::size_t>(random.below(count));
        for (std::size_t step = 0; step < blockLength && filled < count; ++step) {
            indices[filled++] = static_cast<std::uint32_t>(at);
            at = at + 1 == count ? 0 : at + 1;
        }
    }
}

std::size_t blockLengthFor(std::size_t count) { return 1 + static_cast<std::size_t>(std::cbrt(static_cast<double>(count))); }

/// Linear between order statistics; reorders `values`.
double quantileOf(std::vector<double>& values, double fraction) {
    const double place = fraction * static_cast<double>(values.size() - 1);
    const auto lower = static_cast<std::size_t>(place);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(lower), values.end());
    const double low = values[lower];
    if (lower + 1 == values.size()) return low;
    const double high = *std::min_element(values.begin() + static_cast<std::ptrdiff_t>(lower) + 1, values.end());
    return low + (place - static_cast<double>(lower)) * (high - low);
}

/// What lies between equal tails.
Interval centralInterval(std::vector<double>& values, double confidence) {
    const double tail = 0.5 * (1.0 - confidence);
    const double low = quantileOf(values, tail);
    return {low, quantileOf(values, 1.0 - tail)};
}

} // namespace

double quantile(std::vector<double> values, double fraction) {
    return values.empty() ? 0.0 : quantileOf(values, std::clamp(fraction, 0.0, 1.0));
}

double median(std::vector<double> values) {
    if (values.empty()) return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

Estimate bootstrapMedian(const std::vector<double>& samples, std::uint64_t seed) {
    Estimate estimate{median(samples), {}};
    if (samples.size() < kFewestForBootstrap) {
        if (samples.size() > 1) {
            const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
            estimate.ci = {*low, *high};
        } else {
            estimate.ci = {0.0, 2.0 * estimate.value};
        }
        return estimate;
    }
    SplitMix64 random(seed);
    RankedSample ranked(samples);
    std::vector<std::uint32_t> indices(samples.size());
    std::vector<double> medians(kResamples);
    for (double& value : medians) {
        drawBlocks(random, blockLengthFor(samples.size()), indices);
        value = ranked.medianOf(indices);
    }
    estimate.ci = centralInterval(medians, 0.95);
    return estimate;
}

Estimate bootstrapRatio(const std::vector<double>& reference, const std::vector<double>& candidate, std::uint64_t seed, double confidence) {
    const std::size_t count = std::min(reference.size(), candidate.size());
    if (count == 0) return {};
    const std::vector<double> first(reference.begin(), reference.begin() + static_cast<std::ptrdiff_t>(count));
    const std::vector<double> second(candidate.begin(), candidate.begin() + static_cast<std::ptrdiff_t>(count));
    // A time of 0 is a broken timer; the ratio 0 with an interval of 0 can never be taken for a win.
    if (!(*std::min_element(second.begin(), second.end()) > 0.0)) return {};
    Estimate estimate{median(first) / median(second), {}};
    if (count < kFewestForBootstrap) {
        const auto [slowLow, slowHigh] = std::minmax_element(first.begin(), first.end());
        const auto [fastLow, fastHigh] = std::minmax_element(second.begin(), second.end());
        estimate.ci = count == 1 ? Interval{0.0, 2.0 * estimate.value} : Interval{*slowLow / *fastHigh, *slowHigh / *fastLow};
        return estimate;
    }
    SplitMix64 random(seed);
    RankedSample rankedFirst(first), rankedSecond(second);
    std::vector<std::uint32_t> indices(count);
    // Fewer than 50 resamples beyond an end of the interval would leave that end to chance.
    std::vector<double> ratios(std::max(kResamples, static_cast<std::size_t>(100.0 / std::max(1.0 - confidence, 0.001))));
    for (double& value : ratios) {
        drawBlocks(random, blockLengthFor(count), indices);
        value = rankedFirst.medianOf(indices) / rankedSecond.medianOf(indices);
    }
    estimate.ci = centralInterval(ratios, confidence);
    return estimate;
}

Verdict judge(const Interval& ratio, double noiseFloor) noexcept {
    const double gap = std::isfinite(noiseFloor) ? std::max(noiseFloor, kSmallestGap) : kSmallestGap;
    if (ratio.low > 1.0 + gap) return Verdict::Faster;
    if (ratio.high < 1.0 - gap) return Verdict::Slower;
    if (ratio.low >= 1.0 - gap && ratio.high <= 1.0 + gap) return Verdict::Same;
    return Verdict::Ambiguous;
}

double noiseFloor(const PairedSamples& sameAgainstSame) {
    const std::vector<double>& first = sameAgainstSame.referenceNs;
    const std::vector<double>& second = sameAgainstSame.candidateNs;
    const std::size_t count = std::min(first.size(), second.size());
    if (count == 0) return 0.0;
    // Sliding blocks as long as the shortest trial: the floor must hold for a trial that stopped early.
    const std::size_t block = std::min(count, kFloorBlock);
    std::vector<double> deviations;
    for (std::size_t start = 0; start + block <= count; ++start) {
        const auto from = static_cast<std::ptrdiff_t>(start), to = static_cast<std::ptrdiff_t>(start + block);
        const double below = median({second.begin() + from, second.begin() + to});
        if (below > 0.0) deviations.push_back(std::fabs(median({first.begin() + from, first.begin() + to}) / below - 1.0));
    }
    if (deviations.empty()) return 0.0;
    const auto place = static_cast<std::ptrdiff_t>(std::ceil(0.95 * static_cast<double>(deviations.size()))) - 1;
    std::nth_element(deviations.begin(), deviations.begin() + place, deviations.end());
    return deviations[static_cast<std::size_t>(place)];
}

} // namespace ww::bench
