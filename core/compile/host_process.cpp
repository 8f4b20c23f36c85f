// SPDX-License-Identifier: Apache-2.0
#include "compile/host_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

extern char** environ;

namespace ww::compile {

namespace {

constexpr std::size_t kMaxOutput = std::size_t{1} << 20;
using Clock = std::chrono::steady_clock;

/// Our environment with a C locale: messages are matched against a catalogue of English ones.
std::vector<std::string> childEnvironment(const std::string& folder) {
    std::vector<std::string> variables{"LC_ALL=C", "TMPDIR=" + folder};
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (text.starts_with("LC_") || text.starts_with("LANG") || text.starts_with("TMPDIR=") || text.starts_with("GCC_")) continue;
        variables.emplace_back(text);
    }
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

/// Reads until the pipe closes; false when the deadline came first.
bool drain(int fd, std::string& output, Clock::time_point deadline) {
    std::array<char, 16384> chunk;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return false;
        pollfd wait{fd, POLLIN, 0};
        const int ready = ::poll(&wait, 1, static_cast<int>(std::min<long long>(left, 1000)));
        if (ready < 0 && errno != EINTR) return true;
        if (ready <= 0) continue;
        const ssize_t got = ::read(fd, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        output.append(chunk.data(), std::min(static_cast<std::size_t>(got), kMaxOutput - output.size()));
    }
}

/// Waits for the child itself; false when the deadline came first. It has closed its output, so this is short.
bool reap(pid_t child, int& status, Clock::time_point deadline) {
    while (Clock::now() < deadline) {
        const pid_t got = ::waitpid(child, &status, WNOHANG);
        if (got == child) return true;
        if (got < 0 && errno != EINTR) return true;
        ::poll(nullptr, 0, 1);
    }
    return false;
}

}  // namespace

Result<ProcessResult> runProcess(const std::vector<std::string>& command, const std::string& folder, std::chrono::milliseconds deadline) {
    const auto end = Clock::now() + deadline;
    int pipeEnds[2];
    if (::pipe2(pipeEnds, O_CLOEXEC) != 0) return fail(ErrorCode::Internal, std::string("pipe: ") + std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);

    auto arguments = command;
    auto environment = childEnvironment(folder);
    pid_t child = -1;
    const int error = ::posix_spawnp(&child, arguments.front().c_str(), &actions, &attributes, pointers(arguments).data(),
                                     pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipeEnds[1]);
    if (error != 0) {
        ::close(pipeEnds[0]);
        return fail(ErrorCode::EnvironmentMissing, "cannot start " + command.front() + ": " + std::strerror(error));
    }

    ProcessResult result;
    int status = 0;
    result.timedOut = !drain(pipeEnds[0], result.output, end) || !reap(child, status, end);
    ::close(pipeEnds[0]);
    if (result.timedOut) {
        ::kill(-child, SIGKILL);
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        return result;
    }
    ::kill(-child, SIGKILL);  // a compiler driver that died may leave its passes behind
    if (WIFEXITED(status)) result.exitCode = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

}  // namespace ww::compile
