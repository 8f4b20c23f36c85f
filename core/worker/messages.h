// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "device/device.h"
#include "spec/spec.h"
#include "verify/checked_run.h"

namespace ww::worker {

// JSON forms of what crosses between engine and worker; docs/worker-protocol.md lists the messages.

[[nodiscard]] Json toJson(const spec::ResolvedLaunch& launch);
[[nodiscard]] Result<spec::ResolvedLaunch> launchFromJson(const Json& json);

[[nodiscard]] Json toJson(const device::LaunchShape& shape);
[[nodiscard]] Result<device::LaunchShape> shapeFromJson(const Json& json);

[[nodiscard]] Json toJson(const device::Outcome& outcome);
[[nodiscard]] Result<device::Outcome> outcomeFromJson(const Json& json);

[[nodiscard]] Json toJson(const device::FunctionFacts& facts);
[[nodiscard]] Result<device::FunctionFacts> functionFactsFromJson(const Json& json);

/// The members of a run request beside its module and launch.
[[nodiscard]] Json toJson(const verify::RunOptions& options);
[[nodiscard]] Result<verify::RunOptions> runOptionsFromJson(const Json& request);

/// Variables of a module: pairs of source name and name in the object. None where the member is absent.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> symbolsFromJson(const Json* json);

/// Outputs lie in the arena one after another, each at a multiple of this.
inline constexpr std::size_t kArenaAlignment = 256;
/// Bytes that the outputs of a launch take there.
[[nodiscard]] std::size_t arenaBytes(const spec::ResolvedLaunch& launch) noexcept;

}  // namespace ww::worker
