// SPDX-License-Identifier: Apache-2.0
#include "sandbox/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "sandbox/frame.h"
#include "sandbox/session_signal.h"
#include "sandbox/unique_fd.h"

namespace ww::sandbox {
namespace {

/// Ends this process and all that it has started.
void endAll() {
    signalSession(::getsid(0), SIGKILL);
    ::kill(0, SIGKILL);
}

/// Ends everything when the engine's side closes, also while the main thread compiles or a kernel runs.
void watchEngine(int fd) {
    for (;;) {
        pollfd wait{fd, POLLRDHUP, 0};
        const int ready = ::poll(&wait, 1, -1);
        if (ready > 0 && (wait.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) endAll();
        if (ready < 0 && errno != EINTR) return;
    }
}

class SocketChannel final : public Channel {
public:
    SocketChannel(UniqueFd socket, int arenaFd) : m_socket(std::move(socket)), m_arenaFd(arenaFd) {}
    ~SocketChannel() override {
        if (m_arena != nullptr) ::munmap(m_arena, m_arenaBytes);
    }

    Result<void> greet(Json facts) override {
        facts["protocol"] = kProtocolVersion;
        facts["version"] = WW_VERSION;
        return send({std::move(facts), {}});
    }

    Result<void> greetWith(const Error& error) override { return greet(Json{{"error", errorToJson(error)}}); }

    Result<Message> receive() override {
        std::vector<std::byte> chunk(std::size_t{1} << 16);
        for (;;) {
            WW_TRY(message, m_reader.next());
            if (message) return std::move(*message);
            const ssize_t got = ::recv(m_socket.get(), chunk.data(), chunk.size(), 0);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) {
                // Not only this process: what it has started must not outlive it, and the watching thread may come too late.
                endAll();
                return fail(ErrorCode::Cancelled, "the engine has closed the channel");
            }
            m_reader.feed({chunk.data(), static_cast<std::size_t>(got)});
        }
    }

    Result<void> send(const Message& message) override {
        // What was printed for this request must be in the pipe before the answer is.
        std::fflush(nullptr);
        WW_TRY(head, encodeFrameHead(message));
        WW_CHECK(writeAll(head));
        return writeAll(message.attachment);
    }

    Result<std::span<std::byte>> arena(std::size_t bytes) override {
        if (bytes <= m_arenaBytes) return std::span(static_cast<std::byte*>(m_arena), bytes);
        struct stat facts{};
        if (m_arenaFd < 0 || ::fstat(m_arenaFd, &facts) != 0 || static_cast<std::size_t>(facts.st_size) < bytes) {
            return fail(ErrorCode::WorkerFailed, "the shared arena is smaller than the request says");
        }
        void* mapped = ::mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, m_arenaFd, 0);
        if (mapped == MAP_FAILED) return fail(ErrorCode::WorkerFailed, std::string("the shared arena cannot be mapped: ") + std::strerror(errno));
        if (m_arena != nullptr) ::munmap(m_arena, m_arenaBytes);
        m_arena = mapped;
        m_arenaBytes = static_cast<std::size_t>(facts.st_size);
        return std::span(static_cast<std::byte*>(m_arena), bytes);
    }

private:
    Result<void> writeAll(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent <= 0) return fail(ErrorCode::Cancelled, "the engine has closed the channel");
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
        }
        return {};
    }

    UniqueFd m_socket;
    int m_arenaFd;
    FrameReader m_reader;
    void* m_arena = nullptr;
    std::size_t m_arenaBytes = 0;
};

}  // namespace

Result<std::unique_ptr<Channel>> Channel::open(int arenaFd) {
    UniqueFd socket(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100));
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!socket || !null || ::dup2(null.get(), STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return fail(ErrorCode::WorkerFailed, std::string("the request channel cannot be set up: ") + std::strerror(errno));
    }
    // Line by line, so that the last words of a candidate that crashes are not lost in a buffer.
    std::setvbuf(stdout, nullptr, _IOLBF, 1 << 14);
    if (arenaFd >= 0) ::fcntl(arenaFd, F_SETFD, FD_CLOEXEC);
    std::thread(watchEngine, socket.get()).detach();
    return std::unique_ptr<Channel>(std::make_unique<SocketChannel>(std::move(socket), arenaFd));
}

Json errorToJson(const Error& error) {
    return Json{{"code", toString(error.code)}, {"message", error.message}, {"context", error.context}};
}

Error errorFromJson(const Json& json) {
    const auto text = [&](const char* key) {
        const Json* found = member(json, key);
        return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
    };
    Error error{ErrorCode::WorkerFailed, text("message"), text("context")};
    const std::string code = text("code");
    for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
        if (toString(static_cast<ErrorCode>(i)) == code) error.code = static_cast<ErrorCode>(i);
    }
    return error;
}

}  // namespace ww::sandbox
