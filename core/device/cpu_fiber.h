// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace ww::device {

/// Stack bytes of one kernel thread. CUDA allows more local memory, but a kernel that needs it is no tuning candidate.
inline constexpr std::size_t kFiberStackBytes = std::size_t{128} << 10;
/// Stack of the plain loop, which runs all threads of a block one after the other.
inline constexpr std::size_t kPlainStackBytes = std::size_t{8} << 20;

/// An mmap'd stack with guard pages below it. Move-only.
class FiberStack {
public:
    FiberStack() = default;
    explicit FiberStack(std::size_t bytes);
    FiberStack(FiberStack&& other) noexcept;
    FiberStack& operator=(FiberStack&& other) noexcept;
    ~FiberStack();

    [[nodiscard]] bool valid() const noexcept { return m_base != nullptr; }
    [[nodiscard]] std::byte* top() const noexcept { return m_base + m_bytes; }
    /// Whether an address lies in the guard pages.
    [[nodiscard]] bool guards(const void* address) const noexcept;

private:
    std::byte* m_base = nullptr;  // start of the guard pages
    std::size_t m_bytes = 0;      // guard pages included
};

/// A suspended execution.
using FiberContext = void*;

inline void switchFiber(FiberContext& from, FiberContext to) {
    const auto back = boost::context::detail::jump_fcontext(to, &from);
    *static_cast<FiberContext*>(back.data) = back.fctx;
}

template <void (*Entry)()>
[[nodiscard]] FiberContext makeFiberAt(std::byte* top) {
    return boost::context::detail::make_fcontext(top, kFiberStackBytes / 2, [](boost::context::detail::transfer_t transfer) {
        *static_cast<FiberContext*>(transfer.data) = transfer.fctx;
        Entry();
    });
}

/// A fiber at its entry, which must not return. `colour` moves its stack's top within a page, so that the hot ends of many
/// stacks do not share the same few cache sets.
template <void (*Entry)()>
[[nodiscard]] FiberContext makeFiber(const FiberStack& stack, std::size_t colour) {
    return makeFiberAt<Entry>(stack.top() - colour * 5 * 64 % 4096);
}

}  // namespace ww::device
