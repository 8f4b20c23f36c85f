// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"
#include "device/device.h"
#include "engine/session.h"
#include "mutate/mutate.h"

namespace ww::engine {

/// A configuration on its way to the compiler: the mutant and the request made of it.
struct Candidate {
    space::Configuration configuration;
    mutate::Mutant mutant;
    compile::CompileRequest request;
};

/// Makes the mutant and the compile request. Errors: a site that cannot be edited, a value without a C++ spelling.
[[nodiscard]] Result<Candidate> makeCandidate(const Task& task, const space::Configuration& configuration);

/// The launch of a configuration on a workload (the task's own where none is given).
[[nodiscard]] Result<spec::ResolvedLaunch> launchFor(const Task& task, const space::Configuration& configuration,
                                                     const spec::WorkloadSpec& workload);

[[nodiscard]] device::LaunchShape shapeOf(const spec::ResolvedLaunch& launch);

/// Two trials with equal keys are the same program on the same launch: they share one measurement.
[[nodiscard]] std::string measurementKey(const std::string& objectHash, const spec::ResolvedLaunch& launch);

}  // namespace ww::engine
