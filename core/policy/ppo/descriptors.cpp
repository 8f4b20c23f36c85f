// SPDX-License-Identifier: Apache-2.0
#include "policy/ppo/descriptors.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.h"

namespace ww::policy {

namespace {

constexpr std::array<std::string_view, kDescriptorSize> kNames{
    "parameter.is_ordinal", "parameter.is_log2", "parameter.is_categorical", "parameter.is_boolean",
    "parameter.domain_size", "parameter.position", "parameter.allowed_share", "parameter.is_numeric",
    "parameter.seen_share", "parameter.reward_spread", "parameter.name_bit_0", "parameter.name_bit_1",
    "parameter.name_bit_2", "parameter.name_bit_3", "parameter.name_bit_4", "parameter.name_bit_5",
    "value.rank", "value.log_magnitude", "value.magnitude", "value.log_position",
    "value.power_of_two", "value.is_default", "value.is_incumbent", "value.signed_distance",
    "value.closeness", "value.tried_share", "value.novelty", "value.mean_reward",
    "value.smoothed_reward", "value.best_reward", "value.failed_share", "value.mean_rank"};

constexpr int kNameBits = 6;
/// Standardised rewards lie in [-3, 3].
constexpr double kScoreScale = 3;

bool ordered(space::Scale scale) {
    return scale == space::Scale::Ordinal || scale == space::Scale::Log2;
}

/// Sign and log2(1 + |x|) over 2^20, the largest tile or count one meets.
double logMagnitude(double x) {
    return std::clamp(std::copysign(std::log2(1 + std::abs(x)) / 20, x), -1.0, 1.0);
}

bool isPowerOfTwo(const space::Value& value) {
    return value.isInt() && value.asInt() > 0 && std::has_single_bit(static_cast<std::uint64_t>(value.asInt()));
}

/// Share of the way from low to high; 0.5 where both are the same.
double position(double x, double low, double high) {
    const double width = high - low;
    return width > 0 && std::isfinite(width) ? std::clamp((x - low) / width, 0.0, 1.0) : 0.5;
}

/// What all values of one parameter share.
struct Domain {
    std::size_t size = 0;
    bool numeric = false;
    double low = 0, high = 0;
    std::vector<double> means;   ///< shrunk, standardised
    double seen = 0;             ///< share of the values that were tried
    double meanLow = 0, meanHigh = 0;
};

Domain surveyDomain(const space::Parameter& parameter, std::size_t p, const ValueStatistics& statistics) {
    Domain domain;
    domain.size = parameter.values.size();
    domain.numeric = std::ranges::all_of(parameter.values, [](const space::Value& value) { return value.isNumber(); });
    if (domain.numeric) {
        const auto [low, high] = std::ranges::minmax(parameter.values, {}, [](const space::Value& value) { return value.asDouble(); });
        domain.low = low.asDouble();
        domain.high = high.asDouble();
    }
    for (std::size_t v = 0; v < domain.size; ++v) {
        domain.means.push_back(statistics.shrunkMean(p, v));
        domain.seen += statistics.cell(p, v).tried > 0 ? 1.0 / static_cast<double>(domain.size) : 0;
    }
    const auto [low, high] = std::ranges::minmax(domain.means);
    domain.meanLow = low;
    domain.meanHigh = high;
    return domain;
}

void describeParameter(float* out, const space::Parameter& parameter, const Domain& domain, std::size_t p, std::size_t parameters,
                       const std::vector<bool>& allowed) {
    out[static_cast<std::size_t>(parameter.scale)] = 1;
    out[4] = static_cast<float>(std::min(1.0, std::log2(static_cast<double>(domain.size)) / 8));
    out[5] = static_cast<float>(position(static_cast<double>(p), 0, static_cast<double>(parameters) - 1));
    out[6] = static_cast<float>(static_cast<double>(std::ranges::count(allowed, true)) / static_cast<double>(domain.size));
    out[7] = domain.numeric ? 1 : 0;
    out[8] = static_cast<float>(std::min(1.0, domain.seen));
    out[9] = static_cast<float>((domain.meanHigh - domain.meanLow) / (2 * kScoreScale));
    const std::uint64_t hash = nameHash(parameter.name);
    for (int bit = 0; bit < kNameBits; ++bit) out[10 + bit] = (hash >> (8 * bit) & 1) != 0 ? 1.0f : 0.0f;
}

void describeValue(float* out, const space::Parameter& parameter, const Domain& domain, std::size_t p, std::size_t v,
                   const ValueStatistics& statistics, std::optional<std::size_t> incumbent) {
    const auto set = [&](ValueFeature feature, double x) { out[static_cast<std::size_t>(feature)] = static_cast<float>(x); };
    const double last = static_cast<double>(domain.size) - 1;
    const double rank = position(static_cast<double>(v), 0, last);
    const space::Value& value = parameter.values[v];
    set(ValueFeature::Rank, rank);
    set(ValueFeature::Magnitude, domain.numeric ? position(value.asDouble(), domain.low, domain.high) : rank);
    set(ValueFeature::LogMagnitude, domain.numeric ? logMagnitude(value.asDouble()) : 0);
    set(ValueFeature::LogPosition,
        domain.numeric ? position(logMagnitude(value.asDouble()), logMagnitude(domain.low), logMagnitude(domain.high)) : rank);
    set(ValueFeature::PowerOfTwo, isPowerOfTwo(value) ? 1 : 0);
    set(ValueFeature::IsDefault, v == parameter.defaultIndex ? 1 : 0);
    if (incumbent) {
        const double away = static_cast<double>(v) - static_cast<double>(*incumbent);
        const double distance = last <= 0 || away == 0 ? 0 : ordered(parameter.scale) ? away / last : std::copysign(1.0, away);
        set(ValueFeature::IsIncumbent, away == 0 ? 1 : 0);
        set(ValueFeature::SignedDistance, ordered(parameter.scale) ? distance : 0);
        set(ValueFeature::Closeness, 1 - std::abs(distance));
    }
    const ValueStatistics::Cell& cell = statistics.cell(p, v);
    set(ValueFeature::TriedShare, statistics.total() > 0 ? cell.tried / statistics.total() : 0);
    set(ValueFeature::Novelty, 1 / std::sqrt(1 + cell.tried));
    set(ValueFeature::MeanReward, domain.means[v] / kScoreScale);
    set(ValueFeature::SmoothedReward, (ordered(parameter.scale) ? statistics.smoothedMean(p, v) : domain.means[v]) / kScoreScale);
    set(ValueFeature::BestReward, cell.tried > 0 ? statistics.standardise(cell.best) / kScoreScale : 0);
    set(ValueFeature::FailedShare, cell.failed / (cell.tried + 1));
    set(ValueFeature::MeanRank, position(domain.means[v], domain.meanLow, domain.meanHigh));
}

}  // namespace

const std::array<std::string_view, kDescriptorSize>& descriptorNames() {
    return kNames;
}

DescriptorTable describe(const space::SearchSpace& space, const space::ValueMask& mask, const ValueStatistics& statistics,
                         const std::optional<space::Configuration>& incumbent) {
    DescriptorTable table;
    const std::vector<space::Parameter>& parameters = space.parameters();
    std::size_t rows = 0;
    for (const space::Parameter& parameter : parameters) {
        table.firstRow.push_back(rows);
        rows += parameter.values.size();
    }
    table.rows.assign(rows * kDescriptorSize, 0.0f);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const Domain domain = surveyDomain(parameters[p], p, statistics);
        std::optional<std::size_t> reference;
        if (incumbent) reference = incumbent->index[p];
        for (std::size_t v = 0; v < domain.size; ++v) {
            float* out = table.rows.data() + (table.firstRow[p] + v) * kDescriptorSize;
            describeParameter(out, parameters[p], domain, p, parameters.size(), mask[p]);
            describeValue(out + kParameterFeatures, parameters[p], domain, p, v, statistics, reference);
        }
    }
    return table;
}

std::array<float, kDescriptorSize> initialLinearWeights() {
    std::array<float, kDescriptorSize> weights{};
    const auto set = [&](ValueFeature feature, float weight) { weights[kParameterFeatures + static_cast<std::size_t>(feature)] = weight; };
    set(ValueFeature::MeanReward, 3.0f);
    set(ValueFeature::SmoothedReward, 1.5f);
    set(ValueFeature::BestReward, 1.0f);
    set(ValueFeature::Novelty, 0.5f);
    set(ValueFeature::FailedShare, -2.0f);
    set(ValueFeature::IsIncumbent, 0.5f);
    set(ValueFeature::Closeness, 0.5f);
    return weights;
}

}  // namespace ww::policy
