// SPDX-License-Identifier: Apache-2.0
#include "sandbox/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/units.h"
#include "sandbox/channel.h"
#include "sandbox/frame.h"
#include "sandbox/launch_plan.h"
#include "sandbox/output_tail.h"
#include "sandbox/session_signal.h"
#include "sandbox/unique_fd.h"

namespace ww::sandbox {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kGreetingTime{60};
constexpr std::chrono::seconds kSendTime{30};
/// Of one call: output is drained and dropped, but must not keep the engine from looking at the clock.
constexpr int kDrainReads = 64;

std::string_view signalName(int signal) {
    switch (signal) {
    case SIGSEGV: return "segmentation fault: illegal memory access";
    case SIGBUS: return "bus error: illegal memory access";
    case SIGFPE: return "arithmetic fault, such as an integer division by zero";
    case SIGILL: return "illegal instruction";
    case SIGABRT: return "abort";
    case SIGKILL: return "killed";
    case SIGXFSZ: return "a file grew too large";
    case SIGSYS: return "forbidden system call";
    case SIGPIPE: return "broken pipe";
    case SIGTRAP: return "trap";
    default: return "";
    }
}

Error systemError(const std::string& what) {
    return Error{ErrorCode::WorkerFailed, what + ": " + std::strerror(errno)};
}

/// The memfd that both sides map. The worker must not be able to shrink it under the engine's feet.
class Arena {
public:
    ~Arena() {
        if (m_mapped != nullptr) ::munmap(m_mapped, m_bytes);
    }

    Result<void> create() {
        m_fd.reset(::memfd_create("warpwright-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (!m_fd || ::fcntl(m_fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) return fail(systemError("no shared memory"));
        return {};
    }

    Result<std::span<std::byte>> grow(std::size_t bytes) {
        if (bytes > m_bytes) {
            constexpr std::size_t kStep = std::size_t{2} << 20;
            const std::size_t wanted = (bytes + kStep - 1) / kStep * kStep;
            struct Unmap {
                void* at;
                std::size_t size;
            } const old{m_mapped, m_bytes};
            if (::ftruncate(m_fd.get(), static_cast<off_t>(wanted)) != 0) return fail(systemError("the shared memory cannot grow"));
            void* mapped = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, m_fd.get(), 0);
            if (mapped == MAP_FAILED) return fail(systemError("the shared memory cannot be mapped"));
            if (old.at != nullptr) ::munmap(old.at, old.size);
            m_mapped = mapped;
            m_bytes = wanted;
        }
        return std::span(static_cast<std::byte*>(m_mapped), bytes);
    }

    [[nodiscard]] int fd() const noexcept { return m_fd.get(); }

private:
    UniqueFd m_fd;
    void* m_mapped = nullptr;
    std::size_t m_bytes = 0;
};

class LinuxWorker final : public WorkerProcess {
public:
    explicit LinuxWorker(const WorkerOptions& options) : m_options(options), m_tail(options.maxOutputBytes) {}
    ~LinuxWorker() override {
        kill();
        std::error_code ignored;
        if (!m_plan.scratch.empty()) fs::remove_all(m_plan.scratch, ignored);
    }

    Result<void> launch();
    Result<void> readGreeting();

    const Json& greeting() const override { return m_greeting; }
    Result<void> send(const Message& message) override;
    Wait receive(Message& into, std::chrono::nanoseconds timeout, const std::stop_token& stop) override;
    int readableFd() const override { return m_events.get(); }
    Result<std::span<std::byte>> arena(std::size_t bytes) override { return m_arena.grow(bytes); }
    void suspend() override {
        if (m_pid > 0) signalSession(m_pid, SIGSTOP);
    }
    void resume() override {
        if (m_pid > 0) signalSession(m_pid, SIGCONT);
    }
    void kill() override;
    bool alive() override;
    const Death& death() const override { return m_death; }
    Level level() const override { return m_options.level; }
    std::string takeOutput() override;

private:
    Result<void> watch(int fd);
    Result<void> writeAll(std::span<const std::byte> bytes, std::int64_t deadlineNs);
    void drainOutput(int reads);
    bool readSocket();
    void readRest();
    void reap(bool byUs);
    bool processEnded() const;
    Wait step(Message& into);

