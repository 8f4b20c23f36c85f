// SPDX-License-Identifier: Apache-2.0
// Softmax over the rows of a matrix, one block per row. The defaults are the textbook: three passes over global memory
// (maximum, sum, result) and a tree reduction in shared memory.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256  // threads per block, a power of two
#endif
#ifndef VEC
#define VEC 1  // elements per load: 1, 2 or 4
#endif
#ifndef ITEMS
#define ITEMS 1  // loads per thread before the loop goes on
#endif
#ifndef ONLINE
#define ONLINE 0  // 1: maximum and sum in one pass, rescaling the sum when the maximum grows
#endif
#ifndef SHUFFLE
#define SHUFFLE 0  // 1: reduce by warp shuffles, 0: by a tree in shared memory
#endif
#ifndef CACHE
#define CACHE 0  // where the row waits for the next pass: 0 global memory, 1 shared memory, 2 registers (its first part)
#endif

#if VEC == 4
typedef float4 Pack;
#elif VEC == 2
typedef float2 Pack;
#else
typedef float Pack;
#endif

#define LOWEST -3.402823466e+38f
#define WARPS ((BLOCK_SIZE + 31) / 32)
#define TRIP (BLOCK_SIZE * VEC * ITEMS)

/// VEC elements from position i on; what lies past the row is LOWEST, which no pass counts.
__device__ inline void load(const float* __restrict__ row, int i, int cols, bool packed, float* out) {
    if (packed && i < cols) {
        const Pack pack = *reinterpret_cast<const Pack*>(row + i);
        const float* parts = reinterpret_cast<const float*>(&pack);
#pragma unroll
        for (int v = 0; v < VEC; ++v) out[v] = parts[v];
        return;
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) out[v] = i + v < cols ? row[i + v] : LOWEST;
}

__device__ inline void store(float* __restrict__ row, int i, int cols, bool packed, const float* in) {
    if (packed && i < cols) {
        Pack pack;
        float* parts = reinterpret_cast<float*>(&pack);
#pragma unroll
        for (int v = 0; v < VEC; ++v) parts[v] = in[v];
        *reinterpret_cast<Pack*>(row + i) = pack;
        return;
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
        if (i + v < cols) row[i + v] = in[v];
    }
}

/// A maximum and the sum of exp(x - maximum): what two parts of a row are merged from.
struct Part {
    float high;
    float sum;
};

__device__ inline Part merge(Part x, Part y) {
    const float high = fmaxf(x.high, y.high);
    return {high, x.sum * expf(x.high - high) + y.sum * expf(y.high - high)};
}

/// The block's merged part, in every thread. All threads must call it.
__device__ inline Part reduceBlock(Part part) {
    __shared__ float highs[BLOCK_SIZE];
    __shared__ float sums[BLOCK_SIZE];
    const int thread = threadIdx.x;
#if SHUFFLE
#pragma unroll
    for (int lane = 16; lane > 0; lane /= 2) {
        const Part other = {__shfl_xor_sync(0xffffffffu, part.high, lane), __shfl_xor_sync(0xffffffffu, part.sum, lane)};
        part = merge(part, other);
    }
    if (WARPS == 1) return part;
    if (thread % 32 == 0) {
        highs[thread / 32] = part.high;
        sums[thread / 32] = part.sum;
    }
    __syncthreads();
    part = {highs[0], sums[0]};
#pragma unroll
    for (int warp = 1; warp < WARPS; ++warp) part = merge(part, {highs[warp], sums[warp]});
    __syncthreads();
    return part;
#else
    highs[thread] = part.high;
    sums[thread] = part.sum;
    __syncthreads();
#pragma unroll
    for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
        if (thread < half) {
            part = merge(part, {highs[thread + half], sums[thread + half]});
            highs[thread] = part.high;
            sums[thread] = part.sum;
        }
        __syncthreads();
    }
    part = {highs[0], sums[0]};
    __syncthreads();
    return part;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
softmax(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    extern __shared__ __align__(16) float cached[];  // cols floats where CACHE is 1
    if (blockIdx.x >= rows) return;
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* result = y + static_cast<size_t>(blockIdx.x) * cols;
    const bool packed = cols % VEC == 0;  // then every row starts on a whole pack
    float kept[ITEMS][VEC];

    Part part = {LOWEST, 0.0f};
    for (int start = 0; start < cols; start += TRIP) {
#pragma unroll
        for (int item = 0; item < ITEMS; ++item) {
            const int i = start + (item * BLOCK_SIZE + threadIdx.x) * VEC;
            float values[VEC];
            load(row, i, cols, packed, values);
            if (CACHE == 1) store(cached, i, cols, packed, values);
#pragma unroll
            for (int v = 0; v < VEC; ++v) {
                if (CACHE == 2 && start == 0) kept[item][v] = values[v];
                if (ONLINE) {
                    if (values[v] > part.high) {
                        part.sum *= expf(part.high - values[v]);
                        part.high = values[v];
                    }
                    if (i + v < cols) part.sum += expf(values[v] - part.high);
                } else {
                    part.high = fmaxf(part.high, values[v]);
                }
            }
        }
    }
    part = reduceBlock(part);

    if (!ONLINE) {
        float sum = 0.0f;
        for (int start = 0; start < cols; start += TRIP) {
#pragma unroll
            for (int item = 0; item < ITEMS; ++item) {
                const int i = start + (item * BLOCK_SIZE + threadIdx.x) * VEC;
                float values[VEC];
                if (CACHE == 2 && start == 0) {
#pragma unroll
                    for (int v = 0; v < VEC; ++v) values[v] = kept[item][v];
                } else {
                    load(CACHE == 1 ? cached : row, i, cols, packed, values);
                }
#pragma unroll
                for (int v = 0; v < VEC; ++v) {
                    if (i + v < cols) sum += expf(values[v] - part.high);
                }
            }
        }
        part = reduceBlock({part.high, sum});
    }

    const float scale = 1.0f / part.sum;
    for (int start = 0; start < cols; start += TRIP) {
#pragma unroll
        for (int item = 0; item < ITEMS; ++item) {
            const int i = start + (item * BLOCK_SIZE + threadIdx.x) * VEC;
            float values[VEC];
            if (CACHE == 2 && start == 0) {
#pragma unroll
                for (int v = 0; v < VEC; ++v) values[v] = kept[item][v];
            } else {
                load(CACHE == 1 ? cached : row, i, cols, packed, values);
            }
#pragma unroll
            for (int v = 0; v < VEC; ++v) values[v] = expf(values[v] - part.high) * scale;
            store(result, i, cols, packed, values);
        }
    }
}
