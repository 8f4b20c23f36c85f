// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <cstring>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/compile.h"
#include "device/cpu_exit_codes.h"
#include "device/device.h"
#include "result_test.h"

using namespace ww::device;
using ww::TrialStatus;

/// Qt Test cannot print the enumeration.
static std::string word(TrialStatus status) { return std::string(ww::toString(status)); }

namespace {

// One file for all kernels: each entry compiles with its own launcher, the others vanish.
constexpr const char* kSource = R"cuda(
#include <cuda_runtime.h>
#include <cstdint>
#include <cassert>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#ifndef TILE
#define TILE 32
#endif
__constant__ int weights[4] = {1, 2, 3, 4};
__device__ unsigned ticket;

__device__ __forceinline__ float warpSum(float v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

// Barriers in a loop and in a conditional that all take; static and dynamic shared memory.
__global__ void __launch_bounds__(64) reverse(int* __restrict__ out, const int* __restrict__ in, int rounds) {
    extern __shared__ __align__(16) int dynamic[];
    __shared__ int fixed[64];
    int t = threadIdx.x;
    int v = in[blockIdx.x * blockDim.x + t];
    for (int r = 0; r < rounds; ++r) {
        if (rounds > 1) {
            dynamic[t] = v;
            __syncthreads();
        }
        fixed[t] = dynamic[blockDim.x - 1 - t] + weights[r & 3];
        __syncthreads();
        v = fixed[t];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = v;
}

// Three-dimensional grid and block, no barrier: a plain loop.
__global__ void indices(uint4* out) {
    dim3 g = gridDim;
    unsigned block = (blockIdx.z * g.y + blockIdx.y) * g.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
        make_uint4(threadIdx.x + 100 * blockIdx.x, threadIdx.y + 100 * blockIdx.y, threadIdx.z + 100 * blockIdx.z, thread);
}

__global__ void warps(unsigned* out, int n) {
    unsigned t = threadIdx.x, lane = t % 32;
    unsigned* o = out + t * 16;
    o[0] = __shfl_sync(0xffffffff, t, 3);
    o[1] = __shfl_up_sync(0xffffffff, t, 1);
    o[2] = __shfl_down_sync(0xffffffff, t, 1, 8);
    o[3] = __shfl_xor_sync(0xffffffff, t, 1);
    o[4] = __ballot_sync(0xffffffff, lane % 3 == 0);
    o[5] = __any_sync(0xffffffff, lane == 5) + 2 * __all_sync(0xffffffff, lane < 5);
    o[6] = __shfl_sync(0xffffffff, t, 2, 4);
    __syncwarp();
    if (lane < 8) {
        unsigned mask = __activemask();
        o[7] = mask;
        o[8] = __shfl_xor_sync(mask, t, 7);
    } else {
        o[7] = __activemask();
        o[8] = 0;
    }
    o[9] = static_cast<unsigned>(__shfl_sync(0xffffffff, 1.5 * t, 1) * 2);
    o[10] = __reduce_add_sync(0xffffffff, lane);
    o[11] = __match_any_sync(0xffffffff, lane / 16);
    float sum = warpSum(1.0f);
    o[12] = lane == 0 ? (unsigned)sum : 0u;
    o[13] = __syncthreads_count(t < 10);
    o[14] = __syncthreads_or(t == 7) + 2 * __syncthreads_and(t < 1000);
    if (t >= n) return;   // the rest of a warp goes on without it
    o[15] = __ballot_sync(0xffffffff, 1);
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* q, float* f, double* d) {
    atomicAdd(i, 1);
    atomicSub(i + 1, 2);
    atomicMin(i + 2, -(int)(blockIdx.x * blockDim.x + threadIdx.x));
    atomicMax(i + 3, (int)(blockIdx.x * blockDim.x + threadIdx.x));
    atomicInc(u, 99);
    atomicDec(u + 1, 6);
    atomicOr(u + 2, 1u << (threadIdx.x % 32));
    atomicXor(u + 3, 1u);
    atomicAnd(u + 4, ~(1u << (threadIdx.x % 8)));
    atomicAdd(q, 1ull << 33);
    atomicAdd(f, 1.0f);
    atomicAdd(d, 0.5);
    unsigned old, seen = u[5];
    do { old = seen; seen = atomicCAS(u + 5, old, old + 3); } while (seen != old);
    atomicExch(q + 1, 7ull);
    atomicAdd(&ticket, 1u);
    __threadfence();
}

__global__ void numbers(float* out) {
    out[0] = rsqrtf(4.0f);
    out[1] = fmaxf(NAN, 2.0f) + fminf(1.0f, NAN);
    out[2] = __fdividef(1.0f, 4.0f) + __saturatef(3.0f) + __expf(0.0f);
    out[3] = __popc(255u) + 100 * __clz(1) + 10000 * __ffs(8);
    out[4] = __brev(1u) == 0x80000000u;
    out[5] = max(3, 5) + min(2u, 7u) + max(1.5f, 0.5f);
    out[6] = __mul24(1000, 1000) + __umulhi(0x80000000u, 4u);
    out[7] = __float_as_int(1.0f) == 0x3f800000;
    out[8] = __half2float(__hadd(__float2half(1.5f), __float2half(2.0f)));
    __nv_bfloat16 b = __float2bfloat16(1.0f);
    out[9] = __bfloat162float(b * b) + fmaf(2.0f, 3.0f, 4.0f) + __ldg(out) + clock64() * 0.0f;
    __stcs(out + 10, 5.0f);
    out[11] = __half2float(__low2half(__hadd2(__floats2half2_rn(1, 2), __floats2half2_rn(3, 4))));
}

template <typename T, int N>
__global__ void scale(T* p, float by) { if (threadIdx.x < N) p[threadIdx.x] = p[threadIdx.x] * by; }

__global__ void diverge(int* p) {
    if (threadIdx.x < 16) __syncthreads();
    p[threadIdx.x] = 1;
}
__global__ void twoBarriers(int* p) {
    if (threadIdx.x < 16) { __syncthreads(); } else {
        __syncthreads();
    }
    p[threadIdx.x] = 1;
}
__global__ void printer(int n) { for (int i = 0; i < n; ++i) printf("block %d line %d %s\n", blockIdx.x, i, "0123456789012345678901234567890123456789"); }
__global__ void asserts(int* p) { assert(p[threadIdx.x] != 3); p[threadIdx.x] = 9; }
__global__ void traps(int* p) { __syncthreads(); if (threadIdx.x == 2) __trap(); p[0] = 1; }
__global__ void bigShared(int* p) { __shared__ int s[TILE * 256]; s[threadIdx.x] = p[0]; __syncthreads(); p[threadIdx.x] = s[31 - threadIdx.x]; }
__global__ void wild(int* p) { p[(size_t)1 << 40] = threadIdx.x; }
__global__ void deep(int* p) {
    __syncthreads();
    volatile char local[1 << 20];
    for (int i = 0; i < (1 << 20); i += 256) local[(1 << 20) - 1 - i] = 1;
    p[0] = local[p[0]];
}
__global__ void divides(int* p) { p[0] = 7 / p[1]; }
__global__ void news(float** p) { p[0] = new float[(size_t)1 << 46]; }
)cuda";

template <typename T>
ScalarArgument scalar(T value) {
    ScalarArgument argument;
    argument.size = sizeof value;
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    return argument;
}

}  // namespace

class TestCpuDevice : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<ww::compile::Compiler> m_compiler;
    std::unique_ptr<Device> m_device;

