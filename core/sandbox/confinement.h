// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace ww::sandbox {

/// What a worker gives up right after its start, before it reads any request.
struct Confinement {
    uid_t dropTo = 0;               ///< uid and gid to become when started as root; 0: stay
    bool ownNamespaces = true;      ///< bubblewrap's pid namespace ends us with the engine; without it we see to that ourselves
    bool netlink = false;           ///< the CUDA driver opens netlink sockets
};

/// Worker side, main thread, before any other thread exists: unprivileged uid, no capabilities, no_new_privs, a seccomp filter
/// that takes away what no compiler or kernel needs (ptrace, mount, bpf, keys, namespaces, sockets, ...).
/// Errors: SandboxUnavailable; the worker must not go on then.
[[nodiscard]] Result<void> confine(const Confinement& wanted);

}  // namespace ww::sandbox
