// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "source/functions.h"
#include "source/lanes.h"
#include "source/source_model.h"

namespace ww::source {

/// What the device code of a file consists of, in the file's order.
struct DeviceCode {
    std::vector<FunctionModel> functions;  ///< one per DeviceFunction, in the same order
    std::vector<MemoryObject> objects;
};

/// Reads all device functions. Callers come before callees, so that a function knows what its arguments are: whether a pointer is
/// to shared memory and how an index runs over the threads. Recursive functions know less.
[[nodiscard]] DeviceCode readDeviceCode(TSNode root, const Tokens& tokens, const Declarations& declarations,
                                        const std::vector<ParameterSite>& parameters);

}  // namespace ww::source
