// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/file.h"
#include "compile/host_process.h"
#include "compile/toolkit.h"
#include "profile/sass.h"

namespace ww::profile {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kDeadline{30};
/// runProcess() keeps no more of a listing: a longer one would be counted in part.
constexpr std::size_t kMaxListing = (std::size_t{1} << 20) - 1;

/// The tool and its arguments before the file.
std::vector<std::string> disassembler() {
    std::vector<fs::path> folders;
    for (const auto& toolkit : compile::toolkitFolders())
        folders.push_back(toolkit / "bin");
    std::string_view path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
    while (!path.empty()) {
        const auto one = path.substr(0, path.find(':'));
        if (one.starts_with('/')) folders.emplace_back(one);
        path.remove_prefix(std::min(path.size(), one.size() + 1));
    }
    for (const auto& [tool, option] : {std::pair("nvdisasm", "-c"), std::pair("cuobjdump", "-sass")}) {
        for (const auto& folder : folders) {
            if (::access((folder / tool).c_str(), X_OK) == 0) return {(folder / tool).string(), option};
        }
    }
    return {};
}

/// A file of its own in the temporary folder, removed at the end.
class TemporaryFile {
public:
    static Result<std::unique_ptr<TemporaryFile>> make(std::span<const std::byte> bytes) {
        std::error_code failed;
        std::string pattern = (fs::temp_directory_path(failed) / "warpwright-cubin-XXXXXX").string();
        const int fd = ::mkstemp(pattern.data());
        if (fd < 0) return fail(ErrorCode::WorkerFailed, "no file can be made in the temporary folder; free some space there", pattern);
        ::close(fd);
        std::unique_ptr<TemporaryFile> file(new TemporaryFile(pattern));
        WW_CHECK(writeFileAtomically(file->path(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
        return file;
    }
    ~TemporaryFile() { (void)::unlink(m_path.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] const std::string& path() const noexcept { return m_path; }

private:
    explicit TemporaryFile(std::string path) : m_path(std::move(path)) {}
    std::string m_path;
};

} // namespace

Result<Measurements> disassemble(std::span<const std::byte> cubin) {
    auto command = disassembler();
    if (command.empty()) {
        return fail(
            ErrorCode::EnvironmentMissing,
            "neither nvdisasm nor cuobjdump was found: install the CUDA Toolkit's binary utilities (cuda-nvdisasm), or set CUDA_HOME");
    }
    WW_TRY(file, TemporaryFile::make(cubin));
    command.push_back(file->path());
    WW_TRY(run, compile::runProcess(command, fs::path(file->path()).parent_path().string(), kDeadline));
    if (run.exitCode != 0) return fail(ErrorCode::WorkerFailed, "the disassembler failed: " + run.output.substr(0, 500), command.front());
    if (run.output.size() >= kMaxListing) return fail(ErrorCode::Unsupported, "the kernel's machine code is too long to be listed whole");
    Measurements counted;
    for (const auto& [name, count] : countOpcodes(run.output))
        counted.put("code_" + name, static_cast<double>(count), "1", Rung::Code);
    if (counted.empty()) return fail(ErrorCode::WorkerFailed, "the disassembler's listing holds no instruction", command.front());
    return counted;
}

} // namespace ww::profile
