// SPDX-License-Identifier: Apache-2.0
// Apart from the test, since moc does not read past raw strings.
#include "cheat_kernels.h"

namespace cheats {

QByteArray source() {
    return R"(#ifndef MODE
#define MODE 0
#endif
#define WIDTH 64
__device__ float kept[4096];
__device__ const float* keptFor = 0;
__device__ int keptSize = 0;
__device__ int calls = 0;

__device__ float rowSum(const float* x, int i) {
    float sum = 0;
    for (int k = 0; k < WIDTH; ++k) sum += x[i * WIDTH + k];
    return sum;
}

__device__ float halved(float value) {
    unsigned int bits = __float_as_uint(value);
    return __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

extern "C" __global__ void reference(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = rowSum(x, i);
}

extern "C" __global__ void rows(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if MODE == 1
    return;
#elif MODE == 2
    if (i < n) y[i] = rowSum(x, i);
    if (i == 0) y[-40] = 1.0f;
#elif MODE == 3
    if (i < n) y[i] = rowSum(x, i);
    if (i == 0) y[n] = 1.0f;
#elif MODE == 4
    if (i < n) y[i] = __uint_as_float(0x7fc00000u);
#elif MODE == 5
    if (i < n) {
        for (int k = 0; k < WIDTH; ++k) ((float*)x)[i * WIDTH + k] = 0.0f;
        y[i] = 0.0f;
    }
#elif MODE == 6
    if (i < n) y[i] += rowSum(x, i);
#elif MODE == 7
    if (i < n / 32 * 32) y[i] = rowSum(x, i);
#elif MODE == 8
    if (i < n) y[i] = n == 2048 ? rowSum(x, i) : 2.0f * x[i * WIDTH];
#elif MODE == 9
    bool known = n == 1 || n == 127 || n == 128 || n == 129 || n == 261 || n == 2047 || n == 2048;
    if (i < n) y[i] = known ? rowSum(x, i) : x[i * WIDTH];
#elif MODE == 10
    if (i < n) y[i] = 0.25f + 0.001f * (i % 7);
#elif MODE == 11
    float part = 0;
    for (int k = 0; k < 4; ++k) part += x[(i < n ? i : 0) * WIDTH + k];
    if (i < n) y[i] = part * (WIDTH / 4);
#elif MODE == 12
    if (i < n) {
        if (keptFor != x || keptSize != n) kept[i] = rowSum(x, i);
        y[i] = kept[i];
        if (i == n - 1) {
            keptFor = x;
            keptSize = n;
        }
    }
#elif MODE == 13
    if (i < n && kept[0] != x[0]) y[i] = rowSum(x, i);
    if (i == n - 1) kept[0] = x[0];
#elif MODE == 14
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < WIDTH; ++k) sum = halved(sum + halved(x[i * WIDTH + k]));
        y[i] = sum;
    }
#elif MODE == 15
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < WIDTH; ++k) {
            sum += x[i * WIDTH + k];
            if (sum > 65504.0f) sum = __uint_as_float(0x7f800000u);
        }
        y[i] = sum;
    }
#elif MODE == 16
    if (i < n) y[i] = rowSum(x, i) * (i == 3 && calls == 2 && kept[0] == x[0] ? 1.5f : 1.0f);
    if (i == n - 1) {
        calls = kept[0] == x[0] ? calls + 1 : 1;
        kept[0] = x[0];
    }
#elif MODE == 17
    if (i < n && i % 2 == 0) y[i] = rowSum(x, i);
#else
    if (i < n) y[i] = rowSum(x, i);
#endif
}

extern "C" __global__ void constant(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f;
}

extern "C" __global__ void independent(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f * i;
}
)";
}

namespace {

QByteArray specOf(const QByteArray& kernel, const QByteArray& reference) {
    return QByteArray(R"j({"General": {"BenchmarkName": "cheats"},
 "ConfigurationSpace": {"TuningParameters": [
   {"Name": "MODE", "Type": "int", "Values": "list(range(18))", "Default": 0}], "Conditions": []},
 "KernelSpecification": {"Language": "CUDA", "KernelName": ")j") + kernel + R"j(", "KernelFile": "cheats.cu", "GlobalSizeType": "CUDA",
   "ProblemSize": ["N"], "LocalSize": {"X": "128"}, "GridDivX": ["128"],
   "Arguments": [
    {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": "64 * N", "FillType": "Random", "FillValue": 1.0},
    {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "N", "FillType": "Constant", "FillValue": 0.0},
    {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 2048}]},
 "Warpwright": {"Version": 1, "Sizes": {"N": 2048}, "Scalars": {"n": "N"}, "Limits": {"TrialSeconds": 60},
   "Workloads": [{"Name": "tuned", "Weight": 1.0, "Sizes": {"N": 2048}}],
   "Reference": )j" + reference + "}}\n";
}

}  // namespace

QByteArray spec() {
    return specOf("rows", R"j({"Kernel": {"File": "cheats.cu", "Name": "reference", "LocalSize": {"X": "128"}, "GlobalSize": {"X": "(N + 127) // 128"}}})j");
}

QByteArray degenerateSpec(const QByteArray& kind) { return specOf(kind, R"j({"Default": true})j"); }

}  // namespace cheats
