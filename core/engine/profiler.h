// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "encode/encode.h"
#include "engine/workers.h"
#include "profile/analysis.h"
#include "store/records.h"
#include "worker/profile_client.h"

namespace ww::engine {

/// Profiles programs that have passed verification: in a worker of its own on a GPU, started when first needed, never while anything
/// is timed. Where counters cannot be had, what the other rungs give. A profile that fails ends no trial. Engine thread only.
class Profiler {
public:
    Profiler(std::shared_ptr<const Task> task, std::uint64_t seed, std::stop_token stop)
        : m_task(std::move(task)), m_seed(seed), m_stop(std::move(stop)) {}

    /// What is known of a program from compile, load and bench.
    struct Known {
        device::FunctionFacts function; ///< of Workers::load(); -1 where unknown
        std::optional<double> timeNs;   ///< median
    };
    /// Whether a correct trial should be profiled: each, where the trial's set takes one pass; else improvements alone. False
    /// where this machine gives no counters: the other rungs tell nothing that the trial's record does not.
    [[nodiscard]] bool wantsTrial(bool improvement);
    /// The trial's set. Errors: Cancelled.
    [[nodiscard]] Result<profile::Profile> profileTrial(const Program& program, const Known& known) {
        return profile(program, known, profile::MetricSet::Trial);
    }
    /// Any set: finalists, pins, on demand. Errors: Cancelled.
    [[nodiscard]] Result<profile::Profile> profile(const Program& program, const Known& known, profile::MetricSet set);

    /// Why there are no counters, with the remedy; empty where there are. Finds out at the first call.
    [[nodiscard]] const std::string& noCounters();
    /// How the profile worker is kept apart, for the session's record: "" before it runs, "none, as root (counters)", "none (counters)".
    [[nodiscard]] std::string level() const;

private:
    [[nodiscard]] worker::ProfileClient* client();
    [[nodiscard]] std::string reasonToSkip() const;

    std::shared_ptr<const Task> m_task;
    std::uint64_t m_seed;
    std::stop_token m_stop;
    std::unique_ptr<worker::ProfileClient> m_client;
    std::string m_noCounters;
    bool m_tried = false;
    int m_losses = 0; ///< of the worker, one after another
};

/// Rows of `metric`: "profile/dram_pct", ... with the rung as source; absent figures have no row.
[[nodiscard]] std::vector<store::MetricRecord> metricRows(const profile::Profile& profile);
/// What the state vector shows of it.
[[nodiscard]] encode::LastProfile lastProfile(const profile::Profile& profile, const device::DeviceFacts& device);

/// CLI `profile`: compiles, verifies and times one configuration, then profiles it.
/// document: {kernel, workload, device, config, time_ns, sandbox, profile_sandbox, counters{available, reason}, profile}.
[[nodiscard]] Result<Json> profileConfiguration(const SessionOptions& options, const std::string& configuration, profile::MetricSet set);

} // namespace ww::engine
