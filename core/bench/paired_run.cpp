// SPDX-License-Identifier: Apache-2.0
#include "bench/paired_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/rng.h"
#include "bench/sampler.h"
#include "bench/stopping.h"

namespace ww::bench {

namespace {

/// An interval of more than +-25 % after the whole budget says nothing: the machine, not the kernel, was measured.
constexpr double kUnstableHalfWidth = 0.25;
/// Keeps the resampling stream apart from the ordering stream.
constexpr std::uint64_t kBootstrapStream = 1;

/// Takes one pair, the candidate first or last. False when a launch failed; then no list grows. A throttled pair goes to the
/// discarded samples.
Result<bool> takePair(Sampler& sampler, bool candidateFirst, PairedSamples& samples) {
    const std::size_t first = candidateFirst ? 1 : 0;
    WW_TRY(before, sampler.sample(first));
    if (!before) return false;
    WW_TRY(after, sampler.sample(1 - first));
    if (!after) return false;
    if (!sampler.keep({*before, *after})) {
        samples.discardedNs.insert(samples.discardedNs.end(), {before->ns, after->ns});
        return true;
    }
    const Sample& reference = candidateFirst ? *after : *before;
    const Sample& candidate = candidateFirst ? *before : *after;
    samples.referenceNs.push_back(reference.ns);
    samples.candidateNs.push_back(candidate.ns);
    if (reference.clockMHz > 0 && candidate.clockMHz > 0) {
        samples.referenceClockMHz.push_back(reference.clockMHz);
        samples.candidateClockMHz.push_back(candidate.clockMHz);
    }
    return true;
}

/// A random order of one round.
void shuffle(std::vector<std::size_t>& order, SplitMix64& random) {
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[random.below(left)]);
}

/// Takes one sample of each launch. False when a launch failed; then no list grows, nor does it when the device throttled.
Result<bool> takeRound(Sampler& sampler, const std::vector<std::size_t>& order, std::vector<std::vector<double>>& samplesNs) {
    std::vector<Sample> round(order.size());
    for (const std::size_t which : order) {
        WW_TRY(taken, sampler.sample(which));
        if (!taken) return false;
        round[which] = *taken;
    }
    if (!sampler.keep(round)) return true;
    for (std::size_t which = 0; which < round.size(); ++which)
        samplesNs[which].push_back(round[which].ns);
    return true;
}

} // namespace

Result<PairedRun> runPaired(device::Device& device, const device::Launch& reference, const device::Launch& candidate,
                            const BenchOptions& options, std::uint64_t seed, const RunHooks& hooks) {
    Sampler sampler(device, {reference, candidate}, options, hooks);
    SplitMix64 random(seed);
    StopRule rule(options, deriveSeed(seed, kBootstrapStream));
    PairedRun run;
    PairedSamples& samples = run.samples;
    samples.cold = options.cold;
    WW_TRY(warm, sampler.warmUp());
    StopReason reason = StopReason::None;
    for (bool going = warm; going;) {
        // ABBA or BAAB: a drift that is linear over the four launches cancels.
        const bool candidateFirst = random.below(2) == 1;
        for (int half = 0; half < 2 && going; ++half) {
            WW_TRY(taken, takePair(sampler, candidateFirst != (half == 1), samples));
            samples.rejectedEarly = taken && clearlyWorse(options, samples.candidateNs);
            samples.throttled = sampler.clocks().exhausted();
            reason = rule.check(samples.referenceNs, samples.candidateNs, sampler.deviceSeconds(), sampler.wallSeconds());
            going = taken && !samples.rejectedEarly && !samples.throttled && reason == StopReason::None;
        }
    }
    run.outcome = sampler.outcome();
    run.failed = sampler.failed();
    samples.launchesPerSample = sampler.batch();
    samples.deviceSeconds = sampler.deviceSeconds();
    samples.wallSeconds = sampler.wallSeconds();
    samples.medianClockMHz = sampler.clocks().medianMHz();
    const bool enough = samples.candidateNs.size() >= 6;
    const bool wide = enough && !samples.rejectedEarly && reason != StopReason::Precise &&
                      rule.halfWidth(samples.referenceNs, samples.candidateNs) > kUnstableHalfWidth;
    samples.unstable = samples.throttled || wide;
    return run;
}

Result<ManyRun> runMany(device::Device& device, const std::vector<device::Launch>& launches, const BenchOptions& options,
                        std::uint64_t seed, const RunHooks& hooks) {
    ManyRun run;
    run.samplesNs.resize(launches.size());
    if (launches.empty()) return run;
    // The budget is meant per pair of launches.
    BenchOptions scaled = options;
    const double pairs = std::max(1.0, 0.5 * static_cast<double>(launches.size()));
    scaled.maxDeviceSeconds *= pairs;
    scaled.maxWallSeconds *= pairs;
    scaled.maxWarmupSeconds *= pairs;
    Sampler sampler(device, launches, scaled, hooks);
    SplitMix64 random(seed);
    std::vector<StopRule> rules(launches.size(), StopRule(scaled, deriveSeed(seed, kBootstrapStream)));
    std::vector<std::size_t> order(launches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    WW_TRY(warm, sampler.warmUp());
    std::vector<bool> precise(launches.size(), false);
    for (bool going = warm; going;) {
        shuffle(order, random);
        WW_TRY(taken, takeRound(sampler, order, run.samplesNs));
        if (!taken) break;
        bool spent = sampler.clocks().exhausted();
        // A launch alone is compared with its own median, which makes the ratio's interval that of the median.
        const bool alone = launches.size() == 1;
        const std::vector<double> own(alone ? run.samplesNs.front().size() : 0, alone ? median(run.samplesNs.front()) : 0.0);
        const std::vector<double>& base = alone ? own : run.samplesNs.front();
        for (std::size_t which = alone ? 0 : 1; which < launches.size(); ++which) {
            const StopReason reason = rules[which].check(base, run.samplesNs[which], sampler.deviceSeconds(), sampler.wallSeconds());
            spent = spent || (reason != StopReason::None && reason != StopReason::Precise);
            if (reason == StopReason::Precise) precise[which] = true;
        }
        going = !spent && !std::all_of(precise.begin() + (alone ? 0 : 1), precise.end(), [](bool is) { return is; });
    }
    run.outcome = sampler.outcome();
    run.failed = sampler.failed();
    run.deviceSeconds = sampler.deviceSeconds();
    run.wallSeconds = sampler.wallSeconds();
    run.medianClockMHz = sampler.clocks().medianMHz();
    run.unstable = sampler.clocks().exhausted();
    const bool enough = run.samplesNs.front().size() >= static_cast<std::size_t>(std::max(options.minSamples, 2));
    for (std::size_t which = 1; which < launches.size() && enough; ++which)
        if (rules[which].halfWidth(run.samplesNs.front(), run.samplesNs[which]) > kUnstableHalfWidth) run.unstable = true;
    return run;
}

} // namespace ww::bench
