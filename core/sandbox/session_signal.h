// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace ww::sandbox {

/// Sends `signal` to every process of the session but the caller, until a look at /proc finds no new one. A worker is the
/// leader of its session; compilers make process groups of their own, but setsid is forbidden to them. Uses neither heap nor
/// locks: a worker calls it when its own memory may be in any state.
void signalSession(pid_t session, int signal) noexcept;

}  // namespace ww::sandbox
