// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/measurements.h"

namespace ww::profile {

/// The class of a SASS instruction by its opcode ("FFMA.FTZ" -> "fp32"): fp32, fp64, fp16, integer, tensor, special, conversion,
/// global, shared, local, constant, atomic, async_copy, barrier, control, move, other.
[[nodiscard]] std::string_view opcodeClass(std::string_view opcode) noexcept;

/// Instructions by class in a listing of nvdisasm or cuobjdump; predicates and the padding NOPs at the end are left out.
[[nodiscard]] std::map<std::string, std::size_t> countOpcodes(std::string_view listing);

/// Disassembles a CUBIN with the toolkit's nvdisasm or cuobjdump and counts: "code_fp32", ... in instructions.
/// Errors: EnvironmentMissing where neither is installed, WorkerFailed with what it printed.
[[nodiscard]] Result<Measurements> disassemble(std::span<const std::byte> cubin);

} // namespace ww::profile