    Device::Loaded load(const std::string& entry, const LaunchShape& shape = {}, std::vector<std::string> templateArguments = {},
                        std::vector<std::string> options = {}) {
        ww::compile::CompileRequest request;
        request.source = kSource;
        request.fileName = "kernels.cu";
        request.entry = entry;
        request.templateArguments = std::move(templateArguments);
        request.options = std::move(options);
        const auto compiled = m_compiler->compile(request);
        if (!compiled || compiled->status != TrialStatus::Ok) qFatal("%s", compiled ? compiled->log.c_str() : compiled.error().toString().c_str());
        auto loaded = m_device->load({compiled->object, compiled->entry}, shape);
        if (!loaded) qFatal("%s", loaded.error().toString().c_str());
        return *loaded;
    }

    template <typename T>
    BufferId buffer(const std::vector<T>& values) {
        const auto id = m_device->allocate(values.size() * sizeof(T));
        if (!id || !m_device->upload(*id, 0, std::as_bytes(std::span(values)))) qFatal("no buffer");
        return *id;
    }

    template <typename T>
    std::vector<T> read(BufferId id, std::size_t count) {
        std::vector<T> values(count);
        if (!m_device->download(id, 0, std::as_writable_bytes(std::span(values)))) qFatal("no data");
        return values;
    }

