// SPDX-License-Identifier: Apache-2.0
#include "sandbox/bubblewrap.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "sandbox/spawn.h"
#include "sandbox/unique_fd.h"

namespace ww::sandbox {
namespace fs = std::filesystem;
namespace {

struct Ended {
    int status = -1;
    std::string output;
};

/// Runs a program to its end with stdout and stderr in one text; five seconds are plenty for bwrap and `true`.
Result<Ended> runBriefly(std::vector<std::string> arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::WorkerFailed, "no pipe could be made");
    UniqueFd read(ends[0]), write(ends[1]);
    SpawnPlan plan;
    plan.arguments = std::move(arguments);
    plan.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
    plan.output = plan.errors = write.get();
    WW_TRY(child, spawn(plan));
    write.reset();
    Ended ended;
    char chunk[4096];
    for (;;) {
        pollfd wait{read.get(), POLLIN, 0};
        const int ready = ::poll(&wait, 1, 5000);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            ::kill(-child, SIGKILL);
            ended.output += "it did not end within five seconds";
            break;
        }
        const ssize_t got = ::read(read.get(), chunk, sizeof chunk);
        if (got <= 0) break;
        ended.output.append(chunk, static_cast<std::size_t>(got));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    while (!ended.output.empty() && ended.output.back() == '\n') ended.output.pop_back();
    return ended;
}

bool atLeast(const std::string& version, int major, int minor) {
    int hasMajor = 0, hasMinor = 0;
    if (std::sscanf(version.c_str(), "%d.%d", &hasMajor, &hasMinor) != 2) return false;
    return hasMajor > major || (hasMajor == major && hasMinor >= minor);
}

std::string remedyFor(const std::string& output) {
    const bool permission = output.find("ermission") != std::string::npos || output.find("not permitted") != std::string::npos;
    if (output.find("proc") != std::string::npos && output.find("mount") != std::string::npos) {
        return "this container does not allow a /proc of one's own: start it with more rights (docker: --security-opt "
               "systempaths=unconfined --cap-add SYS_ADMIN), or accept workers without isolation with --no-sandbox";
    }
    if (permission && ::geteuid() == 0) {
        return "namespaces are not allowed in this container: start it with --cap-add SYS_ADMIN, or accept workers without "
               "isolation with --no-sandbox";
    }
    if (permission) {
        return "user namespaces are off: allow them with `sysctl kernel.unprivileged_userns_clone=1` (Ubuntu: "
               "kernel.apparmor_restrict_unprivileged_userns=0), or accept workers without isolation with --no-sandbox";
    }
    return "mend bubblewrap, or accept workers without isolation with --no-sandbox";
}

/// The machine's own folders of programs and libraries; on merged-usr systems most are symbolic links into /usr.
void addSystemFolders(std::vector<std::string>& arguments) {
    arguments.insert(arguments.end(), {"--ro-bind", "/usr", "/usr"});
    for (const char* folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        std::error_code failed;
        if (const auto target = fs::read_symlink(folder, failed); !failed) {
            arguments.insert(arguments.end(), {"--symlink", target.string(), folder});
        } else if (fs::is_directory(folder, failed)) {
            arguments.insert(arguments.end(), {"--ro-bind", folder, folder});
        }
    }
    // Parents that a bind creates are closed (0700) to the uid that the worker becomes; --dir makes them 0755. A toolkit or compiler
    // that is reached through /etc/alternatives would not be found.
    for (const char* parent : {"/etc", "/sys", "/sys/devices", "/sys/devices/system"}) arguments.insert(arguments.end(), {"--dir", parent});
    for (const char* needed : {"/etc/alternatives", "/etc/ld.so.cache", "/sys/devices/system/cpu"}) {
        arguments.insert(arguments.end(), {"--ro-bind-try", needed, needed});
    }
}

}  // namespace

fs::path findBubblewrap() {
    const char* list = std::getenv("PATH");
    std::string_view rest = list != nullptr ? list : "/usr/bin:/bin";
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        const fs::path candidate = fs::path(rest.substr(0, colon)) / "bwrap";
        if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
        if (colon == std::string_view::npos) break;
        rest.remove_prefix(colon + 1);
    }
    return {};
}

