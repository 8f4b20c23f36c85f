// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ww::sandbox {

/// Profile reads hardware counters: no user namespace, and root is kept where the driver gives counters to nobody else.
enum class Role { Compile, Device, Profile };
[[nodiscard]] std::string_view toString(Role role) noexcept;  ///< "compile", "device", "profile"

/// How well candidates are kept away from the machine; stored with the session.
enum class Level { Bubblewrap, None };
[[nodiscard]] std::string_view toString(Level level) noexcept;

/// Whether bubblewrap works here (it is tried once, with a trivial child), and why not.
struct Availability {
    Level level = Level::None;
    std::string reason;         ///< with the remedy: "install the package bubblewrap", "user namespaces are off: ..."
    std::string version;
};
[[nodiscard]] const Availability& availability();

struct WorkerOptions {
    Role role = Role::Compile;
    std::string device = "cpu";             ///< device role: "cpu" or "cuda:N"
    Level level = Level::Bubblewrap;
    std::vector<std::filesystem::path> readable;  ///< extra folders, mounted read-only at the same path (include folders)
    std::uint64_t memoryBytes = 0;          ///< address-space limit; 0: none (CUDA workers never get one)
    std::vector<int> cores;                 ///< CPU affinity; empty: any
    std::filesystem::path program;          ///< empty: warpwright-worker beside the executable
    std::size_t maxOutputBytes = 1 << 20;   ///< kept of what the candidate prints; the rest is drained and dropped
};

/// How a worker's process ended.
struct Death {
    int exitCode = -1;                      ///< when it exited
    int signal = 0;                         ///< when it was killed
    bool byUs = false;                      ///< deadline or stop
    std::string output;                     ///< the end of its stderr and stray stdout
    [[nodiscard]] std::string describe() const;  ///< "was ended by signal 11 (segmentation fault: illegal memory access)"
};

/// One frame: control as JSON, bulk bytes beside it.
struct Message {
    Json body;
    std::vector<std::byte> attachment;
};

/// A sandboxed child with a request channel. Owned by one thread. Destruction kills the whole group and reaps it.
class WorkerProcess {
public:
    /// Starts it and reads its greeting (protocol and program version must be ours).
    /// Errors: EnvironmentMissing (binary missing or of another version), SandboxUnavailable, WorkerFailed.
    [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> start(const WorkerOptions& options);
    virtual ~WorkerProcess() = default;

    /// The greeting's body: version, role, device facts, compilers.
    [[nodiscard]] virtual const Json& greeting() const = 0;

    [[nodiscard]] virtual Result<void> send(const Message& message) = 0;
    enum class Wait { Ready, Deadline, Died, Stopped };
    /// Waits for the next message. On Deadline and Stopped the worker is left as it is: kill() it.
    [[nodiscard]] virtual Wait receive(Message& into, std::chrono::nanoseconds timeout, const std::stop_token& stop) = 0;
    /// For poll(2) over several workers; becomes readable on a message and on death.
    [[nodiscard]] virtual int readableFd() const = 0;

    /// Shared bytes between us and the worker (memfd, mapped on both sides at request time). Grows to at least `bytes`.
    [[nodiscard]] virtual Result<std::span<std::byte>> arena(std::size_t bytes) = 0;

    virtual void suspend() = 0;             ///< SIGSTOP to the group (compilers, while the CPU device times)
    virtual void resume() = 0;
    virtual void kill() = 0;                ///< SIGKILL to the group, reap
    [[nodiscard]] virtual bool alive() = 0;
    [[nodiscard]] virtual const Death& death() const = 0;  ///< valid once not alive
    [[nodiscard]] virtual Level level() const = 0;
    /// What it has printed since the last call (its end, where it was more than maxOutputBytes).
    [[nodiscard]] virtual std::string takeOutput() = 0;
};

}  // namespace ww::sandbox
