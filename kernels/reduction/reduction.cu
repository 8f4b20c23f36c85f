// SPDX-License-Identifier: Apache-2.0
// The sums of the rows of a matrix in float. Rows are long and few, so several blocks share each: they run along its chunks,
// reduce inside the block, and meet either in a slot per block that the last one adds up in a fixed order (deterministic) or
// in one atomic sum per row (not). The defaults are the textbook: single loads and a tree in shared memory.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256  // threads per block, a power of two
#endif
#ifndef BLOCKS
#define BLOCKS 32  // per row
#endif
#ifndef VEC
#define VEC 1  // elements per load: 1, 2 or 4
#endif
#ifndef ITEMS
#define ITEMS 1  // loads per thread before the loop goes on
#endif
#ifndef SHUFFLE
#define SHUFFLE 0  // 1: reduce by warp shuffles, 0: by a tree in shared memory
#endif
#ifndef ATOMIC
#define ATOMIC 0  // 1: blocks add to one sum, 0: each leaves its own and the last block adds them up
#endif
#ifndef WIDE
#define WIDE 0  // 1: sums are kept in double, 0: in float
#endif

#define MAX_ROWS 1024  // rows have their counters and slots in device memory
#define WARPS (BLOCK_SIZE / 32)
#define CHUNK (BLOCK_SIZE * VEC * ITEMS)  // of a block, per trip

#if WIDE
typedef double Sum;
#else
typedef float Sum;
#endif

#if VEC == 4
typedef float4 Pack;
#elif VEC == 2
typedef float2 Pack;
#else
typedef float Pack;
#endif

__device__ unsigned int arrived[MAX_ROWS];  // blocks that are done with a row; back at 0 after each launch
#if ATOMIC
__device__ Sum totals[MAX_ROWS];  // back at 0 after each launch
#else
__device__ Sum partials[MAX_ROWS][BLOCKS];
#endif

/// VEC elements from position i on; 0 past the row. `packed`: the row starts on a whole pack and ends with one.
__device__ inline void load(const float* __restrict__ row, size_t i, size_t length, bool packed, float* out) {
    if (packed && i < length) {
        const Pack pack = *reinterpret_cast<const Pack*>(row + i);
        const float* parts = reinterpret_cast<const float*>(&pack);
#pragma unroll
        for (int v = 0; v < VEC; ++v) out[v] = parts[v];
        return;
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) out[v] = i + v < length ? row[i + v] : 0.0f;
}

/// The block's sum, in thread 0. All threads must call it.
__device__ inline Sum reduceBlock(Sum sum) {
    const int thread = threadIdx.x;
#if SHUFFLE
    __shared__ Sum sums[WARPS];
#pragma unroll
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lane);
    if (WARPS == 1) return sum;
    if (thread % 32 == 0) sums[thread / 32] = sum;
    __syncthreads();
    if (thread >= 32) return sum;
    sum = thread < WARPS ? sums[thread] : Sum(0);
#pragma unroll
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lane);
    return sum;
#else
    __shared__ Sum sums[BLOCK_SIZE];
    sums[thread] = sum;
    __syncthreads();
#pragma unroll
    for (int half = BLOCK_SIZE / 2; half > 0; half /= 2) {
        if (thread < half) sums[thread] += sums[thread + half];
        __syncthreads();
    }
    return sums[0];
#endif
}

/// Whether this block is the last one of its row to come here. All threads must call it, after thread 0 has left the block's
/// sum where the last one finds it.
__device__ inline bool isLast(int row) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&arrived[row], BLOCKS - 1) == BLOCKS - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
reduction(const float* __restrict__ x, float* __restrict__ y, int columns) {
    const int row = blockIdx.y;
    const size_t length = columns;
    const float* values = x + row * length;
    const bool packed = length % VEC == 0;

    Sum sum = 0;
    for (size_t start = static_cast<size_t>(blockIdx.x) * CHUNK; start < length; start += static_cast<size_t>(BLOCKS) * CHUNK) {
        float loaded[ITEMS][VEC];
#pragma unroll
        for (int item = 0; item < ITEMS; ++item) load(values, start + (item * BLOCK_SIZE + threadIdx.x) * VEC, length, packed, loaded[item]);
#pragma unroll
        for (int item = 0; item < ITEMS; ++item) {
#pragma unroll
            for (int v = 0; v < VEC; ++v) sum += loaded[item][v];
        }
    }
    sum = reduceBlock(sum);

#if ATOMIC
    if (threadIdx.x == 0) atomicAdd(&totals[row], sum);
    if (!isLast(row) || threadIdx.x != 0) return;
    volatile Sum* total = &totals[row];  // other blocks changed it: not from this one's cache
    y[row] = *total;
    *total = 0;
#else
    if (threadIdx.x == 0) partials[row][blockIdx.x] = sum;
    if (!isLast(row)) return;
    const volatile Sum* all = partials[row];
    sum = 0;
    for (int block = threadIdx.x; block < BLOCKS; block += BLOCK_SIZE) sum += all[block];
    sum = reduceBlock(sum);
    if (threadIdx.x == 0) y[row] = sum;
#endif
}
