// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/device_code.h"

namespace ww::source {

/// What a call of a CUDA function means to the hardware; `member` for object.name(...). nullopt for ordinary functions.
[[nodiscard]] std::optional<OperationKind> operationOf(std::string_view called, bool member);
/// The same of a PTX opcode: "mma.sync.aligned...", "cp.async.bulk...", "bar.sync".
[[nodiscard]] std::optional<OperationKind> operationOfPtx(std::string_view opcode);

/// Math functions of the library (fast: served by, or built around, the special function units).
[[nodiscard]] bool isMath(std::string_view called);
[[nodiscard]] bool isFastMath(std::string_view called);

/// __ldg, __ldcg, ... and __stcg, ...: loads and stores by function.
[[nodiscard]] bool isLoadFunction(std::string_view called);
[[nodiscard]] bool isStoreFunction(std::string_view called);
/// tex2D, surf2Dread, ...
[[nodiscard]] bool isTextureFunction(std::string_view called);

/// One instruction of inline PTX.
struct PtxInstruction {
    std::string opcode;
    std::vector<int> addresses;  ///< operand numbers inside square brackets, in order
};

/// Splits PTX text, without C++'s quotes; predicates, labels, declarations and braces are left out.
[[nodiscard]] std::vector<PtxInstruction> ptxInstructions(std::string_view code);

}  // namespace ww::source
