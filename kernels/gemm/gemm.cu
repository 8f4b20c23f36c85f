// SPDX-License-Identifier: Apache-2.0
// C = A * B in float, row major: A is M x K, B is K x N. A block computes one tile of C and walks along K with tiles of A
// and B in shared memory; a thread keeps WORK_Y x WORK_X results in registers. The defaults are the textbook's 16 x 16 tile
// with one result per thread. Every size is handled: what lies outside reads as zero and is not written.

#ifndef BLOCK_X
#define BLOCK_X 16  // threads along the columns of C
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16  // threads along the rows of C
#endif
#ifndef WORK_X
#define WORK_X 1  // columns per thread
#endif
#ifndef WORK_Y
#define WORK_Y 1  // rows per thread
#endif
#ifndef TILE_K
#define TILE_K 16  // depth of the tiles in shared memory
#endif
#ifndef UNROLL
#define UNROLL 1  // steps along K that are written out
#endif
#ifndef PAD
#define PAD 0  // floats after each row of the A tile, against bank conflicts
#endif
#ifndef VEC
#define VEC 1  // floats per load from global memory: 1 or 4
#endif
#ifndef BUFFERS
#define BUFFERS 1  // 2: the next tiles are fetched while the current ones are multiplied
#endif

#define THREADS (BLOCK_X * BLOCK_Y)
#define TILE_M (BLOCK_Y * WORK_Y)
#define TILE_N (BLOCK_X * WORK_X)
#define A_LOADS (TILE_M * TILE_K / (THREADS * VEC))
#define B_LOADS (TILE_K * TILE_N / (THREADS * VEC))
// A thread's rows and columns come in runs of up to four neighbours, so that a run is one wide load from shared memory,
// and the runs of neighbouring threads lie side by side.
#define RUN_X (WORK_X < 4 ? WORK_X : 4)
#define RUN_Y (WORK_Y < 4 ? WORK_Y : 4)

__device__ inline int rowInTile(int i) { return (i / RUN_Y * BLOCK_Y + threadIdx.y) * RUN_Y + i % RUN_Y; }
__device__ inline int columnInTile(int j) { return (j / RUN_X * BLOCK_X + threadIdx.x) * RUN_X + j % RUN_X; }

/// VEC neighbours of one row. `packed`: rows start on whole packs, so that a pack lies inside or outside as one.
__device__ inline void loadRun(const float* __restrict__ matrix, int row, int column, int rows, int columns, bool packed, float* out) {
    const float* from = matrix + static_cast<size_t>(row) * columns + column;
#if VEC == 4
    if (packed && row < rows && column < columns) {
        const float4 pack = *reinterpret_cast<const float4*>(from);
        out[0] = pack.x;
        out[1] = pack.y;
        out[2] = pack.z;
        out[3] = pack.w;
        return;
    }
#endif
#pragma unroll
    for (int v = 0; v < VEC; ++v) out[v] = row < rows && column + v < columns ? from[v] : 0.0f;
}

/// This thread's share of one tile of A and of B.
struct Share {
    float a[A_LOADS][VEC];
    float b[B_LOADS][VEC];
};

__device__ inline void fetch(Share& share, const float* __restrict__ A, const float* __restrict__ B, int M, int N, int K, int k) {
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
#pragma unroll
    for (int load = 0; load < A_LOADS; ++load) {
        const int at = (load * THREADS + thread) * VEC;
        loadRun(A, blockIdx.y * TILE_M + at / TILE_K, k + at % TILE_K, M, K, K % VEC == 0, share.a[load]);
    }
#pragma unroll
    for (int load = 0; load < B_LOADS; ++load) {
        const int at = (load * THREADS + thread) * VEC;
        loadRun(B, k + at / TILE_N, blockIdx.x * TILE_N + at % TILE_N, K, N, N % VEC == 0, share.b[load]);
    }
}

__device__ inline void keep(const Share& share, float (*tileA)[TILE_M + PAD], float (*tileB)[TILE_N]) {
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
#pragma unroll
    for (int load = 0; load < A_LOADS; ++load) {
        const int at = (load * THREADS + thread) * VEC;
#pragma unroll
        for (int v = 0; v < VEC; ++v) tileA[at % TILE_K + v][at / TILE_K] = share.a[load][v];  // transposed
    }
#pragma unroll
    for (int load = 0; load < B_LOADS; ++load) {
        const int at = (load * THREADS + thread) * VEC;
#pragma unroll
        for (int v = 0; v < VEC; ++v) tileB[at / TILE_N][at % TILE_N + v] = share.b[load][v];
    }
}

__device__ inline void multiply(float (&sums)[WORK_Y][WORK_X], const float (*tileA)[TILE_M + PAD], const float (*tileB)[TILE_N]) {
#pragma unroll 1
    for (int start = 0; start < TILE_K; start += UNROLL) {
#pragma unroll
        for (int step = 0; step < UNROLL; ++step) {
            float a[WORK_Y];
            float b[WORK_X];
#pragma unroll
            for (int i = 0; i < WORK_Y; ++i) a[i] = tileA[start + step][rowInTile(i)];
#pragma unroll
            for (int j = 0; j < WORK_X; ++j) b[j] = tileB[start + step][columnInTile(j)];
#pragma unroll
            for (int i = 0; i < WORK_Y; ++i) {
#pragma unroll
                for (int j = 0; j < WORK_X; ++j) sums[i][j] += a[i] * b[j];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(16) float tileA[BUFFERS][TILE_K][TILE_M + PAD];
    __shared__ __align__(16) float tileB[BUFFERS][TILE_K][TILE_N];

    float sums[WORK_Y][WORK_X];
#pragma unroll
    for (int i = 0; i < WORK_Y; ++i) {
#pragma unroll
        for (int j = 0; j < WORK_X; ++j) sums[i][j] = 0.0f;
    }

    Share share;
#if BUFFERS == 1
    for (int k = 0; k < K; k += TILE_K) {
        fetch(share, A, B, M, N, K, k);
        keep(share, tileA[0], tileB[0]);
        __syncthreads();
        multiply(sums, tileA[0], tileB[0]);
        __syncthreads();
    }
#else
    fetch(share, A, B, M, N, K, 0);
    keep(share, tileA[0], tileB[0]);
    __syncthreads();
    int current = 0;
    for (int k = 0; k < K; k += TILE_K) {
        const bool more = k + TILE_K < K;
        if (more) fetch(share, A, B, M, N, K, k + TILE_K);
        multiply(sums, tileA[current], tileB[current]);
        if (more) keep(share, tileA[1 - current], tileB[1 - current]);
        __syncthreads();
        current = 1 - current;
    }
#endif

#pragma unroll
    for (int i = 0; i < WORK_Y; ++i) {
        const int row = blockIdx.y * TILE_M + rowInTile(i);
#pragma unroll
        for (int j = 0; j < WORK_X; ++j) {
            const int column = blockIdx.x * TILE_N + columnInTile(j);
            if (row < M && column < N) C[static_cast<size_t>(row) * N + column] = sums[i][j];
        }
    }
}
