// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/session.h"
#include "profile/roofline.h"

namespace ww::engine {

/// Declared bytes and operations of a launch of this configuration; unset where the spec gives none, or no usable number.
[[nodiscard]] profile::DeclaredWork declaredWork(const Task& task, const space::Configuration& configuration);

/// Time that no honest launch of it can undercut on this device (ns); 0 where work or device are not known well enough.
[[nodiscard]] double physicalFloorNs(const Task& task, const space::Configuration& configuration);

}  // namespace ww::engine
