// SPDX-License-Identifier: Apache-2.0
#include "policy/torch_module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>

#include "base/file.h"

namespace ww::policy {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "libwarpwright-torch.so";
constexpr const char* kEntryPoint = "warpwrightTorchModule";

/// Beside the executable, in the installed library folder, and where tests say the binaries are.
std::optional<fs::path> findModule() {
    std::vector<fs::path> folders{executableFolder(), executableFolder() / ".." / "lib" / "warpwright"};
    if (const char* binaries = std::getenv("WARPWRIGHT_BIN")) folders.emplace_back(binaries);
    for (const fs::path& folder : folders) {
        std::error_code ignored;
        if (fs::is_regular_file(folder / kFileName, ignored)) return folder / kFileName;
    }
    return std::nullopt;
}

Result<TorchModule*> open() {
    const std::optional<fs::path> path = findModule();
    if (!path)
        return fail(ErrorCode::EnvironmentMissing,
                    "the LibTorch module (libwarpwright-torch.so) is not beside the program: install libtorch-dev (or set Torch_DIR) and "
                    "build again with -DTORCH=ON");
    // RTLD_LOCAL keeps LibTorch's 300 libraries from answering for anybody else's symbols. It is never closed: LibTorch
    // does not survive that.
    void* handle = dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* reason = dlerror();
        return fail(ErrorCode::EnvironmentMissing,
                    std::string("the LibTorch module cannot be loaded: ") + (reason ? reason : "no reason given") +
                        "; reinstall LibTorch or build again",
                    path->string());
    }
    using EntryPoint = TorchModule* (*)(const char*);
    const auto entry = reinterpret_cast<EntryPoint>(dlsym(handle, kEntryPoint));
    TorchModule* module = entry ? entry(std::string(kTorchModuleInterface).c_str()) : nullptr;
    if (!module)
        return fail(ErrorCode::EnvironmentMissing,
                    "the LibTorch module is of another build than this program: build or install both together", path->string());
    return module;
}

} // namespace

Result<TorchModule*> torchModule() {
    // A failure is not kept: somebody may install the module while the window is open.
    static std::mutex mutex;
    static TorchModule* opened = nullptr;
    const std::lock_guard lock(mutex);
    if (opened) return opened;
    WW_TRY(module, open());
    opened = module;
    return opened;
}

bool torchModulePresent() { return findModule().has_value(); }

} // namespace ww::policy
