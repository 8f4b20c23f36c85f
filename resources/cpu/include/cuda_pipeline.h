// SPDX-License-Identifier: Apache-2.0
// The pipeline primitives: a copy that is done at once is a correct asynchronous copy.
#pragma once

WW_INLINE void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zeroed = 0) {
    memcpy(shared, global, bytes - zeroed);
    memset(static_cast<char*>(shared) + (bytes - zeroed), 0, zeroed);
}
WW_INLINE void __pipeline_commit() {}
WW_INLINE void __pipeline_wait_prior(size_t) {}
