// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ww::device {

/// Exit codes of a process in which a CPU kernel faulted. One line on stderr says what happened and where. The engine maps
/// OutOfMemory to out_of_memory and the others to runtime_error.
enum CpuExitCode : int {
    kExitSegmentationFault = 80,
    kExitBusError = 81,
    kExitArithmeticFault = 82,
    kExitIllegalInstruction = 83,
    kExitAborted = 84,
    kExitStackOverflow = 85,
    kExitOutOfMemory = 86,
};

/// "segmentation fault", ...; empty for any other code.
[[nodiscard]] constexpr std::string_view describeCpuExit(int code) noexcept {
    switch (code) {
    case kExitSegmentationFault: return "segmentation fault in a kernel";
    case kExitBusError: return "bus error in a kernel";
    case kExitArithmeticFault: return "arithmetic fault in a kernel (integer division by zero or overflow)";
    case kExitIllegalInstruction: return "illegal instruction in a kernel";
    case kExitAborted: return "a kernel called abort()";
    case kExitStackOverflow: return "stack overflow in a kernel thread";
    case kExitOutOfMemory: return "memory exhausted in a kernel";
    default: return {};
    }
}

}  // namespace ww::device
