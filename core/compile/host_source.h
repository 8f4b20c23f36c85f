// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "compile/compile.h"

namespace ww::compile {

/// How much of `#pragma unroll` is passed on. g++ refuses factors that depend on template parameters and pragmas that are not
/// directly before a loop, which nvcc accepts; the compiler then tries again with less.
enum class Unroll { All, Literal, None };

/// Messages of refusals begin with this word in the compiler's output.
inline constexpr std::string_view kRefusalMark = "WARPWRIGHT-REFUSED: ";

/// CUDA C++ to what g++ takes, at token level and line by line: `extern __shared__ T name[]` becomes a pointer, `#pragma unroll`
/// g++'s form, and each construct that the CPU device cannot run (source/cpu_gaps.h) an error in exactly those regions that the
/// preprocessor keeps. Functions with such constructs that `entry` does not reach are left out; an empty entry reaches everything.
[[nodiscard]] std::string toHostSource(std::string_view source, Unroll unroll, std::string_view entry = {});

/// The whole translation unit: the request's macros, the rewritten source under its own name, and the launcher.
/// `castEntry` picks the overload of `argumentTypes`.
[[nodiscard]] std::string translationUnit(const CompileRequest& request, Unroll unroll, bool castEntry,
                                          const std::vector<std::pair<std::string, std::string>>& moreDefines,
                                          const std::vector<std::string>& undefines);

/// The name the launcher's part of the unit has in messages.
inline constexpr std::string_view kLauncherName = "<launcher>";

}  // namespace ww::compile
