// SPDX-License-Identifier: Apache-2.0
// Tensor cores exist on a GPU only. The names let a file compile whose chosen kernel does without them.
#pragma once
namespace nvcuda {
namespace wmma {}
}
