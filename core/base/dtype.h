// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ww {

/// Element type of a kernel argument.
enum class DType { Bool, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Half, BFloat16, Float32, Float64 };

/// "float32", "half", "bfloat16", "int32", ...
[[nodiscard]] std::string_view toString(DType type) noexcept;

/// Accepts the names of T1 files and of C++: "float", "float32", "double", "int", "int32", "uint", "unsigned int",
/// "int64", "size_t", "half", "__half", "bfloat16", "__nv_bfloat16", "char", "bool", ... Vector types such as float4 are not scalars.
[[nodiscard]] std::optional<DType> dtypeFrom(std::string_view name) noexcept;

[[nodiscard]] std::size_t sizeOf(DType type) noexcept;  ///< bytes of one element
[[nodiscard]] bool isFloating(DType type) noexcept;
[[nodiscard]] bool isSigned(DType type) noexcept;

/// Reads or writes one element; half and bfloat16 round to nearest even, integers saturate. `at` need not be aligned.
[[nodiscard]] double loadAsDouble(DType type, const std::byte* at) noexcept;
void storeFromDouble(DType type, double value, std::byte* at) noexcept;

}  // namespace ww
