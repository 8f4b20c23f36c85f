// SPDX-License-Identifier: Apache-2.0
// Apart from the header, since moc does not read past raw strings.
#include "cli_runner.h"

namespace cli {

QByteArray hostileSource() {
    return R"(#ifndef MODE
#define MODE 0
#endif
#ifndef TILE
#define TILE 64
#endif
#include <cstdlib>
extern "C" __global__ void scale(const float* x, float* y, int n) {
    int i = blockIdx.x * TILE + threadIdx.x;
#if MODE == 1
    if (i < n - n % 64) y[i] = 2.0f * x[i];
#elif MODE == 2
    volatile int spin = 1;
    while (spin) {}
#elif MODE == 3
    if (i < n) y[i + 1000000000] = 2.0f * x[i];
#elif MODE == 4
    exit(0);
#elif MODE == 5
    if (i < n) y[i] += 2.0f * x[i];
#elif MODE == 6
    for (;;) printf("no end of %d\n", i);
#elif MODE == 7
    if (i == 0) {
        volatile char* p = (volatile char*)malloc(1ul << 30);
        for (unsigned long k = 0; p && k < (1ul << 30); k += 4096) p[k] = 1;
    }
    if (i < n) y[i] = 2.0f * x[i];
#elif MODE == 8
    if (i <= n) y[i] = i < n ? 2.0f * x[i] : 1.0f;
#elif MODE == 9
    if (i < n) y[i] = 2.0f * x[i];
    ((float*)x)[0] = 3.0f;
#elif MODE == 10
    this does not compile
#else
    if (i < n) y[i] = 2.0f * x[i];
#endif
}
)";
}

QByteArray hostileSpec(const QByteArray& modes, const QByteArray& extra) {
    return QByteArray(R"({"General": {"BenchmarkName": "hostile"},
 "ConfigurationSpace": {"TuningParameters": [
   {"Name": "MODE", "Type": "int", "Values": ")") + modes + R"(", "Default": 0},
   {"Name": "TILE", "Type": "int", "Values": "[64, 128]", "Default": 64}], "Conditions": []},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "scale", "KernelFile": "hostile.cu", "GlobalSizeType": "CUDA",
   "ProblemSize": [20003], "LocalSize": {"X": "TILE"}, "GridDivX": ["TILE"],
   "Arguments": [
    {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 20003, "FillType": "Random", "FillValue": 1.0},
    {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 20003, "FillType": "Constant", "FillValue": 0.0},
    {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 20003}]},
 "Warpwright": {"Version": 1, "Limits": {"TrialSeconds": 4})" + extra + "}}\n";
}

}  // namespace cli
