// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_fiber.h"

#include <sys/mman.h>

#include <utility>

namespace ww::device {

namespace {

/// Modules are compiled with -fstack-clash-protection, so that a large frame touches every page on its way down and meets these.
constexpr std::size_t kGuard = std::size_t{64} << 10;

}  // namespace

FiberStack::FiberStack(std::size_t bytes) {
    const std::size_t all = bytes + kGuard;
    void* memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    if (::mprotect(memory, kGuard, PROT_NONE) != 0) {
        ::munmap(memory, all);
        return;
    }
    m_base = static_cast<std::byte*>(memory);
    m_bytes = all;
}

FiberStack::FiberStack(FiberStack&& other) noexcept
    : m_base(std::exchange(other.m_base, nullptr)), m_bytes(std::exchange(other.m_bytes, 0)) {}

FiberStack& FiberStack::operator=(FiberStack&& other) noexcept {
    std::swap(m_base, other.m_base);
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

FiberStack::~FiberStack() {
    if (m_base != nullptr) ::munmap(m_base, m_bytes);
}

bool FiberStack::guards(const void* address) const noexcept {
    const auto* byte = static_cast<const std::byte*>(address);
    return m_base != nullptr && byte >= m_base && byte < m_base + kGuard;
}

}  // namespace ww::device