    static LaunchShape line(std::uint32_t grid, std::uint32_t block, std::size_t shared = 0) { return {{grid, 1, 1}, {block, 1, 1}, shared}; }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = ww::compile::makeHostCompiler(m_folder.path().toStdString());
        VERIFY_OK(compiler);
        m_compiler = std::move(*compiler);
        auto device = makeCpuDevice(2);
        VERIFY_OK(device);
        m_device = std::move(*device);
    }

    void coresAreChecked() { COMPARE_ERR(makeCpuDevice(0), ww::ErrorCode::InvalidArgument); }

    void barriersAndSharedMemory() {
        const auto shape = line(100, 64, 64 * sizeof(int));
        const auto module = load("reverse", shape);
        QVERIFY(module.facts.usesBarrier);
        QCOMPARE(module.facts.staticSharedBytes, 64 * 4);
        std::vector<int> in(6400);
        std::iota(in.begin(), in.end(), 0);
        const auto source = buffer(in), target = buffer(std::vector<int>(6400, -1));
        const Launch launch{module.id, shape, {BufferArgument{target, 0}, BufferArgument{source, 0}, scalar(3)}};
        const Outcome outcome = m_device->run(launch);
        QVERIFY2(outcome.status == TrialStatus::Ok, outcome.message.c_str());
        const auto out = read<int>(target, 6400);
        for (int i = 0; i < 6400; ++i) QCOMPARE(out[static_cast<std::size_t>(i)], i / 64 * 64 + 63 - i % 64 + 6);
        const Outcome cold = m_device->time(launch, true, 3);
        QVERIFY(cold.status == TrialStatus::Ok && cold.timeNs > 0);
    }

    void threeDimensions() {
        const LaunchShape shape{{3, 4, 5}, {2, 3, 4}, 0};
        const auto module = load("indices", shape);
        QVERIFY(!module.facts.usesBarrier);
        const auto out = buffer(std::vector<std::array<unsigned, 4>>(60 * 24));
        QCOMPARE(word(m_device->run({module.id, shape, {BufferArgument{out, 0}}}).status), word(TrialStatus::Ok));
        const auto got = read<std::array<unsigned, 4>>(out, 60 * 24);
        for (unsigned i = 0; i < got.size(); ++i) {
            const unsigned b = i / 24, t = i % 24;
            const std::array<unsigned, 4> expected{t % 2 + 100 * (b % 3), t / 2 % 3 + 100 * (b / 3 % 4), t / 6 + 100 * (b / 12), t};
            QVERIFY(got[i] == expected);
        }
    }

    void warpOperations() {
        const auto shape = line(1, 80);  // two and a half warps
        const auto module = load("warps", shape);
        const auto out = buffer(std::vector<unsigned>(80 * 16));
        const Outcome outcome = m_device->run({module.id, shape, {BufferArgument{out, 0}, scalar(70)}});
        QVERIFY2(outcome.status == TrialStatus::Ok, outcome.message.c_str());
        const auto got = read<unsigned>(out, 80 * 16);
        for (unsigned t = 0; t < 80; ++t) {
            const unsigned* o = &got[t * 16];
            const unsigned lane = t % 32, first = t - lane, width = first == 64 ? 16 : 32, all = width == 32 ? ~0u : 0xffffu;
            QCOMPARE(o[0], first + 3);
            QCOMPARE(o[1], lane == 0 ? t : t - 1);
            QCOMPARE(o[2], t % 8 == 7 ? t : t + 1);
            QCOMPARE(o[3], t ^ 1);
            QCOMPARE(o[4], 0x49249249u & all);
            QCOMPARE(o[5], 1u);
            QCOMPARE(o[6], t / 4 * 4 + 2);
            QCOMPARE(o[7], lane < 8 ? 0xffu : all & ~0xffu);
            QCOMPARE(o[8], lane < 8 ? first + (lane ^ 7) : 0u);
            QCOMPARE(o[9], 3 * (first + 1));
            QCOMPARE(o[10], width * (width - 1) / 2);
            QCOMPARE(o[11], lane < 16 ? 0xffffu : 0xffff0000u);
            if (width == 32) QCOMPARE(o[12], lane == 0 ? 32u : 0u);
            QCOMPARE(o[13], 10u);
            QCOMPARE(o[14], 3u);
            if (t < 70) QCOMPARE(o[15], first == 64 ? 0x3fu : ~0u);
        }
    }

    void atomicsAcrossBlocks() {
        const auto shape = line(200, 50);
        const auto module = load("atomics", shape);
        const auto i = buffer(std::vector<int>(4)), f = buffer(std::vector<float>(1));
        const auto u = buffer(std::vector<unsigned>{0, 0, 0, 0, ~0u, 0});
        const auto q = buffer(std::vector<unsigned long long>(2));
        const auto d = buffer(std::vector<double>(1));
        std::vector<Argument> arguments;
        for (const auto id : {i, u, q, f, d}) arguments.emplace_back(BufferArgument{id, 0});
        QCOMPARE(word(m_device->run({module.id, shape, arguments}).status), word(TrialStatus::Ok));
        QCOMPARE(read<int>(i, 4), (std::vector<int>{10000, -20000, -9999, 9999}));
        QCOMPARE(read<unsigned>(u, 6), (std::vector<unsigned>{0, 3, ~0u, 0, ~0xffu, 30000}));
        QCOMPARE(read<unsigned long long>(q, 2), (std::vector<unsigned long long>{10000ull << 33, 7}));
        QCOMPARE(read<float>(f, 1)[0], 10000.0f);
        QCOMPARE(read<double>(d, 1)[0], 5000.0);
    }

    void numbers() {
        const auto module = load("numbers");
        const auto out = buffer(std::vector<float>(12));
        QCOMPARE(word(m_device->run({module.id, {}, {BufferArgument{out, 0}}}).status), word(TrialStatus::Ok));
        QCOMPARE(read<float>(out, 12), (std::vector<float>{0.5f, 3, 2.25f, 43108, 1, 8.5f, 1000002, 1, 3.5f, 11.5f, 5, 4}));
    }

    void templatesAndArguments() {
        const auto module = load("scale", line(1, 8), {"float", "4"});
        const auto p = buffer(std::vector<float>(8, 1.0f));
        QCOMPARE(word(m_device->run({module.id, line(1, 8), {BufferArgument{p, 4}, scalar(3.0f)}}).status), word(TrialStatus::Ok));
        QCOMPARE(read<float>(p, 8), (std::vector<float>{1, 3, 3, 3, 3, 1, 1, 1}));
        QCOMPARE(word(m_device->run({module.id, line(1, 8), {BufferArgument{p, 0}}}).status), word(TrialStatus::LaunchError));
        const Outcome wrongSize = m_device->run({module.id, line(1, 8), {BufferArgument{p, 0}, scalar(3.0)}});
        QVERIFY2(wrongSize.message.find("argument 2") != std::string::npos, wrongSize.message.c_str());
    }

    void launchLimits() {
        const auto module = load("indices");
        const auto out = buffer(std::vector<unsigned>(4096 * 4));
        for (const LaunchShape& shape : {line(1, 1025), line(0, 32), line(1, 0), LaunchShape{{1, 1, 1}, {32, 33, 1}, 0},
                                         LaunchShape{{1, 1, 1}, {1, 1, 65}, 0}, LaunchShape{{1, 65536, 1}, {1, 1, 1}, 0}}) {
            const Outcome outcome = m_device->run({module.id, shape, {BufferArgument{out, 0}}});
            QCOMPARE(word(outcome.status), word(TrialStatus::LaunchError));
            QVERIFY(outcome.message.starts_with("invalid configuration argument"));
        }
        const Outcome tooMuch = m_device->run({module.id, line(1, 32, 200000), {BufferArgument{out, 0}}});
        QCOMPARE(word(tooMuch.status), word(TrialStatus::ResourceError));
        QCOMPARE(word(m_device->run({module.id, line(1, 1024), {BufferArgument{out, 0}}}).status), word(TrialStatus::Ok));
        QCOMPARE(word(load("bigShared", line(1, 32), {}, {"-DTILE=128"}).outcome.status), word(TrialStatus::ResourceError));
    }

    void divergence_data() {
        QTest::addColumn<QByteArray>("entry");
        QTest::addColumn<QByteArray>("found");
        QTest::newRow("some return") << QByteArray("diverge") << QByteArray("16 wait at the barrier in line");
        QTest::newRow("two lines") << QByteArray("twoBarriers") << QByteArray("not all threads reach the same barrier in block (0,0,0)");
    }
    void divergence() {
        QFETCH(QByteArray, entry);
        QFETCH(QByteArray, found);
        const auto module = load(entry.toStdString());
        const auto p = buffer(std::vector<int>(32));
        for (int repeat = 0; repeat < 2; ++repeat) {  // the fibers must be usable again afterwards
            const Outcome outcome = m_device->run({module.id, line(1, 32), {BufferArgument{p, 0}}});
            QCOMPARE(word(outcome.status), word(TrialStatus::RuntimeError));
            QVERIFY2(outcome.message.find(found.toStdString()) != std::string::npos, outcome.message.c_str());
        }
    }

    void printing() {
        const auto module = load("printer");
        static_cast<void>(m_device->takePrinted());
        QCOMPARE(word(m_device->run({module.id, {}, {scalar(2)}}).status), word(TrialStatus::Ok));
        const std::string text = m_device->takePrinted();
        QVERIFY2(text.starts_with("block 0 line 0 0123") && std::count(text.begin(), text.end(), '\n') == 2, text.c_str());
        QCOMPARE(word(m_device->run({module.id, line(4, 1), {scalar(100000)}}).status), word(TrialStatus::Ok));
        QVERIFY(m_device->takePrinted().size() < (1 << 20) + 200);
        QVERIFY(m_device->takePrinted().empty());
    }

    void assertAndTrap() {
        const auto asserts = load("asserts");
        const auto p = buffer(std::vector<int>{0, 1, 2, 3});
        const Outcome failed = m_device->run({asserts.id, line(1, 4), {BufferArgument{p, 0}}});
        QCOMPARE(word(failed.status), word(TrialStatus::RuntimeError));
        QVERIFY2(failed.message.starts_with("kernels.cu:") && failed.message.find("thread (3,0,0)") != std::string::npos &&
                     failed.message.find("p[threadIdx.x] != 3") != std::string::npos, failed.message.c_str());
        const auto traps = load("traps");
        const Outcome trapped = m_device->run({traps.id, line(3, 4), {BufferArgument{p, 0}}});
        QCOMPARE(word(trapped.status), word(TrialStatus::RuntimeError));
        QVERIFY2(trapped.message.find("thread (2,0,0)") != std::string::npos, trapped.message.c_str());
    }

    void memoryExhausted() {
        const auto module = load("news");
        const auto p = buffer(std::vector<std::uint64_t>(1));
        QCOMPARE(word(m_device->run({module.id, {}, {BufferArgument{p, 0}}}).status), word(TrialStatus::OutOfMemory));
    }

    void faults_data() {
        QTest::addColumn<QByteArray>("entry");
        QTest::addColumn<int>("code");
        QTest::newRow("wild address") << QByteArray("wild") << int{kExitSegmentationFault};
        QTest::newRow("stack overflow") << QByteArray("deep") << int{kExitStackOverflow};
        QTest::newRow("division by zero") << QByteArray("divides") << int{kExitArithmeticFault};
    }
    void faults() {
        QFETCH(QByteArray, entry);
        QFETCH(int, code);
        const auto module = load(entry.toStdString());
        const auto p = buffer(std::vector<int>(4));
        const pid_t child = ::fork();
        if (child == 0) {  // one block runs on the calling thread, which is the one that survives a fork
            static_cast<void>(m_device->run({module.id, line(1, 2), {BufferArgument{p, 0}}}));
            ::_exit(0);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), code);
    }

    void buffersAreChecked() {
        const auto p = buffer(std::vector<int>{1, 2, 3, 4});
        std::array<std::byte, 8> bytes{};
        COMPARE_ERR(m_device->download(p, 12, bytes), ww::ErrorCode::InvalidArgument);
        COMPARE_ERR(m_device->upload(p + 1000, 0, bytes), ww::ErrorCode::InvalidArgument);
        COMPARE_ERR(m_device->allocate(~std::size_t{0}), ww::ErrorCode::WorkerFailed);
        VERIFY_OK(m_device->fill(p, 0, 8, std::byte{0}));
        VERIFY_OK(m_device->copy(p, 8, p, 0, 4));
        QCOMPARE(read<int>(p, 4), (std::vector<int>{3, 0, 3, 4}));
        m_device->release(p);
        COMPARE_ERR(m_device->download(p, 0, bytes), ww::ErrorCode::InvalidArgument);
    }

    void foreignImagesAreRefused() {
        const std::vector<std::byte> junk(100);
        const auto loaded = m_device->load({junk, "ww_module"}, {});
        VERIFY_OK(loaded);
        QCOMPARE(word(loaded->outcome.status), word(TrialStatus::ResourceError));
    }
};

QTEST_GUILESS_MAIN(TestCpuDevice)
#include "tst_cpu_device.moc"
