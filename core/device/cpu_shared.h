// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ww::device {

/// Bytes behind a block's static and behind its dynamic shared memory that no kernel may touch.
inline constexpr std::size_t kSharedGuardBytes = 4096;

/// The shared memory of one OS thread's blocks in a checked run. On a GPU it starts with whatever the last block left, and a write
/// behind it lands in another block's or is a fault; here both must show. One thread.
class CheckedShared {
public:
    struct Area {
        std::span<std::byte> memory;
        std::span<std::byte> guard;  ///< right behind it
    };
    CheckedShared() = default;
    /// Sets up the guards. `statics.memory` may leave out bytes that must not be poisoned.
    CheckedShared(Area statics, Area dynamic);

    /// Before each block: NaN in every floating-point type, -1 in signed integers.
    void poison() const;
    /// After a block: a sentence on damaged guards, or nothing.
    [[nodiscard]] std::string damage() const;

private:
    Area m_static, m_dynamic;
};

}  // namespace ww::device