bool exposesHome(const fs::path& folder) {
    std::set<fs::path> homes;
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') homes.insert(home);
    if (const passwd* entry = ::getpwuid(::getuid()); entry != nullptr && entry->pw_dir != nullptr) homes.insert(entry->pw_dir);
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(folder, failed);
    if (failed) return true;
    return std::ranges::any_of(homes, [&](const fs::path& home) {
        std::error_code ignored;
        const fs::path inside = fs::weakly_canonical(home, ignored);
        return inside != "/" && std::mismatch(real.begin(), real.end(), inside.begin(), inside.end()).first == real.end();
    });
}

std::vector<std::string> bubblewrapArguments(const fs::path& bwrap, const std::string& version, const View& view) {
    // No --new-session: spawn() has called setsid already, and one process group is what a SIGSTOP or SIGKILL needs.
    std::vector<std::string> arguments{bwrap.string(), "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                                       "--unshare-cgroup-try", "--die-with-parent", "--hostname", "warpwright"};
    arguments.insert(arguments.end(), {"--cap-drop", "ALL"});
    if (::geteuid() == 0) {
        // The worker itself gives up root as the first thing it does; without a user namespace that takes these two.
        arguments.insert(arguments.end(), {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"});
    } else {
        arguments.insert(arguments.end(), {"--unshare-user"});
    }
    addSystemFolders(arguments);
    if (view.wholeSys) arguments.insert(arguments.end(), {"--ro-bind-try", "/sys", "/sys"});
    arguments.insert(arguments.end(), {"--proc", "/proc", "--dev", "/dev"});
    for (const auto& node : view.devices) arguments.insert(arguments.end(), {"--dev-bind-try", node.string(), node.string()});
    arguments.insert(arguments.end(), {"--remount-ro", "/dev"});
    if (atLeast(version, 0, 8) && view.temporaryBytes > 0) {
        arguments.insert(arguments.end(), {"--perms", "1777", "--size", std::to_string(view.temporaryBytes)});
    } else if (atLeast(version, 0, 5)) {
        arguments.insert(arguments.end(), {"--perms", "1777"});
    }
    arguments.insert(arguments.end(), {"--tmpfs", "/tmp"});
    std::set<fs::path> parents{"/tmp"};
    for (const auto& folder : view.readable) {
        if (exposesHome(folder)) continue;
        fs::path parent = "/";
        for (const auto& part : folder.parent_path().relative_path()) {
            parent /= part;
            if (parents.insert(parent).second) arguments.insert(arguments.end(), {"--dir", parent.string()});
        }
        const auto copy = view.copies.find(folder);
        arguments.insert(arguments.end(), {"--ro-bind-try", (copy != view.copies.end() ? copy->second : folder).string(), folder.string()});
    }
    arguments.insert(arguments.end(), {"--remount-ro", "/", "--chdir", "/tmp", "--"});
    return arguments;
}

Availability probe(const fs::path& bwrap) {
    Availability found;
    if (bwrap.empty()) {
        found.reason = "bubblewrap (bwrap) is not installed: install the package bubblewrap, or accept workers without isolation "
                       "with --no-sandbox";
        return found;
    }
    auto asked = runBriefly({bwrap.string(), "--version"});
    if (!asked || asked->status != 0) {
        found.reason = bwrap.string() + " does not run: " + (asked ? asked->output : asked.error().message) + "; " + remedyFor("");
        return found;
    }
    found.version = asked->output.substr(asked->output.find_last_of(' ') + 1);
    View view;
    view.temporaryBytes = 1 << 20;
    auto arguments = bubblewrapArguments(bwrap, found.version, view);
    arguments.push_back("/usr/bin/true");
    auto tried = runBriefly(std::move(arguments));
    if (tried && tried->status == 0) {
        found.level = Level::Bubblewrap;
        return found;
    }
    const std::string said = tried ? tried->output : tried.error().message;
    found.reason = "bubblewrap does not work here (" + said + "): " + remedyFor(said);
    return found;
}

const Availability& availability() {
    static const Availability found = probe(findBubblewrap());
    return found;
}

}  // namespace ww::sandbox
