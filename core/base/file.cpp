// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace ww {
namespace fs = std::filesystem;

Result<std::string> readFile(const fs::path& path, std::size_t maxBytes) {
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (!fs::exists(status)) return fail(ErrorCode::NotFound, "there is no such file; check the path", path.string());
    if (fs::is_directory(status)) return fail(ErrorCode::Unreadable, "this is a folder, a file is needed", path.string());
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        return fail(ErrorCode::Unreadable, std::string("the file cannot be read (") + std::strerror(errno) + "); check its permissions",
                    path.string());
    }
    std::string bytes;
    char chunk[1 << 16];
    while (in.read(chunk, sizeof chunk) || in.gcount() > 0) {
        bytes.append(chunk, static_cast<std::size_t>(in.gcount()));
        if (bytes.size() > maxBytes) {
            return fail(ErrorCode::Unreadable, "the file is larger than " + std::to_string(maxBytes >> 20) + " MiB", path.string());
        }
    }
    return bytes;
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view bytes) {
    std::string temporary = path.string() + ".XXXXXX";
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) {
        return fail(ErrorCode::Unreadable, std::string("cannot write in this folder (") + std::strerror(errno) + ")",
                    path.parent_path().string());
    }
    bool good = ::fchmod(fd, 0644) == 0;
    while (good && !bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        good = written > 0;
        if (good) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    good = good && ::fsync(fd) == 0;
    ::close(fd);
    good = good && ::rename(temporary.c_str(), path.c_str()) == 0;
    if (!good) {
        const std::string reason = std::strerror(errno);
        ::unlink(temporary.c_str());
        return fail(ErrorCode::Unreadable, "the file could not be written (" + reason + ")", path.string());
    }
    return {};
}

fs::path executableFolder() {
    std::error_code failed;
    const auto self = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::current_path() : self.parent_path();
}

fs::path resourceRoot() {
    if (const char* named = std::getenv("WARPWRIGHT_ROOT"); named != nullptr && *named != '\0') return named;
    for (auto folder = executableFolder(); folder.has_relative_path(); folder = folder.parent_path()) {
        std::error_code ignored;
        if (fs::is_directory(folder / "kernels", ignored) && fs::is_directory(folder / "resources", ignored)) return folder;
    }
    return executableFolder().parent_path() / "share" / "warpwright";
}

fs::path userDataFolder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0') return fs::path(data) / "warpwright";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return fs::path(home) / ".local/share/warpwright";
    return fs::temp_directory_path() / "warpwright";
}

}  // namespace ww
