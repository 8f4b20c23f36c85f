// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "engine/session.h"

namespace ww::engine {

/// The whole verification of one configuration: what a new best goes through. `text`: "P=V,..", empty for the defaults.
/// document: {kernel, workload, device, config, reference, correct, status, message, checks, notes, gradient, sandbox}. A wrong
/// configuration is a document with "correct": false; errors are those of the task, the workers, and a task that proves nothing.
[[nodiscard]] Result<Json> verifyConfiguration(const SessionOptions& options, const std::string& text);

}  // namespace ww::engine
