// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <string>

#include "base/result.h"

namespace ww::device {

/// The driver API, opened at run time: one binary runs with or without a driver. All members are set once open() succeeded.
struct CudaDriver {
#define WW_CUDA_CALLS(X)                                                                                                          \
    X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString)                                                         \
    X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetUuid) X(cuDeviceGetAttribute) X(cuDeviceTotalMem)          \
    X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) X(cuCtxSetCurrent) X(cuCtxSynchronize) X(cuCtxSetLimit) X(cuCtxResetPersistingL2Cache)              \
    X(cuModuleLoadDataEx) X(cuModuleUnload) X(cuModuleGetFunction) X(cuModuleGetGlobal) X(cuFuncGetAttribute) X(cuFuncSetAttribute)                    \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuMemAlloc) X(cuMemFree) X(cuMemGetInfo) X(cuMemcpyHtoD) X(cuMemcpyDtoH)     \
    X(cuMemcpyDtoD) X(cuMemcpyDtoDAsync) X(cuMemsetD8) X(cuMemsetD8Async) X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) X(cuLaunchKernel) \
    X(cuArray3DCreate) X(cuArrayDestroy) X(cuMemcpy3DAsync) X(cuTexObjectCreate) X(cuTexObjectDestroy)                            \
    X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventSynchronize) X(cuEventElapsedTime)
#define WW_CUDA_MEMBER(name) decltype(&::name) name##_ = nullptr;
    WW_CUDA_CALLS(WW_CUDA_MEMBER)
#undef WW_CUDA_MEMBER

    /// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
    [[nodiscard]] std::string describe(CUresult result) const;
    /// An Error of a call that must not fail.
    [[nodiscard]] Result<void> check(CUresult result, const char* call) const;

    /// Opens libcuda.so.1 and initialises it, once per process. Thread-safe.
    /// Errors: EnvironmentMissing: no driver, no device, or a driver too old, each with what to do.
    [[nodiscard]] static Result<const CudaDriver*> open();
};

}  // namespace ww::device
