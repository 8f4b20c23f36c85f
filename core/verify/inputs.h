// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "device/device.h"
#include "spec/spec.h"

namespace ww::verify {

/// Fills `out` (argument.bytes() long) with the argument's contents: a function of (seed, argument name, index) alone, so
/// the engine and a worker get the same bytes. Thread-safe. `data` is the content of argument.dataFile (BinaryRaw only).
///  - Constant: the fill value. Random: uniform in [-FillValue, FillValue] (a FillValue of 0 counts as 1), or what the argument's
///    InputFamily says, plus its nudge; unsigned integers
///    in [0, FillValue], signed ones in [-FillValue, FillValue], ends included, cut to the type's range.
///  - Generator: the expression in `i`, for each i.
/// Errors: InvalidSpec (short data file, a generator that fails or gives no number), Unsupported (Script), Internal (sizes).
[[nodiscard]] Result<void> fillArgument(const spec::ResolvedArgument& argument, std::uint64_t seed, std::span<std::byte> out,
                                        std::span<const std::byte> data = {});

/// The stream of an argument: element i of a Random fill comes from SplitMix64::at(argumentSeed(...), i).
[[nodiscard]] std::uint64_t argumentSeed(std::uint64_t seed, std::string_view name) noexcept;

/// A Scalar argument as the bytes a launch passes. Errors: InvalidSpec (no number, or out of the type's range).
[[nodiscard]] Result<device::ScalarArgument> scalarBytes(const spec::ResolvedArgument& argument);

} // namespace ww::verify
