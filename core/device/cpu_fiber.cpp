// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_fiber.h"

#include <sys/mman.h>

#include <utility>

namespace ww::device {

namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

FiberStack::FiberStack(std::size_t bytes) {
    const std::size_t all = bytes + kPage;
    void* memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    if (::mprotect(memory, kPage, PROT_NONE) != 0) {
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
    return m_base != nullptr && byte >= m_base && byte < m_base + kPage;
}

#if defined(__x86_64__)

// The callee-saved registers of the System V ABI; the return address lies above them. Leaving by `ret` keeps the processor's
// return predictor in step, since both sides were entered by a call from the same place.
__asm__(R"(
    .text
    .p2align 4
    .globl wwSwitchFiber
    .type wwSwitchFiber, @function
wwSwitchFiber:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size wwSwitchFiber, .-wwSwitchFiber
)");

FiberContext detail::prepareFiber(std::byte* top, void (*entry)()) {
    auto* slot = reinterpret_cast<void**>(top) - 2;  // 16-byte aligned, as the entry's return address must be
    slot[0] = reinterpret_cast<void*>(entry);
    slot[1] = nullptr;                               // where the entry would return to
    for (int i = 1; i <= 6; ++i) slot[-i] = nullptr;
    return slot - 6;
}

#endif

}  // namespace ww::device
