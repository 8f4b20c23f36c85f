// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "engine/session.h"
#include "worker/clients.h"

namespace ww::engine {

/// What a launch's Random arguments hold.
struct Inputs {
    std::uint64_t seed = 0;
    spec::InputFamily family = spec::InputFamily::Uniform;
    double nudge = 0;       ///< see ResolvedArgument
};
/// The launch with its Random floating-point inputs drawn so. The seed goes beside it.
[[nodiscard]] spec::ResolvedLaunch withInputs(spec::ResolvedLaunch launch, const Inputs& inputs);

/// What a correct kernel writes, in float64: one vector per checked argument, in the launch's order.
struct Expected {
    std::vector<std::vector<double>> outputs;
    double seconds = 0;     ///< what it took to compute
};

/// Computes expected outputs from the same seeded inputs that the worker generates; keeps the latest ones by content.
/// The candidate always runs first: nothing here is in reach of its process. Engine thread only.
class ReferenceProvider {
public:
    /// Runs a module of ours (reference kernel, or the original at its defaults) and returns its outputs.
    using RunOriginal = std::function<Result<std::vector<std::vector<double>>>(const spec::WorkloadSpec&, const Inputs&)>;

    ReferenceProvider(std::shared_ptr<const Task> task, RunOriginal runOriginal);

    /// Errors: InvalidSpec (the reference itself is wrong: TorchScript's words, a wrong number of elements),
    /// EnvironmentMissing (TorchScript without the LibTorch module), Cancelled.
    [[nodiscard]] Result<std::shared_ptr<const Expected>> expected(const spec::ResolvedLaunch& launch, const spec::WorkloadSpec& workload,
                                                                   const Inputs& inputs);
    /// Whether it runs a program on the device (and so overwrites what a launch left in the arena).
    [[nodiscard]] bool usesDevice() const noexcept;

    /// "TorchScript in float64", ...: for the log and the window.
    [[nodiscard]] std::string describe() const;

private:
    [[nodiscard]] Result<std::vector<std::vector<double>>> compute(const spec::ResolvedLaunch& launch, const spec::WorkloadSpec& workload,
                                                                   const Inputs& inputs) const;
    [[nodiscard]] Result<std::vector<std::vector<double>>> evaluateScript(const spec::ResolvedLaunch& launch,
                                                                          const spec::WorkloadSpec& workload, std::uint64_t seed) const;
    [[nodiscard]] Result<std::vector<std::vector<double>>> readArguments(const spec::ResolvedLaunch& launch) const;

    std::shared_ptr<const Task> m_task;
    RunOriginal m_runOriginal;
    std::list<std::pair<std::string, std::shared_ptr<const Expected>>> m_recent;  ///< newest first
};

}  // namespace ww::engine
