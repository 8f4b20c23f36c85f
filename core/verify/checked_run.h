// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "device/device.h"
#include "spec/spec.h"
#include "verify/launch_buffers.h"

namespace ww::verify {

/// What a checked run does beside launching once.
struct RunOptions {
    std::uint64_t seed = 0;
    int poison = 0;             ///< pattern of the first launch; later ones take turns
    int launches = 1;           ///< on the same inputs; what is changed in place is restored and outputs are poisoned before each
    double repeatSeconds = 1.0; ///< no further launch after this time
    bool wholeInputs = true;    ///< inputs are compared whole afterwards; else large ones in places
};

/// How the outputs of later launches on the same inputs differ from the first one's.
struct Repeats {
    int launches = 1;         ///< that were made
    int differing = 0;        ///< of the later ones
    int firstDiffering = 0;   ///< its number, from 2
    std::string output;       ///< first that differs there
    std::uint64_t elements = 0, index = 0, unwritten = 0; ///< of that output in that launch: differing, first of them, still poisoned
    std::vector<std::pair<std::string, Spread>> spreads;  ///< largest per output
    [[nodiscard]] Json toJson() const;
    [[nodiscard]] static Repeats fromJson(const Json& json); ///< throws Json::exception
};

/// What verification launches left behind; the worker's half of worker::RunResult.
struct CheckedRun {
    device::Outcome outcome; ///< other than Ok: the rest is empty
    std::vector<std::string> guardViolations;
    std::vector<std::string> changedInputs;
    std::vector<std::string> unwrittenOutputs;
    std::vector<std::span<const std::byte>> outputs; ///< of the first launch, in argument order; views, valid until the buffers' next use
    Repeats repeats;
};

/// Prepares the buffers, launches, and looks at everything the launches may have touched, after the first and after the last. An
/// empty launch (a grid dimension of 0) is not launched; its outputs keep the poison. Errors: those of LaunchBuffers; a fault of the
/// candidate is the Outcome.
[[nodiscard]] Result<CheckedRun> checkedRun(device::Device& device, LaunchBuffers& buffers, device::ModuleId module,
                                            const spec::ResolvedLaunch& launch, const RunOptions& options, const DataSource& data = {});

} // namespace ww::verify
