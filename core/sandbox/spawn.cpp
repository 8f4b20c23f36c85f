// SPDX-License-Identifier: Apache-2.0
#include "sandbox/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "sandbox/unique_fd.h"

namespace ww::sandbox {
namespace {

/// What the child needs, made before the fork: between fork and exec only async-signal-safe calls are allowed.
struct Prepared {
    std::vector<char*> argv, envp;
    cpu_set_t cores{};
    bool hasCores = false;
    std::array<int, 4> fds{};
    int report = -1;  ///< gets errno when the exec fails; closed by it otherwise
    const SpawnPlan* plan = nullptr;
};

void limit(__rlimit_resource what, std::uint64_t value) noexcept {
    struct rlimit now{};
    if (::getrlimit(what, &now) != 0) return;
    const rlim_t wanted = now.rlim_max == RLIM_INFINITY || value < now.rlim_max ? value : now.rlim_max;
    const struct rlimit next{wanted, wanted};
    ::setrlimit(what, &next);
}

[[noreturn]] void runChild(const Prepared& prepared) noexcept {
    const SpawnPlan& plan = *prepared.plan;
    ::setsid();
    // Signals that the engine's threads block or ignore must reach the child as usual.
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGCONT}) ::signal(signal, SIG_DFL);
    for (int i = 0; i < 4; ++i) {
        const int source = prepared.fds[static_cast<std::size_t>(i)];
        if (source >= 0) ::dup2(source, i);
        else ::close(i);
    }
    ::close_range(4, ~0u, CLOSE_RANGE_CLOEXEC);
    limit(RLIMIT_CORE, 0);
    if (plan.addressSpaceBytes > 0) limit(RLIMIT_AS, plan.addressSpaceBytes);
    if (plan.fileBytes > 0) limit(RLIMIT_FSIZE, plan.fileBytes);
    if (plan.openFiles > 0) limit(RLIMIT_NOFILE, plan.openFiles);
    if (plan.processes > 0) limit(RLIMIT_NPROC, plan.processes);
    if (prepared.hasCores) ::sched_setaffinity(0, sizeof prepared.cores, &prepared.cores);
    ::execve(prepared.argv[0], prepared.argv.data(), prepared.envp.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t told = ::write(prepared.report, &reason, sizeof reason);
    ::_exit(127);
}

/// The one thread that forks. It is never joined before the process ends.
class Spawner {
public:
    static Spawner& instance() {
        // Never destroyed: workers may be started while other statics go.
        static Spawner* const spawner = new Spawner;
        return *spawner;
    }

    void call(std::function<void()> work) {
        std::unique_lock lock(m_mutex);
        m_idle.wait(lock, [this] { return !m_work; });
        m_work = std::move(work);
        const std::uint64_t ticket = ++m_submitted;
        m_ready.notify_one();
        m_idle.wait(lock, [&] { return m_done >= ticket; });
    }

private:
    Spawner() {
        std::thread([this] { serve(); }).detach();
    }

    void serve() {
        // Signals for the engine must not be handled here.
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
        std::unique_lock lock(m_mutex);
        for (;;) {
            m_ready.wait(lock, [this] { return m_work && m_done < m_submitted; });
            m_work();
            m_work = nullptr;
            m_done = m_submitted;
            m_idle.notify_all();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_ready, m_idle;
    std::function<void()> m_work;
    std::uint64_t m_submitted = 0, m_done = 0;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (auto& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

/// A copy at 10 or above, so that the dup2 onto 0 to 3 cannot overwrite a source that is still needed.
UniqueFd lifted(int fd) {
    return UniqueFd(fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 10));
}

}  // namespace

Result<pid_t> spawn(const SpawnPlan& plan) {
    auto arguments = plan.arguments;
    auto environment = plan.environment;
    Prepared prepared;
    prepared.plan = &plan;
    prepared.argv = pointers(arguments);
    prepared.envp = pointers(environment);
    CPU_ZERO(&prepared.cores);
    for (const int core : plan.cores) {
        if (core >= 0 && core < CPU_SETSIZE) CPU_SET(core, &prepared.cores);
    }
    prepared.hasCores = !plan.cores.empty();

    std::array<UniqueFd, 4> sources{lifted(plan.input), lifted(plan.output), lifted(plan.errors), lifted(plan.arena)};
    for (std::size_t i = 0; i < sources.size(); ++i) prepared.fds[i] = sources[i].get();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return fail(ErrorCode::WorkerFailed, std::string("no pipe for a worker: ") + std::strerror(errno));
    }
    UniqueFd reportRead(ends[0]);
    UniqueFd reportWrite(::fcntl(ends[1], F_DUPFD_CLOEXEC, 10));
    ::close(ends[1]);
    prepared.report = reportWrite.get();

    pid_t child = -1;
    int reason = 0;
    Spawner::instance().call([&] {
        child = ::fork();
        if (child == 0) runChild(prepared);
        if (child < 0) reason = errno;
    });
    if (child < 0) return fail(ErrorCode::WorkerFailed, std::string("a worker could not be started: ") + std::strerror(reason));
    reportWrite.reset();

    ssize_t told = 0;
    while ((told = ::read(reportRead.get(), &reason, sizeof reason)) < 0 && errno == EINTR) {
    }
    if (told == sizeof reason) {
        ::waitpid(child, nullptr, 0);
        return fail(ErrorCode::EnvironmentMissing,
                    std::string("the program cannot be executed: ") + std::strerror(reason) + "; run ./run.sh --build-only",
                    plan.arguments.front());
    }
    return child;
}

}  // namespace ww::sandbox
