// SPDX-License-Identifier: Apache-2.0
#include "bench/sampler.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "bench/stopping.h"

namespace ww::bench {

Sampler::Sampler(device::Device& device, std::vector<device::Launch> launches, const BenchOptions& options, const RunHooks& hooks)
    : m_device(device), m_launches(std::move(launches)), m_options(options), m_hooks(hooks), m_taken(m_launches.size(), 0),
      m_clocks(options.sessionClockMHz), m_startNs(hooks.nowNs()) {}

std::optional<Sample> Sampler::endWith(std::size_t which, device::Outcome outcome) {
    m_outcome = std::move(outcome);
    m_failed = which;
    return std::nullopt;
}

Result<std::optional<Sample>> Sampler::sample(std::size_t which) {
    const int first = m_taken[which];
    m_taken[which] += m_batch;
    m_sequence.assign(static_cast<std::size_t>(m_batch), m_launches[which]);
    if (m_hooks.prepare) {
        for (int i = 0; i < m_batch; ++i)
            WW_CHECK(m_hooks.prepare(which, first + i, m_sequence[static_cast<std::size_t>(i)]));
    }
    const device::Outcome outcome = m_device.timeEach(m_sequence, m_options.cold);
    if (outcome.status != TrialStatus::Ok) return endWith(which, outcome);
    if (m_hooks.inspect) {
        WW_TRY(suspicion, m_hooks.inspect(which, first, m_batch));
        if (suspicion) return endWith(which, {TrialStatus::CheatSuspected, *suspicion, false, 0});
    }
    const auto launchNs = static_cast<double>(outcome.timeNs);
    m_deviceSeconds += launchNs * m_batch * 1e-9;
    return std::optional(Sample{launchNs, outcome.clockMHz});
}

Result<int> Sampler::batchFor(double launchNs) const {
    const int wanted = launchesPerSample(m_options, launchNs);
    if (m_hooks.reserve && wanted > 1) return m_hooks.reserve(wanted);
    // Without buffers of its own each launch of a batch would work on what the one before left behind.
    return m_hooks.prepare && !m_hooks.reserve ? 1 : wanted;
}

Result<bool> Sampler::warmUp() {
    std::vector<WarmupRule> rules(m_launches.size(), WarmupRule(m_options));
    for (bool done = false; !done;) {
        for (std::size_t which = 0; which < m_launches.size(); ++which) {
            WW_TRY(taken, sample(which));
            if (!taken) return false;
            rules[which].add(taken->ns);
        }
        const double elapsed = wallSeconds();
        done = std::all_of(rules.begin(), rules.end(), [&](const WarmupRule& rule) { return rule.done(elapsed); }) ||
               plainlyHopeless(m_options, rules.back());
    }
    // The fastest launch decides for all, so that both sides of a ratio carry the same share of event overhead.
    double fastestNs = rules.front().medianNs();
    for (const WarmupRule& rule : rules)
        fastestNs = std::min(fastestNs, rule.medianNs());
    WW_TRY(batch, batchFor(fastestNs));
    m_batch = std::max(1, batch);
    m_deviceSeconds = 0;
    m_startNs = m_hooks.nowNs();
    return true;
}

bool Sampler::keep(const std::vector<Sample>& samples) {
    bool good = true;
    for (const Sample& sample : samples)
        good = m_clocks.accept(sample.clockMHz) && good;
    if (good) return true;
    const double seconds = m_clocks.pauseSeconds();
    if (m_hooks.pause) m_hooks.pause(seconds);
    else std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    return false;
}

} // namespace ww::bench