    WorkerOptions m_options;
    LaunchPlan m_plan;
    pid_t m_pid = -1;
    bool m_broken = false;  ///< the stream holds no frames any more
    UniqueFd m_socket, m_output, m_pidFd, m_stop, m_events;
    Arena m_arena;
    FrameReader m_reader;
    OutputTail m_tail;
    Death m_death;
    Json m_greeting;
};

Result<void> LinuxWorker::watch(int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(m_events.get(), EPOLL_CTL_ADD, fd, &event) != 0) return fail(systemError("a worker cannot be watched"));
    return {};
}

Result<void> LinuxWorker::launch() {
    WW_TRY(plan, planLaunch(m_options));
    m_plan = plan;
    WW_CHECK(m_arena.create());
    int sockets[2], ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return fail(systemError("no channel for a worker"));
    m_socket.reset(sockets[0]);
    const UniqueFd theirs(sockets[1]);
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(systemError("no pipe for a worker"));
    m_output.reset(ends[0]);
    const UniqueFd theirOutput(ends[1]);
    ::fcntl(m_output.get(), F_SETFL, O_NONBLOCK);
    m_stop.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    m_events.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!m_stop || !m_events) return fail(systemError("a worker cannot be watched"));

    m_plan.spawn.input = m_plan.spawn.output = theirs.get();
    m_plan.spawn.errors = theirOutput.get();
    m_plan.spawn.arena = m_arena.fd();
    WW_TRY(pid, spawn(m_plan.spawn));
    m_pid = pid;
    // glibc 2.36 declares pidfd_open without C linkage.
    m_pidFd.reset(static_cast<int>(::syscall(SYS_pidfd_open, m_pid, 0)));
    if (!m_pidFd) return fail(systemError("a worker cannot be watched"));
    for (const int fd : {m_socket.get(), m_output.get(), m_pidFd.get(), m_stop.get()}) WW_CHECK(watch(fd));
    return {};
}

Result<void> LinuxWorker::readGreeting() {
    const std::string program = m_plan.program.string();
    Message hello;
    switch (receive(hello, kGreetingTime, {})) {
    case Wait::Ready: break;
    case Wait::Died: {
        const bool wrapper = m_death.output.starts_with("bwrap:");
        return fail(wrapper ? ErrorCode::SandboxUnavailable : ErrorCode::WorkerFailed,
                    "the worker " + m_death.describe() + " before it was ready" + (m_death.output.empty() ? "" : ": " + m_death.output),
                    program);
    }
    default: return fail(ErrorCode::WorkerFailed, "the worker did not become ready within a minute", program);
    }
    const Json* protocol = member(hello.body, "protocol");
    const Json* version = member(hello.body, "version");
    const std::string theirs = version != nullptr && version->is_string() ? version->get<std::string>() : "unknown";
    const std::string number = protocol != nullptr ? protocol->dump() : "none";
    if (number != std::to_string(kProtocolVersion) || theirs != WW_VERSION) {
        return fail(ErrorCode::EnvironmentMissing,
                    "the worker program is of version " + theirs + " (protocol " + number + "), this program of " WW_VERSION " (protocol " +
                        std::to_string(kProtocolVersion) + "); build or install both together: ./run.sh --build-only",
                    program);
    }
    if (const Json* error = member(hello.body, "error")) return fail(errorFromJson(*error));
    m_greeting = std::move(hello.body);
    return {};
}

Result<void> LinuxWorker::send(const Message& message) {
    if (!alive()) return fail(ErrorCode::WorkerFailed, "the worker " + m_death.describe());
    WW_TRY(head, encodeFrameHead(message));
    const std::int64_t deadline = monotonicNs() + std::chrono::nanoseconds(kSendTime).count();
    WW_CHECK(writeAll(head, deadline));
    return writeAll(message.attachment, deadline);
}

Result<void> LinuxWorker::writeAll(std::span<const std::byte> bytes, std::int64_t deadlineNs) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
            continue;
        }
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno != EAGAIN) return fail(systemError("the worker does not take requests"));
        const std::int64_t left = deadlineNs - monotonicNs();
        if (left <= 0) return fail(ErrorCode::WorkerFailed, "the worker has not taken a request for half a minute");
        // It may be busy printing: drain that while waiting, or both sides would wait for each other.
        std::array<pollfd, 2> waits{{{m_socket.get(), POLLOUT, 0}, {m_output.get(), POLLIN, 0}}};
        ::poll(waits.data(), m_output ? 2 : 1, static_cast<int>(left / 1'000'000 + 1));
        drainOutput(kDrainReads);
    }
    return {};
}

