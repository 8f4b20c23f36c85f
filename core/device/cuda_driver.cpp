// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_driver.h"

#include <dlfcn.h>

#include <memory>

namespace ww::device {
namespace {

// cuda.h maps plain names to versioned ones by macros; the second step expands them before they become text.
#define WW_TEXT(name) #name
#define WW_SYMBOL(name) WW_TEXT(name)

Result<std::unique_ptr<CudaDriver>> load() {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return fail(ErrorCode::EnvironmentMissing, "the NVIDIA driver (libcuda.so.1) is not on this machine; install it to use a GPU");
    }
    auto driver = std::make_unique<CudaDriver>();
    const char* missing = nullptr;
#define WW_LOAD(name)                                                                                         \
    driver->name##_ = reinterpret_cast<decltype(driver->name##_)>(::dlsym(library, WW_SYMBOL(name)));         \
    if (driver->name##_ == nullptr) missing = WW_SYMBOL(name);
    WW_CUDA_CALLS(WW_LOAD)
#undef WW_LOAD
    if (missing != nullptr) {
        return fail(ErrorCode::EnvironmentMissing, std::string("the NVIDIA driver lacks ") + missing + "; it is older than the CUDA Toolkit this program was built with: update the driver");
    }
    if (const CUresult result = driver->cuInit_(0); result != CUDA_SUCCESS) {
        return fail(ErrorCode::EnvironmentMissing, "the NVIDIA driver could not start (" + driver->describe(result) + "); `nvidia-smi` may tell more");
    }
    return driver;
}

}  // namespace

std::string CudaDriver::describe(CUresult result) const {
    const char* name = nullptr;
    const char* text = nullptr;
    if (cuGetErrorName_ != nullptr) (void)cuGetErrorName_(result, &name);
    if (cuGetErrorString_ != nullptr) (void)cuGetErrorString_(result, &text);
    if (name == nullptr) return "CUDA error " + std::to_string(static_cast<int>(result));
    return std::string(name) + (text != nullptr ? std::string(": ") + text : std::string());
}

Result<void> CudaDriver::check(CUresult result, const char* call) const {
    if (result == CUDA_SUCCESS) return {};
    return fail(ErrorCode::WorkerFailed, std::string(call) + " failed: " + describe(result));
}

Result<const CudaDriver*> CudaDriver::open() {
    static const Result<std::unique_ptr<CudaDriver>> opened = load();
    if (!opened) return fail(opened.error());
    return static_cast<const CudaDriver*>(opened->get());
}

}  // namespace ww::device
