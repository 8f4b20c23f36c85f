// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/reference.h"
#include "engine/workers.h"

namespace ww::engine {

/// What a checked launch found wrong; status Ok when nothing.
struct Flaw {
    TrialStatus status = TrialStatus::Ok;
    std::string message;
};
/// Judges everything but the values: the launch's own outcome, guard zones, read-only inputs.
[[nodiscard]] Flaw judgeRun(const worker::RunResult& run);

/// The program whose outputs count as right where no TorchScript says so: the spec's reference kernel, or the original at its
/// defaults. Compiled when first needed. Engine thread only.
class OriginalProgram {
public:
    /// With `referenceKernel` the spec's reference kernel stands in where it has one.
    OriginalProgram(std::shared_ptr<const Task> task, Workers& workers, bool referenceKernel)
        : m_task(std::move(task)), m_workers(workers),
          m_referenceKernel(referenceKernel && m_task->spec.reference.kind == spec::ReferenceKind::Kernel) {}

    /// The configuration that stands for the original: the default, or the baseline where the default does not run.
    void standIn(const space::Configuration& configuration);

    /// Its outputs in the arena, valid until the next run. Errors: InvalidSpec where it does not compile, launch, or run.
    [[nodiscard]] Result<worker::RunResult> run(const spec::WorkloadSpec& workload, const Inputs& inputs, std::chrono::nanoseconds deadline);
    /// The same in float64, one vector per checked argument.
    [[nodiscard]] Result<std::vector<std::vector<double>>> outputs(const spec::WorkloadSpec& workload, const Inputs& inputs,
                                                                   std::chrono::nanoseconds deadline);

private:
    [[nodiscard]] Result<void> compile();
    [[nodiscard]] Result<spec::ResolvedLaunch> launchOn(const spec::WorkloadSpec& workload) const;

    std::shared_ptr<const Task> m_task;
    Workers& m_workers;
    bool m_referenceKernel;
    std::optional<space::Configuration> m_standIn;
    std::optional<Program> m_program;
};

}  // namespace ww::engine
