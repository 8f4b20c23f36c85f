// SPDX-License-Identifier: Apache-2.0
#include "sandbox/staging.h"

#include <sys/stat.h>

namespace ww::sandbox {
namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{64} << 20;
constexpr int kMaxFiles = 5000;

bool allows(const fs::path& path, mode_t bits) {
    struct stat facts{};
    return ::stat(path.c_str(), &facts) != 0 || (facts.st_mode & bits) == bits;
}

}  // namespace

bool openToEveryone(const fs::path& folder) {
    if (!allows(folder, S_IROTH | S_IXOTH)) return false;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (!allows(entry.path(), entry.is_directory(ignored) ? S_IROTH | S_IXOTH : S_IROTH)) return false;
    }
    return true;
}

Result<void> copyForEveryone(const fs::path& folder, const fs::path& copy) {
    const auto failure = [&](const std::error_code& error) {
        return fail(ErrorCode::Unreadable, "the folder cannot be copied for the sandboxed compiler (" + error.message() + ")", folder.string());
    };
    std::error_code error;
    fs::create_directories(copy, error);
    if (error) return failure(error);
    (void)::chmod(copy.c_str(), 0755);
    std::uintmax_t bytes = 0;
    int files = 0;
    for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error); at != fs::recursive_directory_iterator();
         at.increment(error)) {
        if (error) return failure(error);
        const auto target = copy / fs::relative(at->path(), folder, error);
        if (at->is_directory(error)) {
            fs::create_directories(target, error);
            if (error) return failure(error);
            (void)::chmod(target.c_str(), 0755);
            continue;
        }
        if (!at->is_regular_file(error)) continue;
        bytes += at->file_size(error);
        if (++files > kMaxFiles || bytes > kMaxBytes) {
            return fail(ErrorCode::Unreadable,
                        "this folder is private and too large to be copied for the sandboxed compiler; put the kernel and its headers into a folder of "
                        "their own, or let everyone read this one (chmod -R o+rX)",
                        folder.string());
        }
        fs::copy_file(at->path(), target, fs::copy_options::overwrite_existing, error);
        if (error) return failure(error);
        (void)::chmod(target.c_str(), 0644);
    }
    return {};
}

}  // namespace ww::sandbox
