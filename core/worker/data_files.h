// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/file.h"
#include "verify/launch_buffers.h"

namespace ww::worker {

/// Contents of the data files that arguments are filled from, read once each.
class DataFiles {
public:
    [[nodiscard]] Result<std::span<const std::byte>> contentOf(const spec::ResolvedArgument& argument) {
        auto found = m_files.find(argument.dataFile);
        if (found == m_files.end()) {
            WW_TRY(bytes, readFile(argument.dataFile, kMaxBytes));
            found = m_files.emplace(argument.dataFile, std::move(bytes)).first;
        }
        return std::as_bytes(std::span(found->second.data(), found->second.size()));
    }

private:
    static constexpr std::size_t kMaxBytes = std::size_t{4} << 30;
    std::map<std::string, std::string> m_files;  ///< by path
};

}  // namespace ww::worker
