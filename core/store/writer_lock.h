// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace ww::store {

/// The writer's lock of one database: flock() on `<database>.lock`, whose text names the holder. The kernel drops the lock
/// with the process, kill -9 included, so a lock file left behind never blocks anybody. Movable; released on destruction.
/// Advisory, and meant for local file systems (STYLE.md: no trial log on a network share).
class WriterLock {
public:
    /// Errors: DatabaseLocked (names the holder, advises --db), Unreadable (the folder cannot be written).
    [[nodiscard]] static Result<WriterLock> take(const std::filesystem::path& database, const std::string& owner);

    WriterLock(WriterLock&& other) noexcept;
    WriterLock& operator=(WriterLock&& other) noexcept;
    WriterLock(const WriterLock&) = delete;
    WriterLock& operator=(const WriterLock&) = delete;
    ~WriterLock();

    /// True when the last holder went without unlocking: its name was still in the file.
    [[nodiscard]] bool lastHolderDied() const noexcept { return m_lastHolderDied; }

private:
    WriterLock(int descriptor, bool lastHolderDied) : m_descriptor(descriptor), m_lastHolderDied(lastHolderDied) {}
    void release() noexcept;

    int m_descriptor = -1;
    bool m_lastHolderDied = false;
};

} // namespace ww::store
