// SPDX-License-Identifier: Apache-2.0
#include "store/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ww::store {

namespace {

std::string readHolder(int descriptor) {
    std::array<char, 256> text{};
    const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
    std::string holder(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    return holder.substr(0, holder.find('\n'));
}

} // namespace

Result<WriterLock> WriterLock::take(const std::filesystem::path& database, const std::string& owner) {
    const std::filesystem::path file = database.string() + ".lock";
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0)
        return fail(ErrorCode::Unreadable,
                    std::string("the lock file cannot be written (") + std::strerror(errno) +
                        "); use --db to put the trial log into a folder that you may write",
                    file.string());
    int locked = 0;
    do
        locked = ::flock(descriptor, LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    const std::string holder = readHolder(descriptor);
    if (locked != 0) {
        const int reason = errno;
        ::close(descriptor);
        if (reason != EWOULDBLOCK)
            return fail(ErrorCode::DatabaseError,
                        std::string("the trial log cannot be locked (") + std::strerror(reason) + "); use --db with a file on a local disk",
                        file.string());
        return fail(ErrorCode::DatabaseLocked,
                    "the trial log is in use by " + (holder.empty() ? std::string("another session") : holder) +
                        "; wait until it has ended, or use --db FILE for another trial log",
                    database.string());
    }
    const std::string text = owner + "\n";
    if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
        const int reason = errno;
        ::close(descriptor);
        return fail(ErrorCode::Unreadable, std::string("the lock file cannot be written (") + std::strerror(reason) + ")", file.string());
    }
    return WriterLock(descriptor, !holder.empty());
}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_lastHolderDied(other.m_lastHolderDied) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
    if (this != &other) {
        release();
        m_descriptor = std::exchange(other.m_descriptor, -1);
        m_lastHolderDied = other.m_lastHolderDied;
    }
    return *this;
}

WriterLock::~WriterLock() { release(); }

void WriterLock::release() noexcept {
    if (m_descriptor < 0) return;
    // An empty file tells the next writer that this one ended in order. The file stays: removing it would let two
    // processes lock two files of one name.
    [[maybe_unused]] const int emptied = ::ftruncate(m_descriptor, 0);
    ::close(m_descriptor);
    m_descriptor = -1;
}

} // namespace ww::store
