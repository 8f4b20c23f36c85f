// SPDX-License-Identifier: Apache-2.0
#include "bench/paired_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/rng.h"
#include "bench/stopping.h"

namespace ww::bench {

namespace {

/// An interval of more than +-25 % after the whole budget says nothing: the machine, not the kernel, was measured.
constexpr double kUnstableHalfWidth = 0.25;
/// Keeps the resampling stream apart from the ordering stream.
constexpr std::uint64_t kBootstrapStream = 1;

/// Times single samples of a set of launches and keeps the books.
class Sampler {
public:
    Sampler(device::Device& device, std::vector<device::Launch> launches, const BenchOptions& options, const RunHooks& hooks)
        : m_device(device), m_launches(std::move(launches)), m_options(options), m_hooks(hooks), m_batch(m_launches.size(), 1),
          m_taken(m_launches.size(), 0), m_startNs(hooks.nowNs()) {}

    /// Nanoseconds per launch, or nothing when the launch failed (see outcome()).
    [[nodiscard]] Result<std::optional<double>> sample(std::size_t which) {
        if (m_hooks.restore) WW_CHECK(m_hooks.restore(which));
        if (m_hooks.rotate) m_hooks.rotate(which, m_taken[which], m_launches[which]);
        ++m_taken[which];
        const device::Outcome outcome = m_device.time(m_launches[which], m_options.cold, m_batch[which]);
        if (outcome.status != TrialStatus::Ok) {
            m_outcome = outcome;
            m_failed = which;
            return std::optional<double>();
        }
        const auto launchNs = static_cast<double>(outcome.timeNs);
        m_deviceSeconds += launchNs * m_batch[which] * 1e-9;
        return std::optional<double>(launchNs);
    }

    /// False when a launch failed. Sets the batch sizes; afterwards device time and wall time start from zero.
    [[nodiscard]] Result<bool> warmUp() {
        std::vector<WarmupRule> rules(m_launches.size(), WarmupRule(m_options));
        bool done = false;
        while (!done) {
            for (std::size_t which = 0; which < m_launches.size(); ++which) {
                WW_TRY(launchNs, sample(which));
                if (!launchNs) return false;
                rules[which].add(*launchNs);
            }
            const double elapsed = wallSeconds();
            done = std::all_of(rules.begin(), rules.end(), [&](const WarmupRule& rule) { return rule.done(elapsed); });
        }
        // The fastest launch decides for all, so that both sides of a ratio carry the same share of event overhead.
        double fastestNs = rules.front().medianNs();
        for (const WarmupRule& rule : rules)
            fastestNs = std::min(fastestNs, rule.medianNs());
        const int batch = m_hooks.restore ? 1 : launchesPerSample(m_options, fastestNs);
        std::fill(m_batch.begin(), m_batch.end(), batch);
        m_deviceSeconds = 0;
        m_startNs = m_hooks.nowNs();
        return true;
    }

    [[nodiscard]] double wallSeconds() const { return static_cast<double>(m_hooks.nowNs() - m_startNs) * 1e-9; }
    [[nodiscard]] double deviceSeconds() const noexcept { return m_deviceSeconds; }
    [[nodiscard]] int batch() const noexcept { return m_batch.front(); }
    [[nodiscard]] const device::Outcome& outcome() const noexcept { return m_outcome; }
    [[nodiscard]] std::size_t failed() const noexcept { return m_failed; }

private:
    device::Device& m_device;
    std::vector<device::Launch> m_launches;
    const BenchOptions& m_options;
    const RunHooks& m_hooks;
    std::vector<int> m_batch, m_taken;
    std::int64_t m_startNs;
    double m_deviceSeconds = 0;
    device::Outcome m_outcome;
    std::size_t m_failed = 0;
};

/// Takes one pair, the candidate first or last. False when a launch failed; then neither list grows.
Result<bool> takePair(Sampler& sampler, bool candidateFirst, PairedSamples& samples) {
    const std::size_t first = candidateFirst ? 1 : 0;
    WW_TRY(firstNs, sampler.sample(first));
    if (!firstNs) return false;
    WW_TRY(secondNs, sampler.sample(1 - first));
    if (!secondNs) return false;
    samples.referenceNs.push_back(candidateFirst ? *secondNs : *firstNs);
    samples.candidateNs.push_back(candidateFirst ? *firstNs : *secondNs);
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
            reason = rule.check(samples.referenceNs, samples.candidateNs, sampler.deviceSeconds(), sampler.wallSeconds());
            going = taken && !samples.rejectedEarly && reason == StopReason::None;
        }
    }
    run.outcome = sampler.outcome();
    run.failed = sampler.failed();
    samples.launchesPerSample = sampler.batch();
    samples.deviceSeconds = sampler.deviceSeconds();
    samples.wallSeconds = sampler.wallSeconds();
    const bool enough = samples.candidateNs.size() >= static_cast<std::size_t>(std::max(options.minSamples, 2));
    samples.unstable = enough && !samples.rejectedEarly && reason != StopReason::Precise &&
                       rule.halfWidth(samples.referenceNs, samples.candidateNs) > kUnstableHalfWidth;
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
        for (std::size_t left = order.size(); left > 1; --left)
            std::swap(order[left - 1], order[random.below(left)]);
        std::vector<double> round(launches.size());
        for (const std::size_t which : order) {
            WW_TRY(launchNs, sampler.sample(which));
            if (!launchNs) {
                going = false;
                break;
            }
            round[which] = *launchNs;
        }
        if (!going) break;
        for (std::size_t which = 0; which < round.size(); ++which)
            run.samplesNs[which].push_back(round[which]);
        bool spent = false;
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
    const bool enough = run.samplesNs.front().size() >= static_cast<std::size_t>(std::max(options.minSamples, 2));
    for (std::size_t which = 1; which < launches.size() && enough; ++which)
        if (rules[which].halfWidth(run.samplesNs.front(), run.samplesNs[which]) > kUnstableHalfWidth) run.unstable = true;
    return run;
}

} // namespace ww::bench
