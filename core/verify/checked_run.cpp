// SPDX-License-Identifier: Apache-2.0
#include "verify/checked_run.h"

namespace ww::verify {

Result<CheckedRun> checkedRun(device::Device& device, LaunchBuffers& buffers, device::ModuleId module, const spec::ResolvedLaunch& launch,
                              std::uint64_t seed, int poison, const DataSource& data) {
    CheckedRun run;
    WW_CHECK(buffers.prepare(launch, seed, poison, data));
    if (!launch.empty) run.outcome = device.run(buffers.launch(module));
    // After a fault the contents mean nothing, and after a sticky one the context cannot even be read.
    if (run.outcome.status != TrialStatus::Ok) return run;
    WW_TRY(violations, buffers.guardViolations());
    run.guardViolations = std::move(violations);
    WW_TRY(changed, buffers.changedInputs());
    run.changedInputs = std::move(changed);
    WW_TRY(outputs, buffers.outputs());
    run.outputs = std::move(outputs);
    run.unwrittenOutputs = buffers.unwrittenOutputs();
    return run;
}

} // namespace ww::verify
