// SPDX-License-Identifier: Apache-2.0
#include "sandbox/confinement.h"

#include <grp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace ww::sandbox {
namespace {

constexpr const char* kDenied[] = {
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "mount_setattr",
    "unshare", "setns", "bpf", "perf_event_open", "keyctl", "add_key", "request_key", "userfaultfd",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "open_by_handle_at", "name_to_handle_at",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff", "acct",
    "quotactl", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "syslog",
    "fanotify_init", "lookup_dcookie", "iopl", "ioperm", "vhangup", "nfsservctl", "mknod", "mknodat",
    // A process that leaves the group would not be stopped or ended with it.
    "setsid"};

int denySockets(scmp_filter_ctx filter, bool netlink) {
    int failed = 0;
    // Allowed are AF_UNIX (1) and, for a GPU, AF_NETLINK (16). A rule may name one argument once only, hence the list.
    for (unsigned domain = 0; domain < AF_MAX; ++domain) {
        if (domain == AF_UNIX || (netlink && domain == AF_NETLINK)) continue;
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, domain));
    }
    return failed;
}

int addRules(scmp_filter_ctx filter, bool netlink) {
    int failed = 0;
    for (const char* name : kDenied) {
        const int number = seccomp_syscall_resolve_name(name);
        // A call that this architecture or this libseccomp does not know cannot be named, and need not be.
        if (number == __NR_SCMP_ERROR) continue;
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
    }
    for (const std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
    }
    // clone3 takes its flags by pointer, which a filter cannot read; the C library falls back to clone.
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    // kill(-1): everything of this user, which matters where there is no pid namespace.
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, 0xffffffffu));
    failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, 0x5412u));  // TIOCSTI
    return failed | denySockets(filter, netlink);
}

Result<void> filterCalls(bool netlink) {
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
    if (!filter || addRules(filter.get(), netlink) != 0) {
        return fail(ErrorCode::SandboxUnavailable, "the seccomp filter could not be built; libseccomp 2.5 or newer is needed");
    }
    if (const int failed = seccomp_load(filter.get()); failed != 0) {
        return fail(ErrorCode::SandboxUnavailable,
                    std::string("the kernel refused the seccomp filter: ") + std::strerror(-failed) + "; use a kernel with CONFIG_SECCOMP_FILTER");
    }
    return {};
}

Result<void> dropRoot(uid_t to) {
    if (::geteuid() != 0 || to == 0) return {};
    const auto become = [](uid_t id) {
        return ::setgroups(0, nullptr) == 0 && ::setresgid(id, id, id) == 0 && ::setresuid(id, id, id) == 0;
    };
    // A container may have mapped fewer ids; "nobody" is then shared by all workers.
    if (!become(to) && !become(65534)) {
        return fail(ErrorCode::SandboxUnavailable, std::string("root could not be given up: ") + std::strerror(errno));
    }
    if (::geteuid() == 0 || ::getuid() == 0 || ::setuid(0) == 0) {
        return fail(ErrorCode::SandboxUnavailable, "root could not be given up");
    }
    return {};
}

/// Asks for SIGCONT, not SIGKILL, when the parent dies: it wakes a stopped worker, whose watching thread (channel.cpp) then
/// sees the closed channel and ends the compilers too, which a SIGKILL to the worker alone would leave.
Result<void> followParent() {
    if (::prctl(PR_SET_PDEATHSIG, SIGCONT) != 0) {
        return fail(ErrorCode::SandboxUnavailable, std::string("the worker cannot follow its parent: ") + std::strerror(errno));
    }
    return {};
}

}  // namespace

Result<void> confine(const Confinement& wanted) {
    WW_CHECK(dropRoot(wanted.dropTo));
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return fail(ErrorCode::SandboxUnavailable, std::string("no_new_privs: ") + std::strerror(errno));
    }
    // The change of uid made our own /proc entries root's; drivers and runtimes read them.
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    // After the change of uid, which clears the parent-death signal.
    if (!wanted.ownNamespaces) WW_CHECK(followParent());
    return filterCalls(wanted.netlink);
}

}  // namespace ww::sandbox
