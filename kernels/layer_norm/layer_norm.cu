// SPDX-License-Identifier: Apache-2.0
// Layer normalisation over the rows of a matrix in half: y = (x - mean) / sqrt(variance + epsilon) * weight + bias. A block
// takes BLOCK_M rows and walks along them twice in tiles of BLOCK_N columns, for the statistics and for the result. Tiles
// arrive in shared memory STAGES deep, by asynchronous copies where the device has them. A thread reads back only what it
// copied itself, so the pipeline needs no barriers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>

#ifndef BLOCK_M
#define BLOCK_M 16  // rows per block
#endif
#ifndef BLOCK_N
#define BLOCK_N 64  // columns per tile
#endif
#ifndef THREADS
#define THREADS 128  // per block
#endif
#ifndef STAGES
#define STAGES 2  // tiles in flight, the one in use included
#endif
#ifndef VEC
#define VEC 1  // elements per load and store: 1, 2, 4 or 8
#endif
#ifndef ACCUMULATOR
#define ACCUMULATOR 0  // what a thread adds up its part of a tile in: 0 float, 1 half, 2 bfloat16; tiles add up in float
#endif
#ifndef GRID
#define GRID 1  // 1: a block writes whole rows; 2 and 0: several blocks share rows, and each finds the statistics for itself
#endif

#define EPSILON 1e-5f
#define PACKS_IN_ROW (BLOCK_N / VEC)
#define LANES (PACKS_IN_ROW < 32 ? PACKS_IN_ROW : 32)  // threads along a row, all of one warp
#define PACKS (PACKS_IN_ROW / LANES)                   // of a row of the tile, per thread
#define ROW_STEP (THREADS / LANES)                     // rows side by side
#define ROWS (BLOCK_M / ROW_STEP)                      // per thread

#if ACCUMULATOR == 1
typedef __half Accumulator;
#elif ACCUMULATOR == 2
typedef __nv_bfloat16 Accumulator;
#else
typedef float Accumulator;
#endif

struct __align__(2 * VEC) Pack {
    __half of[VEC];
};

/// The rows of this block, as one thread sees them.
struct Matrix {
    const __half* x;
    int rows, columns;
    bool packed;  // every row starts on a whole pack
};

__device__ inline int rowOf(int r) { return blockIdx.x * BLOCK_M + r * ROW_STEP + threadIdx.x / LANES; }
__device__ inline int columnOf(int tile, int p) { return tile * BLOCK_N + (p * LANES + threadIdx.x % LANES) * VEC; }
/// This thread's place for a pack; neighbouring threads are neighbours there, whatever the tile's shape.
__device__ inline int slotOf(int tile, int r, int p) { return ((tile % STAGES * ROWS + r) * PACKS + p) * THREADS + threadIdx.x; }

/// Starts to copy this thread's part of a tile. What lies outside the matrix is left as it is.
__device__ inline void fetch(Pack* stages, const Matrix& matrix, int tile) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int p = 0; p < PACKS; ++p) {
            const int row = rowOf(r), column = columnOf(tile, p);
            if (row >= matrix.rows || column >= matrix.columns) continue;
            const __half* from = matrix.x + static_cast<size_t>(row) * matrix.columns + column;
            Pack* to = stages + slotOf(tile, r, p);
#if VEC > 1
            if (matrix.packed) {
                __pipeline_memcpy_async(to, from, sizeof(Pack));
                continue;
            }
#endif
#pragma unroll
            for (int v = 0; v < VEC; ++v) {
                if (column + v < matrix.columns) to->of[v] = from[v];
            }
        }
    }
}

/// Calls use(tile) for each tile from `first` up to `end` when it has arrived, with the next STAGES - 1 on their way.
template <typename Use>
__device__ inline void walk(Pack* stages, const Matrix& matrix, int first, int end, Use use) {
#pragma unroll
    for (int ahead = 0; ahead < STAGES - 1; ++ahead) {
        if (first + ahead < end) fetch(stages, matrix, first + ahead);
        __pipeline_commit();
    }
    for (int tile = first; tile < end; ++tile) {
        if (tile + STAGES - 1 < end) fetch(stages, matrix, tile + STAGES - 1);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        use(tile);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
layer_norm(const __half* __restrict__ x, const __half* __restrict__ weight, const __half* __restrict__ bias, __half* __restrict__ y, int rows,
           int columns) {
    extern __shared__ __align__(16) Pack stages[];  // STAGES * BLOCK_M * BLOCK_N elements
    const Matrix matrix = {x, rows, columns, columns % VEC == 0};
    const int tiles = (columns + BLOCK_N - 1) / BLOCK_N;

    // Sums of differences from the row's first element: a large mean costs no digits of the variance.
    float origin[ROWS], sum[ROWS], squares[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        origin[r] = rowOf(r) < rows ? __half2float(x[static_cast<size_t>(rowOf(r)) * columns]) : 0.0f;
        sum[r] = squares[r] = 0.0f;
    }
    walk(stages, matrix, 0, tiles, [&](int tile) {
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            Accumulator part = 0.0f, partSquares = 0.0f;
#pragma unroll
            for (int p = 0; p < PACKS; ++p) {
                const Pack pack = stages[slotOf(tile, r, p)];
#pragma unroll
                for (int v = 0; v < VEC; ++v) {
                    if (columnOf(tile, p) + v >= columns) continue;
                    const Accumulator difference = __half2float(pack.of[v]) - origin[r];
                    part += difference;
                    partSquares += difference * difference;
                }
            }
            sum[r] += static_cast<float>(part);
            squares[r] += static_cast<float>(partSquares);
        }
    });

    float mean[ROWS], scale[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
#pragma unroll
        for (int lane = LANES / 2; lane > 0; lane /= 2) {
            sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], lane);
            squares[r] += __shfl_xor_sync(0xffffffffu, squares[r], lane);
        }
        const float shift = sum[r] / columns;
        mean[r] = origin[r] + shift;
        scale[r] = rsqrtf(fmaxf(squares[r] / columns - shift * shift, 0.0f) + EPSILON);
    }

#if GRID == 1
    const int first = 0, end = tiles;
#else
    const int share = (tiles + gridDim.y - 1) / gridDim.y;
    const int first = min(static_cast<int>(blockIdx.y) * share, tiles), end = min(first + share, tiles);
#endif
    walk(stages, matrix, first, end, [&](int tile) {
#pragma unroll
        for (int p = 0; p < PACKS; ++p) {
            const int column = columnOf(tile, p);
            if (column >= columns) continue;
            float weights[VEC], biases[VEC];
#pragma unroll
            for (int v = 0; v < VEC; ++v) {
                weights[v] = column + v < columns ? __half2float(weight[column + v]) : 0.0f;
                biases[v] = column + v < columns ? __half2float(bias[column + v]) : 0.0f;
            }
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                if (rowOf(r) >= rows) continue;
                Pack pack = stages[slotOf(tile, r, p)];
#pragma unroll
                for (int v = 0; v < VEC; ++v) {
                    pack.of[v] = __float2half((__half2float(pack.of[v]) - mean[r]) * scale[r] * weights[v] + biases[v]);
                }
                __half* to = y + static_cast<size_t>(rowOf(r)) * columns + column;
                if (matrix.packed) {
                    *reinterpret_cast<Pack*>(to) = pack;
                    continue;
                }
#pragma unroll
                for (int v = 0; v < VEC; ++v) {
                    if (column + v < columns) to[v] = pack.of[v];
                }
            }
        }
    });
}
