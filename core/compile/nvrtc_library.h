// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace ww::compile {

/// NVRTC, opened at run time. All members are set once open() succeeded.
struct NvrtcLibrary {
#define WW_NVRTC_CALLS(X)                                                                                            \
    X(nvrtcVersion) X(nvrtcGetErrorString) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcCompileProgram)       \
    X(nvrtcAddNameExpression) X(nvrtcGetLoweredName) X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN) X(nvrtcGetProgramLogSize) \
    X(nvrtcGetProgramLog) X(nvrtcGetNumSupportedArchs) X(nvrtcGetSupportedArchs)
#define WW_NVRTC_MEMBER(name) decltype(&::name) name##_ = nullptr;
    WW_NVRTC_CALLS(WW_NVRTC_MEMBER)
#undef WW_NVRTC_MEMBER

    int major = 0, minor = 0;
    /// The toolkit's include folders that exist: include/ and, from 13.0 on, include/cccl.
    std::vector<std::string> includeFolders;

    /// Looks beside $CUDA_HOME, $CUDA_PATH and the usual toolkit places, then where the loader looks.
    /// Errors: EnvironmentMissing, with what to install.
    [[nodiscard]] static Result<const NvrtcLibrary*> open();
};

}  // namespace ww::compile
