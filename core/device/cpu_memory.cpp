// SPDX-License-Identifier: Apache-2.0
#include "device/cpu_memory.h"

#include <sys/mman.h>

#include <string>
#include <utility>
#include <vector>

namespace ww::device {

namespace {

constexpr std::size_t kPage = 4096;
/// Address space without memory on both sides of a buffer: a write far outside faults instead of hitting a neighbour.
constexpr std::size_t kGuard = std::size_t{16} << 20;
constexpr std::size_t kHugeFrom = std::size_t{4} << 20;
#if defined(__x86_64__)
constexpr std::size_t kLine = 64;
#endif

}  // namespace

CpuMemory::~CpuMemory() {
    for (const auto& [id, buffer] : m_buffers) ::munmap(buffer.mapping, buffer.mappingBytes);
}

Result<BufferId> CpuMemory::allocate(std::size_t bytes) {
    const std::size_t body = (bytes + kPage - 1) / kPage * kPage;
    if (body < bytes || body + 2 * kGuard < body) return fail(ErrorCode::WorkerFailed, "a buffer of that size cannot exist");
    Buffer buffer;
    buffer.bytes = bytes;
    buffer.mappingBytes = body + 2 * kGuard;
    void* mapping = ::mmap(nullptr, buffer.mappingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return fail(ErrorCode::WorkerFailed, "out of memory: " + std::to_string(bytes) + " bytes for a buffer");
    buffer.mapping = static_cast<std::byte*>(mapping);
    if (body > 0 && ::mprotect(buffer.mapping + kGuard, body, PROT_READ | PROT_WRITE) != 0) {
        ::munmap(mapping, buffer.mappingBytes);
        return fail(ErrorCode::WorkerFailed, "out of memory: " + std::to_string(bytes) + " bytes for a buffer");
    }
    if (body >= kHugeFrom) ::madvise(buffer.mapping + kGuard, body, MADV_HUGEPAGE);
    const BufferId id = m_nextId++;
    m_buffers.emplace(id, buffer);
    m_allocated += static_cast<std::int64_t>(bytes);
    return id;
}

void CpuMemory::release(BufferId buffer) {
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end()) return;
    ::munmap(found->second.mapping, found->second.mappingBytes);
    m_allocated -= static_cast<std::int64_t>(found->second.bytes);
    m_buffers.erase(found);
}

std::span<std::byte> CpuMemory::whole(BufferId buffer) const {
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end()) return {};
    return {found->second.mapping + kGuard, found->second.bytes};
}

Result<std::span<std::byte>> CpuMemory::range(BufferId buffer, std::size_t offset, std::size_t bytes) const {
    if (!m_buffers.contains(buffer)) return fail(ErrorCode::InvalidArgument, "there is no buffer " + std::to_string(buffer));
    const auto all = whole(buffer);
    if (offset > all.size() || bytes > all.size() - offset) {
        return fail(ErrorCode::InvalidArgument, "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) +
                                                    " lie outside buffer " + std::to_string(buffer) + " of " +
                                                    std::to_string(all.size()) + " bytes");
    }
    return all.subspan(offset, bytes);
}

void flushFromCaches(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
    const std::byte* const end = bytes.data() + bytes.size();
    for (const std::byte* line = bytes.data(); line < end; line += kLine) __builtin_ia32_clflush(line);
    __builtin_ia32_mfence();
#else
    // No portable flush: push the lines out by writing a buffer larger than most caches.
    static std::vector<std::byte> other(std::size_t{64} << 20);
    for (std::size_t i = 0; i < other.size(); i += 64) other[i] ^= std::byte{1};
    static_cast<void>(bytes);
#endif
}

}  // namespace ww::device
