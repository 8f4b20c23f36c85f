// SPDX-License-Identifier: Apache-2.0
// COPY changes nothing: whatever difference is found between its values is noise.
#ifndef COPY
#define COPY 0
#endif
static_assert(COPY >= 0);

extern "C" __global__ void copies(const float* __restrict__ x, float* __restrict__ y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i] + 1.0f;
}
