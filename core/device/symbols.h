// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace ww::device {

// What both devices say of a Symbol argument that does not fit its module.

[[nodiscard]] inline std::string missingSymbol(const std::string& name) {
    return "the compiled kernel has no variable " + name +
           "; declare it __constant__ or __device__ in the source under exactly that name, and use it in the kernel";
}

[[nodiscard]] inline std::string symbolTooSmall(const std::string& name, std::size_t has, std::size_t given) {
    return "the variable " + name + " has " + std::to_string(has) + " bytes, the spec gives " + std::to_string(given) +
           "; a Symbol argument's Size must not exceed its declaration";
}

}  // namespace ww::device
