// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>

#include "compile/compile.h"

namespace ww::worker {

/// Results of compiles by CompileRequest::key(), in memory and in a folder that processes share. A file is published by a
/// rename and checked by its digest when read; a damaged one counts as absent and is removed. Failures to write are not
/// told: the cache is a convenience. One thread.
class ObjectCache {
public:
    struct Limits {
        std::uint64_t memoryBytes = std::uint64_t{128} << 20;
        std::uint64_t diskBytes = std::uint64_t{512} << 20;
    };
    /// An empty folder: memory only.
    explicit ObjectCache(std::filesystem::path folder) : ObjectCache(std::move(folder), Limits{}) {}
    ObjectCache(std::filesystem::path folder, const Limits& limits);

    /// With `cached` set and the seconds that the compile took at the time.
    [[nodiscard]] std::optional<compile::CompileResult> find(const std::string& key);
    /// Keeps what every compile of the key would give again: objects in the folder too, refusals for this process alone, timeouts not.
    void store(const std::string& key, const compile::CompileResult& result);

    /// $XDG_CACHE_HOME/warpwright/objects, else ~/.cache/warpwright/objects; empty without either.
    [[nodiscard]] static std::filesystem::path defaultFolder();

private:
    struct Held {
        std::string key;
        compile::CompileResult result;
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] std::filesystem::path fileOf(const std::string& key) const;
    [[nodiscard]] std::optional<compile::CompileResult> readFrom(const std::filesystem::path& file);
    void hold(const std::string& key, const compile::CompileResult& result);
    void trimFolder();

    std::filesystem::path m_folder;
    Limits m_limits;
    std::list<Held> m_held;  ///< least lately used first
    std::unordered_map<std::string, std::list<Held>::iterator> m_index;
    std::uint64_t m_heldBytes = 0;
    std::uint64_t m_writtenSinceTrim = 0;
};

}  // namespace ww::worker
