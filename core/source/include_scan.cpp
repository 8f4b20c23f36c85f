// SPDX-License-Identifier: Apache-2.0
#include "source/include_scan.h"

#include <set>

#include "base/file.h"

namespace ww::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxHeaderBytes = std::size_t{16} << 20;

class Resolver {
public:
    explicit Resolver(const std::vector<IncludeFolder>& folders) : m_folders(folders) {}

    std::vector<IncludedFile> run(std::string_view text) {
        scan(text, {});
        // Headers are appended while the list is walked; one that was met before is not followed again.
        for (std::size_t i = 0; i < m_found.size(); ++i) {
            if (!m_follow[i]) continue;
            const fs::path file = m_found[i].file;
            if (const auto header = readFile(file, kMaxHeaderBytes)) scan(*header, file);
        }
        return std::move(m_found);
    }

private:
    void scan(std::string_view text, const fs::path& from) {
        const Tokens tokens = lex(text);
        for (const Directive& directive : tokens.directives) {
            if (directive.keyword != "include") continue;
            const auto written = includedName(tokens, directive);
            if (!written) continue;
            IncludedFile one{std::string(*written), {}, {}, from, directive.line};
            bool follow = find(one);
            if (one.file.empty()) {
                if (!m_missing.insert(one.written).second) continue;
            } else if (!m_seen.insert(one.file).second) {
                if (!from.empty()) continue;
                follow = false;
            }
            m_found.push_back(std::move(one));
            m_follow.push_back(follow);
        }
    }

    /// Whether the file, where there is one, is to be followed.
    bool find(IncludedFile& one) const {
        const fs::path name(one.written.substr(1, one.written.size() - 2));
        const auto isFile = [](const fs::path& path) {
            std::error_code failed;
            return fs::is_regular_file(path, failed);
        };
        if (one.written.front() == '"' && !one.from.empty() && isFile(one.from.parent_path() / name)) {
            one.file = (one.from.parent_path() / name).lexically_normal();
            one.foundIn = "beside the including file";
            return true;
        }
        for (const IncludeFolder& folder : m_folders) {
            if (!isFile(folder.path / name)) continue;
            one.file = (folder.path / name).lexically_normal();
            one.foundIn = folder.what;
            return folder.followed;
        }
        return false;
    }

    const std::vector<IncludeFolder>& m_folders;
    std::vector<IncludedFile> m_found;
    std::vector<bool> m_follow;
    std::set<fs::path> m_seen;
    std::set<std::string> m_missing;
};

}  // namespace

std::optional<std::string_view> includedName(const Tokens& tokens, const Directive& directive) {
    std::string_view rest = tokens.text.substr(directive.rest, directive.end - directive.rest);
    const std::size_t open = rest.find_first_not_of(" \t");
    if (open == std::string_view::npos || (rest[open] != '<' && rest[open] != '"')) return std::nullopt;
    const std::size_t close = rest.find(rest[open] == '<' ? '>' : '"', open + 1);
    if (close == std::string_view::npos || close == open + 1) return std::nullopt;
    return rest.substr(open, close + 1 - open);
}

std::vector<IncludedFile> resolveIncludes(std::string_view text, const std::vector<IncludeFolder>& folders) {
    return Resolver(folders).run(text);
}

}  // namespace ww::source
