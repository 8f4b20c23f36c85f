// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "result_test.h"
#include "source/source_model.h"

using namespace ww;
using namespace ww::source;

namespace {

QString joined(const QStringList& parts) { return parts.join(QStringLiteral("; ")); }

/// "load global coalesced", with "/stride" where strided and " x4" for vectors.
QString describe(const MemoryAccess& access) {
    std::string out = std::string(toString(access.kind)) + " " + std::string(toString(access.space)) + " " + std::string(toString(access.pattern));
    if (access.pattern == Pattern::Strided) out += "/" + (access.stride ? std::to_string(*access.stride) : access.strideText);
    if (access.vectorWidth > 1) out += " x" + std::to_string(access.vectorWidth);
    return QString::fromStdString(out);
}

QString accessesOf(const FunctionModel& function) {
    QStringList parts;
    for (const MemoryAccess& access : function.accesses) parts << describe(access);
    return joined(parts);
}

const char* kPrelude =
    "#define T 8\n#define PAD 1\n#define IDX(r, c) ((r) * n + (c))\n#define TID (blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define AT(i) a[(i)]\n#define SYNC() __syncthreads()\n"
    "struct P { float x, y, z; int id; };\n__constant__ float table[4 * T];\n"
    "__device__ int row() { return threadIdx.x / 16; }\n"
    "__device__ float pick(const float* q, int i) { return q[i]; }\n";

}  // namespace

