// SPDX-License-Identifier: Apache-2.0
#include "worker/object_cache.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "sandbox/frame.h"

namespace ww::worker {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMagic = "warpwright object 1\n";
constexpr std::size_t kDigestLength = 32;

bool isLasting(TrialStatus status) {
    return status == TrialStatus::Ok || status == TrialStatus::CompileError || status == TrialStatus::ResourceError;
}

}  // namespace

ObjectCache::ObjectCache(fs::path folder, const Limits& limits) : m_folder(std::move(folder)), m_limits(limits) {
    if (!m_folder.empty()) trimFolder();
}

fs::path ObjectCache::defaultFolder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') return fs::path(cache) / "warpwright" / "objects";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return fs::path(home) / ".cache" / "warpwright" / "objects";
    return {};
}

fs::path ObjectCache::fileOf(const std::string& key) const {
    const std::string name = contentHash(key);  // whatever a key looks like, its file's name is hex digits
    return m_folder / name.substr(0, 2) / name;
}

std::optional<compile::CompileResult> ObjectCache::find(const std::string& key) {
    if (const auto found = m_index.find(key); found != m_index.end()) {
        m_held.splice(m_held.end(), m_held, found->second);
        auto result = found->second->result;
        result.cached = true;
        return result;
    }
    if (m_folder.empty()) return std::nullopt;
    auto result = readFrom(fileOf(key));
    if (!result) return std::nullopt;
    hold(key, *result);
    result->cached = true;
    return result;
}

std::optional<compile::CompileResult> ObjectCache::readFrom(const fs::path& file) {
    auto bytes = readFile(file);
    if (!bytes) return std::nullopt;
    std::error_code ignored;
    const std::string_view text = *bytes;
    const std::size_t head = kMagic.size() + kDigestLength;
    if (text.size() >= head && text.starts_with(kMagic) && contentHash(text.substr(head)) == text.substr(kMagic.size(), kDigestLength)) {
        sandbox::FrameReader reader;
        reader.feed(std::as_bytes(std::span(text.data() + head, text.size() - head)));
        if (auto message = reader.next(); message && *message) {
            if (auto result = compile::CompileResult::fromJson((**message).body); result && result->status == TrialStatus::Ok) {
                result->object = std::move((**message).attachment);
                fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
                return std::move(*result);
            }
        }
    }
    fs::remove(file, ignored);
    return std::nullopt;
}

void ObjectCache::store(const std::string& key, const compile::CompileResult& result) {
    if (!isLasting(result.status)) return;
    hold(key, result);
    // A refusal may be the machine's fault: a header that is installed tomorrow, a library that could not be opened.
    if (m_folder.empty() || result.status != TrialStatus::Ok) return;
    auto frame = sandbox::encodeFrameHead({result.toJson(), {}});
    if (!frame) return;
    // encodeFrameHead saw no attachment: its length is the second word of the head.
    for (int i = 0; i < 4; ++i) (*frame)[static_cast<std::size_t>(4 + i)] = static_cast<std::byte>(result.object.size() >> (8 * i) & 0xff);
    std::string content(reinterpret_cast<const char*>(frame->data()), frame->size());
    content.append(reinterpret_cast<const char*>(result.object.data()), result.object.size());

    const fs::path file = fileOf(key);
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    if (!writeFileAtomically(file, std::string(kMagic) + contentHash(content) + content)) return;
    m_writtenSinceTrim += content.size();
    if (m_writtenSinceTrim > m_limits.diskBytes / 8) trimFolder();
}

void ObjectCache::hold(const std::string& key, const compile::CompileResult& result) {
    if (const auto found = m_index.find(key); found != m_index.end()) {
        m_heldBytes -= found->second->bytes;
        m_held.erase(found->second);
        m_index.erase(found);
    }
    const std::uint64_t bytes = result.object.size() + result.log.size() + key.size();
    m_held.push_back({key, result, bytes});
    m_index[key] = std::prev(m_held.end());
    m_heldBytes += bytes;
    while (m_heldBytes > m_limits.memoryBytes && m_held.size() > 1) {
        m_heldBytes -= m_held.front().bytes;
        m_index.erase(m_held.front().key);
        m_held.pop_front();
    }
}

/// The least lately used files go first; half-written ones of processes that were killed age out with them.
void ObjectCache::trimFolder() {
    m_writtenSinceTrim = 0;
    struct File {
        fs::file_time_type used;
        std::uint64_t bytes;
        fs::path path;
    };
    std::vector<File> files;
    std::uint64_t total = 0;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(m_folder, ignored)) {
        std::error_code failed;
        if (!entry.is_regular_file(failed) || failed) continue;
        files.push_back({entry.last_write_time(failed), entry.file_size(failed), entry.path()});
        total += files.back().bytes;
    }
    if (total <= m_limits.diskBytes) return;
    std::ranges::sort(files, {}, &File::used);
    for (const auto& file : files) {
        if (total <= m_limits.diskBytes / 8 * 7) break;
        fs::remove(file.path, ignored);
        total -= file.bytes;
    }
}

}  // namespace ww::worker
