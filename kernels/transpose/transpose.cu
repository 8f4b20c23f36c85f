// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix in float: output[c][r] = input[r][c]. A block moves one square tile through shared memory, so that
// both its loads and its stores run along rows. The defaults are the textbook's 32 x 32 tile without padding, whose columns
// all lie in one bank.

#ifndef TILE
#define TILE 32  // rows and columns of a tile
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8  // rows of the tile that a block moves at once
#endif
#ifndef VEC
#define VEC 1  // floats per load and store: 1, 2 or 4
#endif
#ifndef PADDING
#define PADDING 0  // floats after each row of the tile, against bank conflicts
#endif
#ifndef SWIZZLE
#define SWIZZLE 0  // 1: columns are permuted from row to row, against bank conflicts without padding
#endif
#ifndef ORDER
#define ORDER 0  // of the tiles: 0 along rows of the input, 1 along its columns, 2 along diagonals
#endif

#if VEC == 4
typedef float4 Pack;
#elif VEC == 2
typedef float2 Pack;
#else
typedef float Pack;
#endif

#define PACKS (TILE / VEC)  // per row; a block has PACKS * BLOCK_ROWS threads

/// Where a row of the tile keeps a column. Packs stay whole, and the rows that a warp reads at once fall into different banks.
__device__ inline int placeInRow(int row, int column) { return SWIZZLE ? column ^ (row / VEC * VEC % TILE) : column; }

/// VEC neighbours of one row of a rows x columns matrix. `packed`: all rows start on whole packs.
__device__ inline void load(const float* __restrict__ matrix, int row, int column, int rows, int columns, bool packed, float* out) {
    const float* from = matrix + static_cast<size_t>(row) * columns + column;
    if (packed && row < rows && column < columns) {
        const Pack pack = *reinterpret_cast<const Pack*>(from);
        const float* parts = reinterpret_cast<const float*>(&pack);
#pragma unroll
        for (int v = 0; v < VEC; ++v) out[v] = parts[v];
        return;
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) out[v] = row < rows && column + v < columns ? from[v] : 0.0f;
}

__device__ inline void store(float* __restrict__ matrix, int row, int column, int rows, int columns, bool packed, const float* in) {
    float* to = matrix + static_cast<size_t>(row) * columns + column;
    if (packed && row < rows && column < columns) {
        Pack pack;
        float* parts = reinterpret_cast<float*>(&pack);
#pragma unroll
        for (int v = 0; v < VEC; ++v) parts[v] = in[v];
        *reinterpret_cast<Pack*>(to) = pack;
        return;
    }
#pragma unroll
    for (int v = 0; v < VEC; ++v) {
        if (row < rows && column + v < columns) to[v] = in[v];
    }
}

/// The tile of this block: its row and column in the grid of tiles, which is gridDim.x wide.
__device__ inline void findTile(int* tileRow, int* tileColumn) {
#if ORDER == 1
    const unsigned int block = blockIdx.y * gridDim.x + blockIdx.x;
    *tileRow = block % gridDim.y;
    *tileColumn = block / gridDim.y;
#elif ORDER == 2
    *tileRow = blockIdx.y;
    *tileColumn = (blockIdx.x + blockIdx.y) % gridDim.x;
#else
    *tileRow = blockIdx.y;
    *tileColumn = blockIdx.x;
#endif
}

extern "C" __global__ void __launch_bounds__(PACKS * BLOCK_ROWS)
transpose(const float* __restrict__ input, float* __restrict__ output, int rows, int columns) {
    __shared__ __align__(16) float tile[TILE][TILE + PADDING];
    int tileRow, tileColumn;
    findTile(&tileRow, &tileColumn);
    const int at = threadIdx.x * VEC;

#pragma unroll
    for (int start = 0; start < TILE; start += BLOCK_ROWS) {
        const int row = start + threadIdx.y;
        float values[VEC];
        load(input, tileRow * TILE + row, tileColumn * TILE + at, rows, columns, columns % VEC == 0, values);
#pragma unroll
        for (int v = 0; v < VEC; ++v) tile[row][placeInRow(row, at) + v] = values[v];
    }
    __syncthreads();

#pragma unroll
    for (int start = 0; start < TILE; start += BLOCK_ROWS) {
        const int column = start + threadIdx.y;
        float values[VEC];
#pragma unroll
        for (int v = 0; v < VEC; ++v) values[v] = tile[at + v][placeInRow(at + v, column)];
        store(output, tileColumn * TILE + column, tileRow * TILE + at, columns, rows, rows % VEC == 0, values);
    }
}
