// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <cmath>
#include <cstring>

#include "compile/compile.h"
#include "device/device.h"
#include "result_test.h"

using namespace ww::device;
using ww::TrialStatus;

/// CUDA C++ on the CPU device: statements, and the exact values that they must give.
class TestCpuLanguage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<ww::compile::Compiler> m_compiler;
    std::unique_ptr<Device> m_device;

    Device::Loaded load(const std::string& source, std::vector<std::string> symbols = {}) {
        ww::compile::CompileRequest request;
        request.source = source;
        request.fileName = "language.cu";
        request.entry = "k";
        request.symbols = std::move(symbols);
        auto result = m_compiler->compile(request);
        if (!result || result->status != TrialStatus::Ok) qFatal("%s", result ? result->log.c_str() : result.error().message.c_str());
        auto loaded = m_device->load({result->object, result->entry, result->symbols}, {});
        if (!loaded || loaded->outcome.status != TrialStatus::Ok) qFatal("not loaded");
        return *loaded;
    }

    BufferId buffer(const std::vector<float>& values) {
        const auto id = m_device->allocate(values.size() * sizeof(float));
        if (!id || !m_device->upload(*id, 0, std::as_bytes(std::span(values)))) qFatal("no buffer");
        return *id;
    }
    std::vector<float> read(BufferId id, std::size_t count) {
        std::vector<float> values(count);
        if (!m_device->download(id, 0, std::as_writable_bytes(std::span(values)))) qFatal("no download");
        return values;
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = ww::compile::makeHostCompiler(m_folder.path().toStdString());
        VERIFY_OK(compiler);
        m_compiler = std::move(*compiler);
        auto device = makeCpuDevice(1);
        VERIFY_OK(device);
        m_device = std::move(*device);
    }

    /// Statements and the values they must store in o[0], o[1], ...
    void values() {
        struct Row {
            const char* code;
            std::vector<float> expected;
        };
        // 2049 lies between the halves 2048 and 2050 and goes to the even one; 2051 goes up to 2052. For bfloat16 257 -> 256, 259 -> 260.
        const std::vector<Row> rows{
            {"o[0] = float(half(2049.0f)); o[1] = float(half(2051.0f)); o[2] = float(half(65520.0f));", {2048, 2052, INFINITY}},
            {"o[0] = float(half(2048.0f) + half(1.0f)); o[1] = float(half(2048.0f) + half(3.0f));", {2048, 2052}},
            {"o[0] = __half2float(__float2half_rd(2049.0f)); o[1] = __half2float(__float2half_ru(2049.0f)); o[2] = __half2float(__float2half_rz(-2049.0f));", {2048, 2050, -2048}},
            // 1025/1024 * 1023/1024 = 1 - 2^-20; and 2050 - that is 2049 + 2^-20, which in float would be 2049, a tie that goes to 2048.
            {"half a = __ushort_as_half(0x3c01), b = half(1023.0f / 1024); o[0] = float(__hfma(-a, b, half(2050.0f))); o[1] = float(__hfma(a, b, half(2048.0f)));", {2050, 2048}},
            {"half2 a = __floats2half2_rn(1, 2), b = __half2half2(half(3.0f)); half2 c = __hfma2(a, b, a); o[0] = __low2float(c); o[1] = __high2float(c);", {4, 8}},
            {"half2 a = make_half2(half(1.0f), half(2.0f)); a = a * a + a; float2 f = __half22float2(a); o[0] = f.x; o[1] = f.y;", {2, 6}},
            {"o[0] = float(hexp(half(1.0f))); o[1] = float(hsqrt(half(2.0f))); o[2] = float(hrcp(half(3.0f))); o[3] = float(hlog2(half(8.0f)));", {2.71875f, 1.4140625f, 0.333251953125f, 3}},
            {"half n = __ushort_as_half(0x7e00); o[0] = n == n; o[1] = n != n; o[2] = __heq(n, n); o[3] = __hgtu(n, half(1.0f)); o[4] = float(__hmax(n, half(1.0f)));", {0, 1, 0, 1, 1}},
            {"o[0] = __half_as_ushort(-half(0.0f)) == 0x8000; o[1] = float(__habs(half(-2.0f))); o[2] = float(__hadd_sat(half(0.75f), half(0.75f)));", {1, 2, 1}},
            {"o[0] = float(__nv_bfloat16(257.0f)); o[1] = float(__nv_bfloat16(259.0f)); o[2] = float(__float2bfloat16_ru(257.0f));", {256, 260, 258}},
            {"__nv_bfloat16 a = 256.0f, b = 1.0f; o[0] = float(a + b); o[1] = float(__hfma(a, b, b)); o[2] = float(a * a); o[3] = a > b;", {256, 256, 65536, 1}},
            {"__nv_bfloat162 a = __floats2bfloat162_rn(1, 2); a = __hmul2(a, a); o[0] = __low2float(a); o[1] = __high2float(a);", {1, 4}},
            {"__shared__ half h; h = half(1.0f); atomicAdd(&h, half(0.5f)); o[0] = float(h);", {1.5f}},
            {"unsigned short s = 7; o[0] = atomicCAS(&s, (unsigned short)7, (unsigned short)9); o[1] = s; unsigned long long u = 5; atomicMax(&u, 9ull); o[2] = u;", {7, 9, 9}},
            {"double d = 1; atomicAdd(&d, 0.5); o[0] = d; int i = 4; atomicAdd_system(&i, 3); atomicMin_block(&i, 2); o[1] = i;", {1.5f, 2}},
            {"o[0] = __byte_perm(0x33221100, 0x77665544, 0x5140) == 0x55114400; o[1] = __brev(6u) == 0x60000000u; o[2] = __ffs(8); o[3] = __popc(255u); o[4] = __clz(1);", {1, 1, 4, 8, 31}},
            {"o[0] = __dp4a(0x01020304, 0x01010101, 5); o[1] = __umul24(3u, 5u); o[2] = __saturatef(7.0f); o[3] = __float_as_int(1.0f) == 0x3f800000; o[4] = warpSize;", {15, 15, 1, 1, 32}},
            {"auto b = cooperative_groups::this_thread_block(); auto t = cooperative_groups::tiled_partition<8>(b); float r = cooperative_groups::reduce(t, (float)t.thread_rank(), cooperative_groups::plus<float>()); "
             "float u = t.shfl_down(1.0f * threadIdx.x, 2); b.sync(); if (threadIdx.x == 9) { o[0] = r; o[1] = u; o[2] = t.meta_group_rank(); }", {28, 11, 1}},
            {"auto t = cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block()); unsigned m = t.ballot(t.thread_rank() != 1); if (threadIdx.x == 4) o[0] = m;", {13}},
            {"__shared__ float s[32]; __pipeline_memcpy_async(&s[threadIdx.x], &o[8], 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); o[0] = s[31];", {0}},
            {"float4 v = make_float4(1, 2, 3, 4); float4* q = (float4*)__builtin_assume_aligned(o, 16); *q = v;", {1, 2, 3, 4}},
        };
        std::string cases;
        for (std::size_t i = 0; i < rows.size(); ++i) cases += "case " + std::to_string(i) + ": {" + rows[i].code + "} break;\n";
        const auto module = load("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
                                 "#include <cuda_pipeline.h>\n__global__ void __launch_bounds__(32) k(float* __restrict__ o, int row) { switch (row) {\n" + cases + "} }\n");
        for (std::size_t index = 0; index < rows.size(); ++index) {
            const Row& row = rows[index];
            const auto out = buffer(std::vector<float>(16));
            ScalarArgument which;
            which.size = sizeof(int);
            const int number = static_cast<int>(index);
            std::memcpy(which.bytes.data(), &number, sizeof number);
            const Outcome outcome = m_device->run({module.id, {{1, 1, 1}, {32, 1, 1}, 0}, {BufferArgument{out, 0}, which}});
            QVERIFY2(outcome.status == TrialStatus::Ok, outcome.message.c_str());
            const auto got = read(out, row.expected.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
                QVERIFY2(got[i] == row.expected[i], qPrintable(QString("%1: o[%2] = %3").arg(row.code).arg(i).arg(double(got[i]), 0, 'g', 12)));
            }
            m_device->release(out);
        }
    }

    void symbols() {
        const auto module = load("struct Pair { float a, b; };\n__constant__ float weights[3];\nnamespace deep { __constant__ Pair pair; }\n__device__ float counter;\n"
                                 "__global__ void k(float* o) { o[0] = weights[0] + 10 * weights[2]; o[1] = deep::pair.b; counter += 1; }\n",
                                 {"weights", "deep::pair", "counter"});
        const auto out = buffer({0, 0}), weights = buffer({1, 2, 3}), pair = buffer({5, 6}), counter = buffer({41});
        Launch launch{module.id, {}, {BufferArgument{out, 0}}, {{"weights", weights, 0, 12}, {"deep::pair", pair, 0, 8}, {"counter", counter, 0, 4}}};
        QVERIFY(m_device->run(launch).status == TrialStatus::Ok);
        QCOMPARE(read(out, 2), (std::vector<float>{31, 6}));
        QCOMPARE(read(counter, 1), std::vector<float>{42});  // read back
        for (int i = 0; i < 2; ++i) QVERIFY(m_device->time(launch, false, 3).status == TrialStatus::Ok);
        QCOMPARE(read(counter, 1), std::vector<float>{42});  // timing leaves the buffer, and starts each launch from it

        launch.symbols[0].bytes = 16;
        const Outcome large = m_device->run(launch);
        QVERIFY2(large.status == TrialStatus::LaunchError && large.message.find("weights has 12 bytes, the spec gives 16") != std::string::npos, large.message.c_str());
        launch.symbols[0] = {"absent", weights, 0, 12};
        const Outcome absent = m_device->run(launch);
        QVERIFY2(absent.status == TrialStatus::LaunchError && absent.message.find("no variable absent") != std::string::npos, absent.message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCpuLanguage)
#include "tst_cpu_language.moc"
