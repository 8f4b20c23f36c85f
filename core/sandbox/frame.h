// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "sandbox/worker_process.h"

namespace ww::sandbox {

/// Number of the protocol of docs/worker-protocol.md; both sides must have the same.
inline constexpr int kProtocolVersion = 1;

/// A frame is u32 little-endian JSON length, u32 attachment length, JSON, attachment. What lies above these sizes is refused.
inline constexpr std::size_t kMaxBodyBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxAttachmentBytes = std::size_t{1} << 30;

/// The frame's header and JSON; the attachment follows as it is. Invalid UTF-8 (compilers quote sources) is replaced.
/// Errors: InvalidArgument where a part is too large.
[[nodiscard]] Result<std::vector<std::byte>> encodeFrameHead(const Message& message);

/// Puts frames together from the bytes of a stream. The other side is not trusted: lengths are bounded, memory grows only
/// with what has arrived. Not thread-safe.
class FrameReader {
public:
    void feed(std::span<const std::byte> bytes);
    /// The next whole frame, or nothing yet. Errors: WorkerFailed for bytes that are no frame; the stream is then lost.
    [[nodiscard]] Result<std::optional<Message>> next();

private:
    std::vector<std::byte> m_bytes;
    std::size_t m_start = 0;
};

}  // namespace ww::sandbox
