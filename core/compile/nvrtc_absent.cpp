// SPDX-License-Identifier: Apache-2.0
// Takes the place of the NVRTC front end in builds without the toolkit's headers (CUDA=OFF).
#include "compile/compile.h"

namespace ww::compile {

Result<std::unique_ptr<Compiler>> makeNvrtcCompiler() {
    return fail(ErrorCode::EnvironmentMissing, "this build has no NVRTC support; build it where the CUDA Toolkit is installed");
}

}  // namespace ww::compile