class TestSourceAccesses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void patterns_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* body, const char* expected) { QTest::addRow("%s", body) << body << expected; };
        row("float v = a[threadIdx.x];", "load global coalesced");
        row("int i = threadIdx.x; float v = a[i * n];", "load global strided/n");
        row("int i = threadIdx.x; float v = a[4 * i];", "load global strided/4");
        row("int i = threadIdx.x; float v = a[i * T + 2];", "load global strided/8");
        row("float v = a[p[threadIdx.x]];", "load global scattered; load global coalesced");
        row("float v = a[blockIdx.x];", "load global broadcast");
        row("int i = TID; if (i < n) b[i] = a[i];", "store global coalesced; load global coalesced");
        row("int i = TID; b[i] = i < n ? a[i] : 0.0f;", "store global coalesced; load global coalesced");
        row("int i = min(TID, n - 1); float v = a[i];", "load global coalesced");
        row("int i = TID; i = i < n ? i : n - 1; float v = a[i];", "load global coalesced");
        row("float v = a[IDX(blockIdx.y, threadIdx.x)];", "load global coalesced");
        row("float v = a[IDX(threadIdx.x, blockIdx.y)];", "load global strided/n");
        row("float v = AT(TID);", "load global coalesced");
        row("int r = threadIdx.x / 16, c = threadIdx.x % 16; float v = a[r * n + c];", "load global coalesced");
        row("int c = threadIdx.x / 16, r = threadIdx.x % 16; float v = a[r * n + c];", "load global strided/n");
        row("float v = a[row() * n + threadIdx.x % 16];", "load global coalesced");
        row("float v = a[threadIdx.x ^ 1];", "load global coalesced");
        row("float v = a[n - threadIdx.x];", "load global coalesced");
        row("__shared__ float s[T][T + PAD]; s[threadIdx.y][threadIdx.x] = 0; float v = s[threadIdx.x][threadIdx.y];",
            "store shared coalesced; load shared strided/9");
        row("float4 v = reinterpret_cast<const float4*>(a)[threadIdx.x];", "load global coalesced x4");
        row("float4 v = *((const float4*)a + threadIdx.x);", "load global coalesced x4");
        row("const float4* q = reinterpret_cast<const float4*>(a); float4 v = q[threadIdx.x * 2];", "load global strided/2 x4");
        row("float v = reinterpret_cast<const float4*>(a)[threadIdx.x].y;", "load global strided/4");
        row("float4 v = __ldg(reinterpret_cast<const float4*>(a) + threadIdx.x);", "load global coalesced x4");
        row("float v = __ldcg(&a[threadIdx.x]); __stcs(b + threadIdx.x, v);", "load global coalesced; store global coalesced");
        row("float v = ps[threadIdx.x].y;", "load global strided/4");
        row("float v = ps->x;", "load global broadcast");
        row("const float* q = a + blockIdx.x * n; q += threadIdx.x; float v = *q;", "load global coalesced");
        row("auto f = [&](int j) { return a[j * n]; }; float v = f(threadIdx.x) + f(0);", "load global strided/n");
        row("float v = pick(a, threadIdx.x * 2);", "");
        row("float v = table[threadIdx.x] + table[n];", "load constant coalesced; load constant broadcast");
        row("atomicAdd(&b[threadIdx.x % 4], 1.0f);", "atomic global coalesced");
        row("b[threadIdx.x] += 1;", "load global coalesced; store global coalesced");
        row("float v = tex2D<float>(tex, threadIdx.x, blockIdx.x);", "load texture coalesced");
        row("float v; asm volatile(\"ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];\" : \"=f\"(v), \"=f\"(v), \"=f\"(v), \"=f\"(v) : \"l\"(a + 4 * threadIdx.x));",
            "load global strided/4 x4");
        row("unsigned lane; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane)); float v = a[lane];", "load global coalesced");
        row("float r[4]; r[n] = 1;", "store local broadcast");
    }

    void patterns() {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        const std::string text = std::string(kPrelude) + "__global__ void k(const float* a, float* b, const int* p, const P* ps, int n, cudaTextureObject_t tex) {\n" +
                                 body.toStdString() + "\n}\n";
        const auto model = parseCuda(text);
        VERIFY_OK(model);
        QVERIFY2(model->problems.empty(), model->problems.empty() ? "" : model->problems.front().text.c_str());
        QCOMPARE(accessesOf(*model->functionOf(model->entries.front())), expected);
        for (const MemoryAccess& access : model->functionOf(model->entries.front())->accesses) {
            QCOMPARE(access.line, 11 + 1);
            QVERIFY(!access.address.empty());
        }
    }

    /// A device function knows its arguments from its calls.
    void argumentsReachTheCallee() {
        const auto model = parseCuda(std::string(kPrelude) + "__global__ void k(const float* a, float* b) {\n  __shared__ float s[64];\n"
                                     "  b[0] = pick(s, threadIdx.x * 2);\n}\n");
        VERIFY_OK(model);
        QCOMPARE(accessesOf(model->functions[1]), QString("load shared strided/2"));
        QVERIFY(model->functions[2].calls == std::vector<std::string>{"pick"});
    }

    void bytesAndTypes() {
        const auto model = parseCuda("template <typename V> __global__ void k(const uint4* a, __half2* h, V* v, double d) { a[0]; h[threadIdx.x]; v[0]; }\n");
        VERIFY_OK(model);
        const auto& accesses = model->functions.front().accesses;
        QCOMPARE(accesses.size(), std::size_t{3});
        QVERIFY(accesses[0].vectorWidth == 4 && accesses[0].bytes == 16 && accesses[0].elementType == "uint4" && accesses[0].object == "a");
        QVERIFY(accesses[1].vectorWidth == 2 && accesses[1].bytes == 4);
        QVERIFY(accesses[2].bytes == 0 && accesses[2].elementType == "V");
    }

    void loops_data() {
        QTest::addColumn<QString>("head");
        QTest::addColumn<QString>("trips");
        QTest::addColumn<int>("count");  // -1: unknown
        const auto row = [](const char* head, const char* trips, int count) { QTest::addRow("%s", head) << head << trips << count; };
        row("for (int i = 0; i < 4; ++i)", "4", 4);
        row("for (int i = 0; i < T; i++)", "T", 8);
        row("for (int i = 0; i < T * 2; i += 4)", "(T * 2 + 3) // 4", 4);
        row("for (int i = T; i > 0; --i)", "T", 8);
        row("for (int i = 1; i <= T; ++i)", "T - 1 + 1", 8);
        row("for (int i = 32; i > 0; i >>= 1)", "6", 6);
        row("for (int i = 1; 64 > i; i *= 2)", "6", 6);
        row("for (int i = 0; i < HALF; ++i)", "T // 2", 4);
        row("for (int i = 0; i < n; ++i)", "", -1);
        row("for (int i = threadIdx.x; i < 4; ++i)", "", -1);
        row("while (n > 0)", "", -1);
        row("for (int i = 4; i < 2; ++i)", "0", 0);
    }

    void loops() {
        QFETCH(QString, head);
        QFETCH(QString, trips);
        QFETCH(int, count);
        const auto model = parseCuda("#define T 8\n#define HALF (T / 2)\n__global__ void k(int* a, int n) {\n#pragma unroll 2\n" + head.toStdString() +
                                     " { a[0] = 1; }\n}\n");
        VERIFY_OK(model);
        const Loop& loop = model->functions.front().loops.at(0);
        QCOMPARE(QString::fromStdString(loop.trips), trips);
        QCOMPARE(loop.tripCount ? static_cast<int>(*loop.tripCount) : -1, count);
        QCOMPARE(QString::fromStdString(loop.unroll), QString("2"));
        QVERIFY(loop.line == 5 && loop.depth == 1);
        if (!trips.isEmpty()) VERIFY_OK(expr::Expression::parse(loop.trips));
        QCOMPARE(model->functions.front().accesses.front().loopDepth, 1);
    }

    void branches() {
        const auto model = parseCuda("__global__ void k(int* a, int n) {\n  if (n > 3) {\n    if (threadIdx.x < 16) a[0] = 1;\n  }\n"
                                     "  int warp = threadIdx.x / 32;\n  if (warp == 0) a[1] = 1;\n"
                                     "  int i = threadIdx.x;\n  while (i < n) { __syncthreads(); i += 32; }\n}\n");
        VERIFY_OK(model);
        const FunctionModel& function = model->functions.front();
        QCOMPARE(function.branches.size(), std::size_t{3});
        QVERIFY(!function.branches[0].threadDependent && function.branches[0].depth == 1);
        QVERIFY(function.branches[1].threadDependent && function.branches[1].divergent && function.branches[1].depth == 2);
        QVERIFY(function.branches[2].threadDependent && !function.branches[2].divergent && function.branches[2].line == 6);
        QVERIFY(function.loops.front().threadDependent);
        QVERIFY(function.operations.front().kind == OperationKind::Barrier && function.operations.front().divergent);
    }

    void sharedMemory() {
        const auto model = parseCuda("#define T 8\n#define W (T * 2)\ntemplate <int N> __device__ void f() { __shared__ float4 q[N]; }\n"
                                     "template <int N = 4> __global__ void k(int* a) {\n  constexpr int rows = W + 1;\n"
                                     "  __shared__ float s[rows][T > 4 ? T : 4];\n  __shared__ int one;\n  extern __shared__ char raw[];\n  f<N>();\n  SYNC;\n}\n");
        VERIFY_OK(model);
        const FunctionModel& kernel = *model->functionOf(model->entries.front());
        QCOMPARE(QString::fromStdString(kernel.sharedArrays[0].bytes), QString("(T * 2 + 1) * (T if T > 4 else 4) * 4"));
        QCOMPARE(QString::fromStdString(kernel.sharedArrays[1].bytes), QString("4"));
        QVERIFY(kernel.sharedArrays[2].dynamic && kernel.sharedArrays[2].bytes.empty() && !kernel.sharedArrays[2].whyNot.empty());
        const auto defaults = sharedBytes(*model, model->entries.front(), expr::Scope{});
        VERIFY_OK(defaults);
        QCOMPARE(*defaults, std::int64_t{17 * 8 * 4 + 4 + 4 * 16});
        expr::Scope configuration;
        configuration.set("T", expr::Value(2));
        configuration.set("N", expr::Value(1));
        QCOMPARE(*sharedBytes(*model, model->entries.front(), configuration), std::int64_t{5 * 4 * 4 + 4 + 16});
        const auto unknown = parseCuda("template <typename V> __global__ void k(V* a) { __shared__ V s[4]; s[0] = a[0]; }");
        VERIFY_OK(unknown);
        const auto refused = sharedBytes(*unknown, unknown->entries.front(), expr::Scope{});
        COMPARE_ERR(refused, ErrorCode::InvalidArgument);
        QVERIFY(refused.error().toString().find("\"V\"") != std::string::npos);
    }

    void operations() {
        const auto model = parseCuda("__global__ void k(float* a) {\n  auto grid = cooperative_groups::this_grid(); grid.sync();\n  __syncwarp();\n"
                                     "  a[0] = __shfl_xor_sync(~0u, expf(a[1]) + __expf(a[2]), 1);\n  __ballot_sync(~0u, 1);\n"
                                     "  asm volatile(\"{\\n.reg .pred p;\\n@p mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 \"\n \"{%0}, {%1};\\n}\" : \"=f\"(a[0]) : \"r\"(1));\n"
                                     "  asm(\"cp.async.cg.shared.global [%0], [%1], 16; wgmma.fence.sync.aligned; cp.async.bulk.tensor.2d.shared::cluster.global [%0];\" :: \"r\"(1), \"l\"(a));\n"
                                     "  __threadfence();\n}\n");
        VERIFY_OK(model);
        QStringList kinds;
        for (const Operation& one : model->functions.front().operations) kinds << QString::fromUtf8(toString(one.kind).data());
        QCOMPARE(joined(kinds), QString("grid_sync; warp_sync; shuffle; math; fast_math; vote; mma; async_copy; wgmma; tma; fence"));
        QCOMPARE(model->functions.front().inlinePtx.size(), std::size_t{2});
        QCOMPARE(model->functions.front().inlinePtx[1].instructions.size(), std::size_t{3});
    }

    void overloads() {
        const auto model = parseCuda("namespace n { __global__ void k(const float* a, int n) {}\n__global__ void k(double* a) {} }\nint main() { int x[4]; x[0] = 1; }\n");
        VERIFY_OK(model);
        QCOMPARE(model->findEntries("k").size(), std::size_t{2});
        QCOMPARE(model->findEntries("n::k").size(), std::size_t{2});
        QVERIFY(model->findEntry("n::k(double*)") == &model->entries[1]);
        QVERIFY(model->findEntry("n::k(const float*, int)") == &model->entries[0]);
        QVERIFY(model->findEntry("n::k(int)") == nullptr);
        QCOMPARE(model->functions.size(), std::size_t{2});  // host code does not count
        QCOMPARE(model->counts.byName.at("stores"), 0);
    }

    void objectsAndMacros() {
        const auto model = parseCuda(std::string(kPrelude) + "texture<float, 2> old;\n__device__ int counter;\n"
                                     "__global__ void k(float* a, cudaTextureObject_t tex, int n) { SYNC(); AT(threadIdx.x * n) = 1; }\n");
        VERIFY_OK(model);
        QStringList kinds;
        for (const MemoryObject& object : model->objects) kinds << QString::fromStdString(object.kind + " " + object.name + " " + object.bytes);
        QCOMPARE(joined(kinds), QString("constant table 4 * T * 4; texture old ; device counter 4; texture tex "));
        const FunctionModel& kernel = *model->functionOf(model->entries.front());
        QVERIFY(kernel.operations.size() == 1 && kernel.operations.front().line == 13);
        QCOMPARE(accessesOf(kernel), QString("store global strided/n"));
    }

    void recursionEnds() {
        const auto model = parseCuda("#define A(x) B(x)\n#define B(x) A(x) + x[0]\n__device__ int f(int n);\n__device__ int g(int n) { return f(n - 1); }\n"
                                     "__device__ int f(int n) { return n ? g(n) : 0; }\n__global__ void k(int* a) { a[f(threadIdx.x)] = A(a); }\n");
        VERIFY_OK(model);
        QVERIFY(!model->functions.back().accesses.empty());
    }

    void json() {
        const auto model = parseCuda(std::string(kPrelude) + "__global__ void k(float* a) { __shared__ int s[T]; for (int i = 0; i < T; ++i) a[i] = s[i]; }");
        VERIFY_OK(model);
        const Json document = toJson(*model);
        const Json& kernel = document["functions"].back();
        QVERIFY(kernel["name"] == "k" && kernel["loops"][0]["trip_count"] == 8 && kernel["shared_arrays"][0]["bytes"] == "T * 4");
        QVERIFY(kernel["accesses"].size() == 2 && document["language"] == "cuda" && document["entries"][0]["signature"] == "k(float*)");
    }
};

QTEST_GUILESS_MAIN(TestSourceAccesses)
#include "tst_source_accesses.moc"
