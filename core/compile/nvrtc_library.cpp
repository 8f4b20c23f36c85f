// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <memory>

#include "compile/toolkit.h"

namespace ww::compile {
namespace {

/// NVRTC asks the loader for its builtins by name, and finds them where the loader's cache or path leads. In a sandbox neither does;
/// a library that is loaded already is found by its name.
void loadBuiltinsBeside(const std::filesystem::path& library) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(library.parent_path(), failed)) {
        if (entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) (void)::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    }
}

void* openAny() {
    for (const auto& toolkit : toolkitFolders()) {
        for (const char* place : {"lib64", "targets/x86_64-linux/lib", "lib"}) {
            for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
                const auto path = toolkit / place / name;
                if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
                    loadBuiltinsBeside(path);
                    return library;
                }
            }
        }
    }
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}) {
        if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    return nullptr;
}

Result<std::unique_ptr<NvrtcLibrary>> load() {
    void* library = openAny();
    if (library == nullptr) {
        return fail(ErrorCode::EnvironmentMissing,
                    "NVRTC (libnvrtc.so) was not found: install the CUDA Toolkit (12.6 or newer), or set CUDA_HOME to its folder");
    }
    auto nvrtc = std::make_unique<NvrtcLibrary>();
    const char* missing = nullptr;
#define WW_LOAD(name)                                                                            \
    nvrtc->name##_ = reinterpret_cast<decltype(nvrtc->name##_)>(::dlsym(library, #name));        \
    if (nvrtc->name##_ == nullptr) missing = #name;
    WW_NVRTC_CALLS(WW_LOAD)
#undef WW_LOAD
    if (missing != nullptr) return fail(ErrorCode::EnvironmentMissing, std::string("this NVRTC lacks ") + missing + "; 12.6 or newer is needed");
    (void)nvrtc->nvrtcVersion_(&nvrtc->major, &nvrtc->minor);
    for (const auto& folder : toolkitIncludeFolders()) nvrtc->includeFolders.push_back(folder.string());
    return nvrtc;
}

}  // namespace

Result<const NvrtcLibrary*> NvrtcLibrary::open() {
    static const Result<std::unique_ptr<NvrtcLibrary>> opened = load();
    if (!opened) return fail(opened.error());
    return static_cast<const NvrtcLibrary*>(opened->get());
}

}  // namespace ww::compile
