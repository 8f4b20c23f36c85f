// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/session.h"
#include "engine/worker_plan.h"
#include "worker/clients.h"

namespace ww::engine {

/// A compiled program, ready for the device.
struct Program {
    space::Configuration configuration;
    compile::CompileResult object;
    spec::ResolvedLaunch launch;            ///< on the tuned workload
    std::optional<std::uint32_t> module;    ///< as Workers loaded it; means nothing once `generation` has passed
    std::uint64_t generation = 0;
};

/// The worker processes of a session: compilers that run ahead and the one that owns the device. The device's process is replaced
/// after a fault, and with it go all modules; a Program is then loaded again when it is used next. Compilers pause while the
/// CPU device takes times. Engine thread only.
class Workers {
public:
    /// Errors: SandboxUnavailable (with the remedy), EnvironmentMissing (no compiler for this device).
    [[nodiscard]] static Result<std::unique_ptr<Workers>> start(const Task& task, bool allowNoSandbox, std::stop_token stop);

    [[nodiscard]] worker::CompilePool& compilers() noexcept { return *m_compilers; }
    [[nodiscard]] int compileWorkers() const noexcept { return m_plan.compileWorkers; }
    [[nodiscard]] sandbox::Level level() const noexcept { return m_level; }
    /// {compiler, sandbox, compile_workers}
    [[nodiscard]] Json environment() const;

    /// Loads it now, even where it is loaded already; a refusal by the device is the outcome.
    [[nodiscard]] Result<std::pair<worker::DeviceOutcome, device::FunctionFacts>> load(Program& program);
    void unload(Program& program);
    /// A fresh device process.
    [[nodiscard]] Result<void> restart();

    /// DeviceClient's calls, on programs. Errors: also WorkerFailed where a program that ran before cannot be loaded again.
    [[nodiscard]] Result<worker::RunResult> run(Program& program, const spec::ResolvedLaunch& launch, const verify::RunOptions& options,
                                                std::chrono::nanoseconds deadline);
    [[nodiscard]] Result<std::pair<worker::DeviceOutcome, bench::PairedSamples>> bench(Program& reference, Program& candidate, std::uint64_t seed,
                                                                                       const bench::BenchOptions& options,
                                                                                       std::chrono::nanoseconds deadline);
    [[nodiscard]] Result<std::pair<worker::DeviceOutcome, std::vector<std::vector<double>>>> benchMany(std::vector<Program>& programs,
                                                                                                       std::uint64_t seed,
                                                                                                       const bench::BenchOptions& options,
                                                                                                       std::chrono::nanoseconds deadline);

private:
    Workers() = default;
    [[nodiscard]] Result<void> startCompilers(const Task& task, const sandbox::WorkerOptions& base, std::stop_token stop);
    [[nodiscard]] Result<void> startDevice(const Task& task, const sandbox::WorkerOptions& base, std::stop_token stop);
    [[nodiscard]] Result<std::uint32_t> moduleOf(Program& program);
    void note(const worker::DeviceOutcome& outcome) { m_generation += outcome.workerReplaced ? 1 : 0; }

    WorkerPlan m_plan;
    sandbox::Level m_level = sandbox::Level::Bubblewrap;
    std::unique_ptr<worker::CompilePool> m_compilers;
    std::unique_ptr<worker::DeviceClient> m_device;
    std::uint64_t m_generation = 0;         ///< of the device process
};

}  // namespace ww::engine
