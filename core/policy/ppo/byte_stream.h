// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ww::policy {

/// Appends plain values in this machine's byte order; checkpoints stay on the machine (or its like) that wrote them.
class ByteWriter {
public:
    template <typename T>
        requires std::is_trivially_copyable_v<T>
    void put(const T& value) {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <typename T>
        requires std::is_trivially_copyable_v<T>
    void putAll(const std::vector<T>& values) {
        put(static_cast<std::uint64_t>(values.size()));
        m_bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    [[nodiscard]] std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads them back. Once the bytes run out every read leaves its target alone and ok() is false for good.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : m_rest(bytes) {}

    template <typename T>
        requires std::is_trivially_copyable_v<T>
    bool get(T& value) {
        if (!m_ok || m_rest.size() < sizeof value) return m_ok = false;
        std::memcpy(&value, m_rest.data(), sizeof value);
        m_rest.remove_prefix(sizeof value);
        return true;
    }
    template <typename T>
        requires std::is_trivially_copyable_v<T>
    bool getAll(std::vector<T>& values) {
        std::uint64_t size = 0;
        if (!get(size) || size > m_rest.size() / sizeof(T)) return m_ok = false;
        values.resize(static_cast<std::size_t>(size));
        if (size > 0) std::memcpy(values.data(), m_rest.data(), values.size() * sizeof(T));
        m_rest.remove_prefix(values.size() * sizeof(T));
        return true;
    }
    [[nodiscard]] bool ok() const noexcept { return m_ok; }
    [[nodiscard]] bool atEnd() const noexcept { return m_ok && m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_ok = true;
};

}  // namespace ww::policy
