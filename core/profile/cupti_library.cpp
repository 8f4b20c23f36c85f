// SPDX-License-Identifier: Apache-2.0
#include "profile/cupti_library.h"

#include <dlfcn.h>

#include <memory>

#include "compile/toolkit.h"
#include "profile/counter_access.h"

namespace ww::profile {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

void* openAny(std::string& from) {
    // CUPTI loads libnvperf_host from its own folder, so the toolkit's copy is tried by full path first.
    for (const auto& toolkit : compile::toolkitFolders()) {
        for (const char* place : {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib", "lib"}) {
            for (const char* name : kNames) {
                const auto path = toolkit / place / name;
                if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
                    from = path.string();
                    return library;
                }
            }
        }
    }
    for (const char* name : kNames) {
        if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            from = name;
            return library;
        }
    }
    return nullptr;
}

Result<std::unique_ptr<CuptiLibrary>> load() {
    auto cupti = std::make_unique<CuptiLibrary>();
    void* library = openAny(cupti->path);
    if (library == nullptr) {
        return fail(ErrorCode::EnvironmentMissing, "CUPTI (libcupti.so) was not found: install the CUDA Toolkit's CUPTI (cuda-cupti, 12.6 "
                                                   "or newer), or set CUDA_HOME to the toolkit");
    }
    const char* missing = nullptr;
#define WW_LOAD(name)                                                                                                                      \
    cupti->name##_ = reinterpret_cast<decltype(cupti->name##_)>(::dlsym(library, #name));                                                  \
    if (cupti->name##_ == nullptr) missing = #name;
    WW_CUPTI_CALLS(WW_LOAD)
#undef WW_LOAD
    if (missing != nullptr)
        return fail(ErrorCode::EnvironmentMissing, std::string("this CUPTI lacks ") + missing + "; 12.6 or newer is needed", cupti->path);
    (void)cupti->cuptiGetVersion_(&cupti->version);
    return cupti;
}

} // namespace

std::string CuptiLibrary::describe(CUptiResult result) const {
    const char* text = nullptr;
    (void)cuptiGetResultString_(result, &text);
    return std::string(text != nullptr ? text : "CUPTI error") + " (" + std::to_string(static_cast<int>(result)) + ")";
}

Result<void> CuptiLibrary::check(CUptiResult result, const char* call) const {
    if (result == CUPTI_SUCCESS) return {};
    const std::string remedy = remedyFor(result);
    return fail(remedy.empty() ? ErrorCode::WorkerFailed : ErrorCode::EnvironmentMissing,
                std::string(call) + " failed: " + describe(result) + (remedy.empty() ? "" : "; " + remedy));
}

Result<const CuptiLibrary*> CuptiLibrary::open() {
    static const Result<std::unique_ptr<CuptiLibrary>> opened = load();
    if (!opened) return fail(opened.error());
    return static_cast<const CuptiLibrary*>(opened->get());
}

} // namespace ww::profile
