// SPDX-License-Identifier: Apache-2.0
#include "bench/summary.h"

#include <algorithm>
#include <cmath>

#include "bench/measurement.h"

namespace ww::bench {
namespace {

constexpr double kOutlierMads = 5.0;
/// MAD to standard deviation, for normal noise.
constexpr double kMadToSigma = 1.4826;
/// 97.5 % and 80 % points of the normal distribution together, times sqrt(pi / 2): a median needs that many more samples than a mean.
constexpr double kMedianPower = (1.95996 + 0.84162) * 1.25331;

double variationOf(const SampleSummary& summary) { return summary.median > 0 ? kMadToSigma * summary.mad / summary.median : 0.0; }

}  // namespace

Json SampleSummary::toJson() const {
    return {{"n", count}, {"median", median}, {"mad", mad}, {"iqr", iqr}, {"p5", p5}, {"p95", p95}, {"min", min}, {"outliers", outliers}};
}

SampleSummary summarize(const std::vector<double>& samples) {
    SampleSummary summary;
    if (samples.empty()) return summary;
    summary.count = samples.size();
    summary.median = median(samples);
    std::vector<double> deviations;
    deviations.reserve(samples.size());
    for (const double sample : samples) deviations.push_back(std::fabs(sample - summary.median));
    summary.mad = median(std::move(deviations));
    summary.iqr = quantile(samples, 0.75) - quantile(samples, 0.25);
    summary.p5 = quantile(samples, 0.05);
    summary.p95 = quantile(samples, 0.95);
    summary.min = *std::min_element(samples.begin(), samples.end());
    const double limit = summary.median + kOutlierMads * summary.mad;
    summary.outliers = static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(), [&](double sample) { return sample > limit; }));
    return summary;
}

double minimumDetectable(const SampleSummary& reference, const SampleSummary& candidate) {
    if (reference.count == 0 || candidate.count == 0) return 0.0;
    const double first = variationOf(reference), second = variationOf(candidate);
    return kMedianPower * std::sqrt(first * first / static_cast<double>(reference.count) + second * second / static_cast<double>(candidate.count));
}

}  // namespace ww::bench
