// SPDX-License-Identifier: Apache-2.0
// A 15 x 15 filter over an image in float: output = sum of filter * input over the window right of and below each pixel. The
// input is 14 wider and higher than the output, so no window leaves it. A thread computes TILE_X columns, a block's width
// apart so that neighbouring threads load neighbours, and TILE_Y rows below each other, so that a loaded value serves up
// to 15 * TILE_Y products. On the GPU all loops over the filter are written out.

#ifndef BLOCK_X
#define BLOCK_X 16  // threads along a row
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16  // threads along a column
#endif
#ifndef TILE_X
#define TILE_X 1  // columns per thread
#endif
#ifndef TILE_Y
#define TILE_Y 4  // rows per thread
#endif
#ifndef SHARED
#define SHARED 0  // 1: the block's part of the input is copied to shared memory first
#endif
#ifndef PADDING
#define PADDING 0  // 1: rows in shared memory are padded so that the threads of a warp meet different banks
#endif
#ifndef READ_ONLY
#define READ_ONLY 0  // 1: the input is loaded through the read-only cache
#endif
#ifndef CONSTANT
#define CONSTANT 0  // 1: the filter is in constant memory, 0: in global memory
#endif

#define FILTER 15
#define HALO (FILTER - 1)
#define PIXELS_X (BLOCK_X * TILE_X)  // of a block
#define PIXELS_Y (BLOCK_Y * TILE_Y)

#if CONSTANT
__constant__ float filter[FILTER * FILTER];
#else
__device__ float filter[FILTER * FILTER];
#endif

__device__ inline float loadInput(const float* from) {
#if READ_ONLY
    return __ldg(from);
#else
    return *from;
#endif
}

__device__ inline float loadWindow(const float* from) {
#if SHARED
    return *from;
#else
    return loadInput(from);
#endif
}

/// Floats per row in shared memory. A warp of less than 32 threads in x covers several rows, TILE_Y apart: the padding makes
/// this distance an odd multiple of BLOCK_X banks where there is such a one.
__host__ __device__ constexpr int sharedPitch() {
    int pitch = PIXELS_X + HALO;
    if (PADDING) {
        for (int pad = 0; pad < 32; ++pad) {
            if (TILE_Y * (pitch + pad) % (2 * BLOCK_X) == BLOCK_X) return pitch + pad;
        }
    }
    return pitch;
}

#ifdef __CUDA_ARCH__
/// What one column of the filter adds to all pixels of this thread. `corner`: the first element of the first pixel's window.
__device__ inline void accumulateColumn(float (&sums)[TILE_Y][TILE_X], const float* corner, int pitch, int fx) {
    float column[FILTER];
#pragma unroll
    for (int fy = 0; fy < FILTER; ++fy) column[fy] = filter[fy * FILTER + fx];
#pragma unroll
    for (int tx = 0; tx < TILE_X; ++tx) {
#pragma unroll
        for (int row = 0; row < TILE_Y + HALO; ++row) {
            const float value = loadWindow(corner + row * pitch + tx * BLOCK_X + fx);
#pragma unroll
            for (int ty = 0; ty < TILE_Y; ++ty) {
                if (row >= ty && row - ty < FILTER) sums[ty][tx] += value * column[row - ty];
            }
        }
    }
}

/// Templates, because the compiler gives up writing out a loop whose whole body is this long.
template <int FX>
__device__ inline void accumulateFrom(float (&sums)[TILE_Y][TILE_X], const float* corner, int pitch) {
    accumulateColumn(sums, corner, pitch, FX);
    if constexpr (FX + 1 < FILTER) accumulateFrom<FX + 1>(sums, corner, pitch);
}

__device__ inline void accumulate(float (&sums)[TILE_Y][TILE_X], const float* corner, int pitch) { accumulateFrom<0>(sums, corner, pitch); }
#else
/// The CPU's compiler would take minutes for the loops written out, and gain nothing.
__device__ inline void accumulate(float (&sums)[TILE_Y][TILE_X], const float* corner, int pitch) {
    for (int fy = 0; fy < FILTER; ++fy) {
        for (int fx = 0; fx < FILTER; ++fx) {
            const float weight = filter[fy * FILTER + fx];
            for (int ty = 0; ty < TILE_Y; ++ty) {
                for (int tx = 0; tx < TILE_X; ++tx) sums[ty][tx] += loadWindow(corner + (ty + fy) * pitch + tx * BLOCK_X + fx) * weight;
            }
        }
    }
}
#endif

/// One pixel, with short code: for the blocks that reach over the edge of the output.
__device__ inline float window(const float* corner, int pitch) {
    float sum = 0.0f;
#pragma unroll 1
    for (int fy = 0; fy < FILTER; ++fy) {
#pragma unroll 1
        for (int fx = 0; fx < FILTER; ++fx) sum += loadInput(corner + fy * pitch + fx) * filter[fy * FILTER + fx];
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X * BLOCK_Y)
convolution(const float* input, float* output, int width, int height) {
    const int inputWidth = width + HALO;
    const int blockColumn = blockIdx.x * PIXELS_X;
    const int blockRow = blockIdx.y * PIXELS_Y;
    const int firstColumn = blockColumn + threadIdx.x;
    const int firstRow = blockRow + threadIdx.y * TILE_Y;

    float sums[TILE_Y][TILE_X];
#pragma unroll
    for (int ty = 0; ty < TILE_Y; ++ty) {
#pragma unroll
        for (int tx = 0; tx < TILE_X; ++tx) sums[ty][tx] = 0.0f;
    }

#if SHARED
    constexpr int kPitch = sharedPitch();
    __shared__ float tile[PIXELS_Y + HALO][kPitch];
    for (int y = threadIdx.y; y < PIXELS_Y + HALO; y += BLOCK_Y) {
        for (int x = threadIdx.x; x < PIXELS_X + HALO; x += BLOCK_X) {
            const bool inside = blockRow + y < height + HALO && blockColumn + x < inputWidth;
            tile[y][x] = inside ? loadInput(input + static_cast<size_t>(blockRow + y) * inputWidth + blockColumn + x) : 0.0f;
        }
    }
    __syncthreads();
    accumulate(sums, &tile[threadIdx.y * TILE_Y][threadIdx.x], kPitch);
#else
    if (blockColumn + PIXELS_X <= width && blockRow + PIXELS_Y <= height) {
        accumulate(sums, input + static_cast<size_t>(firstRow) * inputWidth + firstColumn, inputWidth);
    } else {
#pragma unroll
        for (int ty = 0; ty < TILE_Y; ++ty) {
#pragma unroll
            for (int tx = 0; tx < TILE_X; ++tx) {
                const int row = firstRow + ty, column = firstColumn + tx * BLOCK_X;
                if (row < height && column < width) sums[ty][tx] = window(input + static_cast<size_t>(row) * inputWidth + column, inputWidth);
            }
        }
    }
#endif

#pragma unroll
    for (int ty = 0; ty < TILE_Y; ++ty) {
#pragma unroll
        for (int tx = 0; tx < TILE_X; ++tx) {
            const int row = firstRow + ty, column = firstColumn + tx * BLOCK_X;
            if (row < height && column < width) output[static_cast<size_t>(row) * width + column] = sums[ty][tx];
        }
    }
}