void LinuxWorker::drainOutput(int reads) {
    std::array<char, 1 << 16> chunk;
    for (int i = 0; m_output && i < reads; ++i) {
        const ssize_t got = ::read(m_output.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return;
        if (got == 0) m_output.reset();  // leaves the epoll set with it
        else m_tail.append({chunk.data(), static_cast<std::size_t>(got)});
    }
}

/// Takes what has arrived; false at the end of the stream.
bool LinuxWorker::readSocket() {
    std::array<std::byte, 1 << 16> chunk;
    while (m_socket) {
        const ssize_t got = ::recv(m_socket.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return true;
        if (got <= 0) {
            m_socket.reset();
            return false;
        }
        m_reader.feed({chunk.data(), static_cast<std::size_t>(got)});
        // A worker that sends without end must not keep us here.
        if (static_cast<std::size_t>(got) < chunk.size()) return true;
    }
    return false;
}

/// After its end: all that it still got into the channel.
void LinuxWorker::readRest() {
    pollfd wait{m_socket.get(), POLLIN, 0};
    while (m_socket && ::poll(&wait, 1, 0) > 0 && readSocket()) {
    }
}

bool LinuxWorker::processEnded() const {
    pollfd wait{m_pidFd.get(), POLLIN, 0};
    return m_pid <= 0 || ::poll(&wait, 1, 0) > 0;
}

/// One look at everything, without waiting; Deadline means nothing yet.
WorkerProcess::Wait LinuxWorker::step(Message& into) {
    const bool ended = processEnded();  // before the reads: what it wrote is then all there
    if (!m_broken) {
        if (ended) readRest();
        else readSocket();
        auto message = m_reader.next();
        if (message && *message) {
            into = std::move(**message);
            drainOutput(kDrainReads);
            return Wait::Ready;
        }
        if (!message) {
            m_broken = true;
            m_tail.append("\n" + message.error().message + "\n");
        }
    }
    drainOutput(kDrainReads);
    if (ended) {
        reap(false);
        return Wait::Died;
    }
    if (m_broken || !m_socket) {
        // Without a channel it is of no use, whether or not the process lives on.
        pollfd wait{m_pidFd.get(), POLLIN, 0};
        if (::poll(&wait, 1, 500) <= 0) ::kill(-m_pid, SIGKILL);
        reap(false);
        return Wait::Died;
    }
    return Wait::Deadline;
}

WorkerProcess::Wait LinuxWorker::receive(Message& into, std::chrono::nanoseconds timeout, const std::stop_token& stop) {
    const int stopFd = m_stop.get();
    std::uint64_t ignored = 0;
    [[maybe_unused]] ssize_t cleared = ::read(stopFd, &ignored, sizeof ignored);
    const std::stop_callback wake(stop, [stopFd] {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t told = ::write(stopFd, &one, sizeof one);
    });
    const std::int64_t deadline = monotonicNs() + std::max<std::int64_t>(timeout.count(), 0);
    for (;;) {
        if (stop.stop_requested()) return Wait::Stopped;
        if (m_pid <= 0) {
            auto left = m_broken ? Result<std::optional<Message>>(std::optional<Message>{}) : m_reader.next();
            if (!left || !*left) return Wait::Died;
            into = std::move(**left);
            return Wait::Ready;
        }
        if (const Wait seen = step(into); seen != Wait::Deadline) return seen;
        const std::int64_t left = deadline - monotonicNs();
        if (left <= 0) return Wait::Deadline;
        pollfd wait{m_events.get(), POLLIN, 0};
        const timespec time{left / 1'000'000'000, left % 1'000'000'000};
        ::ppoll(&wait, 1, &time, nullptr);
    }
}

void LinuxWorker::reap(bool byUs) {
    if (m_pid <= 0) return;
    ::kill(-m_pid, SIGKILL);
    // What the worker started and left behind; a pid namespace has taken it along already.
    if (m_options.level == Level::None) signalSession(m_pid, SIGKILL);
    int status = 0;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
    }
    m_pid = -1;
    drainOutput(1024);
    m_death.byUs = byUs;
    if (WIFSIGNALED(status)) {
        m_death.signal = WTERMSIG(status);
    } else if (const int code = WEXITSTATUS(status); m_options.level == Level::Bubblewrap && code > 128 && code <= 128 + SIGRTMAX) {
        // bwrap passes a signal of its child on as 128 + signal, as shells do.
        m_death.signal = code - 128;
    } else {
        m_death.exitCode = code;
    }
    m_death.output = m_tail.take();
}

void LinuxWorker::kill() {
    if (m_pid <= 0) return;
    const bool ended = processEnded();
    ::kill(-m_pid, SIGKILL);
    reap(!ended);
}

bool LinuxWorker::alive() {
    if (m_pid > 0 && processEnded()) {
        readRest();
        reap(false);
    }
    return m_pid > 0;
}

std::string LinuxWorker::takeOutput() {
    drainOutput(kDrainReads);
    return m_tail.take();
}

}  // namespace

std::string_view toString(Level level) noexcept {
    return level == Level::Bubblewrap ? "bubblewrap" : "none";
}

std::string Death::describe() const {
    if (signal == 0) return "ended with exit code " + std::to_string(exitCode);
    const std::string_view name = signalName(signal);
    return "was ended by signal " + std::to_string(signal) + (name.empty() ? "" : " (" + std::string(name) + ")");
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const WorkerOptions& options) {
    auto worker = std::make_unique<LinuxWorker>(options);
    WW_CHECK(worker->launch());
    WW_CHECK(worker->readGreeting());
    return std::unique_ptr<WorkerProcess>(std::move(worker));
}

}  // namespace ww::sandbox
