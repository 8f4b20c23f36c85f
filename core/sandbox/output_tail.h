// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ww::sandbox {

/// Keeps the last `limit` bytes of what a worker prints and counts the rest: endless printing must not fill memory.
class OutputTail {
public:
    explicit OutputTail(std::size_t limit) : m_limit(limit) {}

    void append(std::string_view text) {
        m_text += text;
        // Trimmed at twice the limit, so that the cost per byte stays constant.
        if (m_text.size() > 2 * m_limit) trim();
    }

    /// What is kept, with a first line that tells how much was dropped; the tail is empty afterwards.
    [[nodiscard]] std::string take() {
        if (m_text.size() > m_limit) trim();
        std::string text = std::move(m_text);
        if (m_dropped > 0) text.insert(0, "[" + std::to_string(m_dropped) + " bytes before this were dropped]\n");
        m_text.clear();
        m_dropped = 0;
        return text;
    }

private:
    void trim() {
        const std::size_t excess = m_text.size() - m_limit;
        m_text.erase(0, excess);
        m_dropped += excess;
    }

    std::size_t m_limit;
    std::string m_text;
    std::size_t m_dropped = 0;
};

}  // namespace ww::sandbox
