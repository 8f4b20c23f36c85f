// SPDX-License-Identifier: Apache-2.0
#pragma once
// Everything the CPU device offers is in ww_cuda.h, which is always included first.
