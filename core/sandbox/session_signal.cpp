// SPDX-License-Identifier: Apache-2.0
#include "sandbox/session_signal.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ww::sandbox {
namespace {

constexpr int kMaxPasses = 8;

struct Entry {  // struct linux_dirent64, which the C library does not declare
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t length;
    std::uint8_t type;
    char name[1];
};

/// A decimal number, or -1.
long number(const char* text) noexcept {
    long value = 0;
    if (*text < '0' || *text > '9') return -1;
    for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
    return value;
}

/// Session and state of a process, from /proc/PID/stat: "pid (name) state ppid pgrp session ...".
struct ProcessState {
    long session = -1;
    char state = '?';
};

ProcessState lookAt(int processes, const char* pid) noexcept {
    char path[32] = {}, text[512] = {};
    std::strncpy(path, pid, 16);
    std::strcat(path, "/stat");
    const int fd = ::openat(processes, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    const ssize_t got = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    // The name may hold anything, blanks and brackets too: the last bracket ends it.
    const char* at = got > 0 ? std::strrchr(text, ')') : nullptr;
    if (at == nullptr || std::strlen(at) < 4) return {};
    ProcessState state{-1, at[2]};
    at += 2;
    for (int field = 0; field < 3 && at != nullptr; ++field) {
        at = std::strchr(at, ' ');
        if (at != nullptr) ++at;
    }
    if (at != nullptr) state.session = number(at);
    return state;
}

bool needs(const ProcessState& process, int signal) noexcept {
    const bool ended = process.state == 'Z' || process.state == 'X';
    if (signal == SIGSTOP) return !ended && process.state != 'T';
    return !ended;
}

/// How many processes were signalled.
int onePass(pid_t session, int signal) noexcept {
    const int processes = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (processes < 0) return 0;
    alignas(8) char entries[8192];
    int signalled = 0;
    for (;;) {
        const long got = ::syscall(SYS_getdents64, processes, entries, sizeof entries);
        if (got <= 0) break;
        for (long at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const Entry*>(entries + at);
            at += entry->length;
            const char* name = reinterpret_cast<const char*>(entry) + offsetof(Entry, name);
            const long pid = number(name);
            if (pid <= 0 || pid == ::getpid()) continue;
            const ProcessState process = lookAt(processes, name);
            if (process.session != session || !needs(process, signal)) continue;
            if (::kill(static_cast<pid_t>(pid), signal) == 0) ++signalled;
        }
    }
    ::close(processes);
    return signalled;
}

}  // namespace

void signalSession(pid_t session, int signal) noexcept {
    // SIGCONT goes to every process, not only to those seen stopped: a parent between vfork and its child's exec looks busy and
    // still has the SIGSTOP before it, which only a SIGCONT takes back. Twice, for children that came in between.
    const int passes = signal == SIGCONT ? 2 : kMaxPasses;
    for (int pass = 0; pass < passes && onePass(session, signal) > 0; ++pass) {
    }
}

}  // namespace ww::sandbox
