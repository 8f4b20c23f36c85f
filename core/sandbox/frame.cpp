// SPDX-License-Identifier: Apache-2.0
#include "sandbox/frame.h"

#include <cstring>
#include <string>

namespace ww::sandbox {
namespace {

constexpr std::size_t kHeadBytes = 8;

void putU32(std::vector<std::byte>& into, std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) into.push_back(static_cast<std::byte>(value >> shift & 0xff));
}

std::uint32_t getU32(const std::byte* at) {
    std::uint32_t value = 0;
    for (int i = 3; i >= 0; --i) value = value << 8 | std::to_integer<std::uint32_t>(at[i]);
    return value;
}

}  // namespace

Result<std::vector<std::byte>> encodeFrameHead(const Message& message) {
    const std::string text = message.body.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kMaxBodyBytes || message.attachment.size() > kMaxAttachmentBytes) {
        return fail(ErrorCode::InvalidArgument, "a message of " + std::to_string(text.size() + message.attachment.size()) +
                                                    " bytes is too large for the worker's channel");
    }
    std::vector<std::byte> head;
    head.reserve(kHeadBytes + text.size());
    putU32(head, static_cast<std::uint32_t>(text.size()));
    putU32(head, static_cast<std::uint32_t>(message.attachment.size()));
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    head.insert(head.end(), bytes, bytes + text.size());
    return head;
}

void FrameReader::feed(std::span<const std::byte> bytes) {
    m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
}

Result<std::optional<Message>> FrameReader::next() {
    const std::size_t held = m_bytes.size() - m_start;
    if (held < kHeadBytes) return std::optional<Message>{};
    const std::byte* at = m_bytes.data() + m_start;
    const std::size_t bodyBytes = getU32(at), attachmentBytes = getU32(at + 4);
    if (bodyBytes > kMaxBodyBytes || attachmentBytes > kMaxAttachmentBytes) {
        return fail(ErrorCode::WorkerFailed, "the worker sent bytes that are no frame");
    }
    const std::size_t whole = kHeadBytes + bodyBytes + attachmentBytes;
    if (held < whole) return std::optional<Message>{};

    const auto* text = reinterpret_cast<const char*>(at + kHeadBytes);
    auto body = parseJson({text, bodyBytes});
    if (!body) return fail(ErrorCode::WorkerFailed, "the worker sent a frame that is no JSON: " + body.error().message);
    Message message{std::move(*body), {}};
    message.attachment.assign(at + kHeadBytes + bodyBytes, at + whole);
    m_start += whole;
    if (m_start == m_bytes.size()) {
        m_bytes.clear();
        m_start = 0;
    } else if (m_start > (std::size_t{1} << 20)) {
        m_bytes.erase(m_bytes.begin(), m_bytes.begin() + static_cast<std::ptrdiff_t>(m_start));
        m_start = 0;
    }
    return std::optional<Message>(std::move(message));
}

}  // namespace ww::sandbox
