// SPDX-License-Identifier: Apache-2.0
// c = a + b: the smallest kernel worth tuning. Its time is memory traffic, so the parameters decide how many bytes each
// thread has in flight.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256  // threads per block
#endif
#ifndef VEC
#define VEC 1  // elements per load: 1, 2 or 4
#endif
#ifndef ITEMS
#define ITEMS 1  // loads per thread
#endif
#ifndef GRID_STRIDE
#define GRID_STRIDE 0  // 1: a thread's loads are a whole grid apart, 0: a block apart
#endif

#if VEC == 4
typedef float4 Pack;
#elif VEC == 2
typedef float2 Pack;
#else
typedef float Pack;
#endif

__device__ inline float sum(float x, float y) { return x + y; }
__device__ inline float2 sum(float2 x, float2 y) { return make_float2(x.x + y.x, x.y + y.y); }
__device__ inline float4 sum(float4 x, float4 y) { return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w); }

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
    const int packs = n / VEC;
#if GRID_STRIDE
    const int first = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int step = gridDim.x * BLOCK_SIZE;
#else
    const int first = blockIdx.x * BLOCK_SIZE * ITEMS + threadIdx.x;
    const int step = BLOCK_SIZE;
#endif

#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
        const int i = first + item * step;
        if (i < packs) {
            const Pack x = reinterpret_cast<const Pack*>(a)[i];
            const Pack y = reinterpret_cast<const Pack*>(b)[i];
            reinterpret_cast<Pack*>(c)[i] = sum(x, y);
        }
    }

    // The last n % VEC elements fill no pack; one thread each.
    const int tail = packs * VEC + threadIdx.x;
    if (VEC > 1 && blockIdx.x == gridDim.x - 1 && tail < n) c[tail] = a[tail] + b[tail];
}
