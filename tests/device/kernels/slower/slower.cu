// SPDX-License-Identifier: Apache-2.0
// Multiplies by one, which no compiler knows: 1000 times, or two per cent more often.
#ifndef EXTRA
#define EXTRA 0
#endif

extern "C" __global__ void slower(const float* __restrict__ x, float* __restrict__ y, float one, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
#pragma unroll 20
    for (int round = 0; round < 1000 + 20 * EXTRA; ++round) value *= one;
    y[i] = value;
}
