// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "result_test.h"
#include "source/source_model.h"

using namespace ww;
using namespace ww::source;

class TestSourceCounts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void counts_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");  // "name=count name=count"
        const auto row = [](const char* body, const char* expected) { QTest::addRow("%s", body) << body << expected; };
        row("b[threadIdx.x] = a[threadIdx.x];", "loads=1 stores=1 global_loads=1 global_stores=1 global_coalesced=2 assignments=1");
        row("int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = a[i] + 1;", "global_coalesced=2 adds=2 muls=1 statements=2");
        row("int i = threadIdx.x; b[i * n] = a[2 * i];", "global_strided=2");
        row("int i = threadIdx.x * 1; b[i] = 0;", "global_coalesced=1");
        row("b[ONE * threadIdx.x] = 0;", "global_coalesced=1");
        row("b[n] = a[blockIdx.x];", "global_broadcast=2");
        row("b[p[threadIdx.x]] = 0;", "global_scattered=1 global_coalesced=1 stores=1 loads=1");
        row("b[threadIdx.x / 32] = a[threadIdx.x % 32];", "global_broadcast=1 global_coalesced=1");
        row("b[threadIdx.x >> 5] = a[threadIdx.x & 31];", "global_broadcast=1 global_coalesced=1");
        row("b[threadIdx.y * n + threadIdx.x] += 1;", "loads=1 stores=1 global_coalesced=2 adds=2");
        row("b[threadIdx.x * threadIdx.x] = 0;", "global_scattered=1");
        row("const float* q = a + threadIdx.x; b[0] = q[n] + *q;", "global_coalesced=2 global_broadcast=1");
        row("for (int i = threadIdx.x; i < n; i += blockDim.x) b[i] = 0;", "global_coalesced=1 loops=1 thread_loops=1 constant_trip_loops=0");
        row("b[0] = __ldg(a + threadIdx.x);", "global_coalesced=1 loads=1 calls=1");
        row("__shared__ float s[32][33]; s[threadIdx.y][threadIdx.x] = a[0]; __syncthreads(); b[0] = s[threadIdx.x][threadIdx.y];",
            "shared_arrays=1 shared_stores=1 shared_loads=1 shared_strided=1 barriers=1 global_loads=1");
        row("extern __shared__ float s[]; float* t = s + 4; t[threadIdx.x] = 1;", "shared_dynamic=1 shared_stores=1 global_stores=0");
        row("float r[4]; r[0] = 1; r[n] = r[0];", "local_accesses=3 global_stores=0");
        row("b[0] = table[n];", "constant_loads=1");
        row("int* q = &p[3];", "loads=0");
        row("b[0]++;", "loads=1 stores=1 adds=1");
        row("reinterpret_cast<float4*>(b)[threadIdx.x] = reinterpret_cast<const float4*>(a)[threadIdx.x];",
            "vector_accesses=2 global_coalesced=2 casts=2 calls=0");
        row("for (int i = 0; i < 4; ++i) for (int j = 0; j < n; ++j) b[j] = i; while (n) { n--; }",
            "loops=3 constant_trip_loops=1 loop_depth_max=2");
        row("#pragma unroll\nfor (int i = 0; i < ONE; ++i) b[i] = a[i];\n#pragma unroll 4\nfor (;;) {}\n",
            "unrolled_loops=2 constant_trip_loops=1 loads_in_loops=1 loops=2");
        row("if (threadIdx.x < 3) b[0] = 1; if (n) b[1] = 1; b[2] = n ? 1 : 2;", "branches=3 thread_branches=1 comparisons=1");
        row("int lane = threadIdx.x & 31; int w = lane * 2; if (w == 0) return;", "thread_branches=1 returns=1 bitwise=1");
        row("switch (n) { case 1: break; }", "branches=1 thread_branches=0");
        row("for (int i = 0; i < n; ++i) { __syncthreads(); } __syncwarp();", "barriers=1 barriers_in_loops=1 warp_syncs=1");
        row("float v = __shfl_down_sync(~0u, a[0], 1); atomicAdd(&b[0], v); unsigned m = __ballot_sync(~0u, 1);",
            "shuffles=1 atomics=1 votes=1 calls=3 loads=1 stores=0");
        row("b[0] = sqrtf(a[0]) + __expf(a[1]) + rsqrtf(a[2]) + std::max(1, 2) + helper(1.0f);",
            "math_functions=3 special_functions=2 device_calls=1 calls=5");
        row("n = n / 3 % 5 << 2; n = (int)1.5f + static_cast<int>(2.5f); b[0] = n && n > 1 || !n;",
            "divs=1 mods=1 shifts=1 casts=2 logicals=2 comparisons=1");
        row("double d = 1; __half h; half2 g;", "double_types=1 half_types=2");
        row("asm volatile(\"bar.sync 0;\");", "inline_ptx=1");
    }

    void counts() {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        const QString text = "#define ONE 1\n__constant__ float table[4];\n__device__ float helper(float x) { return x; }\n"
                             "void host() { for (;;) { if (1) { double d = 1; } } }\n"
                             "__global__ void k(const float* a, float* b, int* p, int n) {\n" + body + "\n}\n";
        const auto model = parseCuda(text.toStdString());
        VERIFY_OK(model);
        QVERIFY2(model->problems.empty(), model->problems.empty() ? "" : model->problems.front().text.c_str());
        // the helper's own return counts as one
        for (const QString& part : expected.split(' ')) {
            const std::string name = part.section('=', 0, 0).toStdString();
            const auto found = model->counts.byName.find(name);
            QVERIFY2(found != model->counts.byName.end(), name.c_str());
            const int own = name == "statements" || name == "returns" ? 1 : 0;
            QVERIFY2(found->second - own == part.section('=', 1).toInt(),
                     qPrintable(QString("%1: %2 found").arg(part).arg(found->second - own)));
        }
    }

    void signature() {
        const auto model = parseCuda("#define T 8\ntemplate <typename X, int B> __global__ void k(X* a, const X* b, int n) { a[T] = b[B]; }\n");
        VERIFY_OK(model);
        const auto& counts = model->counts.byName;
        QCOMPARE(counts.at("kernels"), 1);
        QCOMPARE(counts.at("device_functions"), 0);
        QCOMPARE(counts.at("pointer_arguments"), 2);
        QCOMPARE(counts.at("scalar_arguments"), 1);
        QCOMPARE(counts.at("template_parameters"), 2);
        QCOMPARE(counts.at("tunable_parameters"), 2);
        QCOMPARE(counts.at("lines"), 1);
    }

    /// The names are a contract with encode/ and with docs/source-model.md.
    void everyNameIsDocumented() {
        QFile page(QString::fromUtf8(qgetenv("WARPWRIGHT_ROOT")) + "/docs/source-model.md");
        QVERIFY2(page.open(QIODevice::ReadOnly), qPrintable(page.fileName()));
        const QString text = QString::fromUtf8(page.readAll());
        const auto model = parseCuda("__global__ void k() {}");
        VERIFY_OK(model);
        QVERIFY(model->counts.byName.size() >= 48);
        for (const auto& [name, count] : model->counts.byName) {
            QVERIFY2(text.contains("| `" + QString::fromStdString(name) + "` |"), name.c_str());
        }
    }

    void sameTextSameCounts() {
        const std::string text = "__global__ void k(float* a) { for (int i = 0; i < 3; ++i) a[threadIdx.x * 3 + i] = i; }";
        QVERIFY(parseCuda(text)->counts.byName == parseCuda("/* 注释 */\r\n" + text + "\r\n")->counts.byName);
    }
};

QTEST_GUILESS_MAIN(TestSourceCounts)
#include "tst_source_counts.moc"
