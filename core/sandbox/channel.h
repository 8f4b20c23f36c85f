// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "sandbox/confinement.h"
#include "sandbox/worker_process.h"

namespace ww::sandbox {

/// The worker's end of the request channel. Blocking; owned by the worker's main thread.
class Channel {
public:
    /// Takes fds 0 and 1 away from whatever runs later: the socket moves to a high, close-on-exec fd, stdin becomes
    /// /dev/null and stdout goes where stderr goes, so that what a candidate prints cannot get among the frames.
    /// Starts a thread that ends the whole session when the engine's side closes. Call after confine().
    [[nodiscard]] static Result<std::unique_ptr<Channel>> open(int arenaFd);
    virtual ~Channel() = default;

    /// The first message: `facts` with protocol and program version added.
    [[nodiscard]] virtual Result<void> greet(Json facts) = 0;
    /// The first message of a worker that cannot serve.
    [[nodiscard]] virtual Result<void> greetWith(const Error& error) = 0;

    /// Waits for the next request. Ends the whole session when the engine has closed the channel. Errors: WorkerFailed.
    [[nodiscard]] virtual Result<Message> receive() = 0;
    [[nodiscard]] virtual Result<void> send(const Message& message) = 0;

    /// The shared bytes, mapped anew where `bytes` is more than before. Errors: WorkerFailed.
    [[nodiscard]] virtual Result<std::span<std::byte>> arena(std::size_t bytes) = 0;
};

/// {"code": "not_found", "message": ..., "context": ...} and back, as errors cross the channel.
[[nodiscard]] Json errorToJson(const Error& error);
[[nodiscard]] Error errorFromJson(const Json& json);

}  // namespace ww::sandbox
