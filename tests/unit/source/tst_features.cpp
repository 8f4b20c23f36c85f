// SPDX-License-Identifier: Apache-2.0
#include "result_test.h"
#include "source/cpu_gaps.h"

using namespace ww::source;

namespace {

/// "line: words", one per gap; uncertain ones end with a question mark.
QString described(const CpuGaps& gaps) {
    QStringList list;
    for (const CpuGap& gap : gaps.found) list << QString("%1: %2%3").arg(gap.line).arg(QString::fromStdString(gap.what), gap.certain ? "" : "?");
    return list.join("; ");
}

}  // namespace

class TestFeatures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gaps_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* source, const char* expected) { QTest::newRow(name) << QByteArray(source) << QString(expected); };
        row("plain", "__global__ void k(float* p) { p[0] = 1; }", "");
        row("all of them, in order",
            "__global__ void k(float* p) {\n  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 16;\" ::);\n  p[0] = 1;\n"
            "  wmma::mma_sync(a, b, c, d);\n  k<<<1, 1>>>(p);\n}\n",
            "2: inline PTX (cp.async); 4: tensor-core operations (wmma); 5: a launch from device code");
        row("wgmma and TMA", "__global__ void k() {\n asm(\"wgmma.fence;\");\n asm volatile (\"cp.async.bulk.tensor.2d\");\n}",
            "2: inline PTX (wgmma); 3: inline PTX (cp.async.bulk (TMA))");
        row("a barrier for the compiler", "__global__ void k() { asm volatile(\"\" ::: \"memory\"); }", "");
        row("comments and strings", "__global__ void k() { /* asm */ printf(\"asm wmma\"); // asm\n}", "");
        row("grid", "__global__ void k() {\n auto g = cooperative_groups::this_grid();\n g.sync();\n}", "2: grid-wide synchronisation");
        row("a block's groups run", "#include <cooperative_groups.h>\n__global__ void k() { auto b = cooperative_groups::this_thread_block(); b.sync(); }", "");
        row("cluster", "__global__ void __cluster_dims__(2, 1, 1) k() {}", "1: thread-block clusters");
        row("surface", "__global__ void k(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 0, 0); }", "1: surfaces");
        row("texture", "__global__ void k(float* p,\n cudaTextureObject_t t) {\n p[0] = tex1Dfetch<float>(t, 0) + tex1D<float>(t, 0) + tex2D<float>(t, 0, 0) + tex3D<float>(t, 0, 0, 0); }", "");
        row("layered texture", "__global__ void k(float* p, cudaTextureObject_t t) {\n p[0] = tex2DLayered<float>(t, 0, 0, 0); }",
            "2: layered, cube, gathered and mipmapped textures");
        row("mipmapped texture", "__global__ void k(float* p, cudaTextureObject_t t) {\n\n p[0] = tex2DLod<float>(t, 0, 0, 0); }",
            "3: layered, cube, gathered and mipmapped textures");
        row("simd", "__global__ void k(unsigned* p) { p[0] = __vadd4(p[1], p[2]); }", "1: SIMD-within-a-word intrinsics");
        row("through a helper", "__device__ int lane() {\n int i; asm(\"mov %0, %laneid;\" : \"=r\"(i)); return i; }\n__global__ void k(int* p) { p[0] = lane(); }", "2: inline PTX");
        row("another kernel's", "__global__ void other() {\n asm(\"bar.sync 1;\"); }\n__global__ void k(int* p) { p[0] = 1; }", "");
        row("a helper nobody calls", "__device__ void h() { asm(\"bar.sync 1;\"); }\n__global__ void k(int* p) { p[0] = 1; }", "");
        row("through a macro", "#define COPY(a) \\\n asm volatile(\"cp.async.ca\" :: \"r\"(a))\n__global__ void k() { COPY(1); }", "2: inline PTX (cp.async)");
        row("a macro nobody uses", "#define COPY(a) asm volatile(\"cp.async.ca\")\n__global__ void k() {}", "");
        row("through a member", "struct Op { __device__ static void run() {\n asm(\"ldmatrix.sync\"); } };\n__global__ void k() { Op::run(); }", "2: inline PTX (ldmatrix)");
        row("through a template", "template <int N> __device__ void f() {\n asm(\"x\"); }\ntemplate <int N> __global__ void k() { f<N>(); }", "2: inline PTX");
        row("dropped: no GPU", "__global__ void k() {\n#ifdef __CUDA_ARCH__\n asm(\"x\");\n#endif\n#if __CUDA_ARCH__ >= 800\n asm(\"y\");\n#else\n#endif\n}", "");
        row("dropped: off by default", "#ifndef USE_PTX\n#define USE_PTX 0\n#endif\n__global__ void k() {\n#if USE_PTX\n asm(\"x\");\n#endif\n}", "");
        row("kept: on by default", "#define USE_PTX (1 + 1)\n__global__ void k() {\n#if USE_PTX > 1 && defined(USE_PTX)\n asm(\"x\");\n#endif\n}", "4: inline PTX");
        row("kept: else branch", "__global__ void k() {\n#if defined(__CUDA_ARCH__)\n#else\n asm(\"x\");\n#endif\n}", "4: inline PTX");
        row("a tuned name decides", "#define TUNED 1\n__global__ void k() {\n#if TUNED\n asm(\"x\");\n#endif\n}", "4: inline PTX?");
        row("a header decides", "#include \"config.h\"\n__global__ void k() {\n#if FAST\n asm(\"x\");\n#endif\n}", "4: inline PTX?");
        row("CUTLASS", "#include <cutlass/cutlass.h>\n__global__ void k() {}", "1: CUTLASS");
        row("cuda::barrier", "#include <cuda/barrier>\n__global__ void k() {\n __shared__ cuda::barrier<cuda::thread_scope_block> b;\n}", "3: asynchronous copies (cuda::pipeline, cuda::barrier)");
        row("an alias", "using Barrier = cuda::barrier<cuda::thread_scope_block>;\n__global__ void k() { __shared__ Barrier b; }", "1: asynchronous copies (cuda::pipeline, cuda::barrier)");
        row("an alias of another kernel", "using Barrier = cuda::barrier<cuda::thread_scope_block>;\n__global__ void o() { Barrier b; }\n__global__ void k() {}", "");
    }
    void gaps() {
        QFETCH(QByteArray, source);
        QFETCH(QString, expected);
        auto known = cpuMacros();
        known.open.insert("TUNED");
        const auto gaps = findCpuGaps(source.toStdString(), "k", known);
        VERIFY_OK(gaps);
        QCOMPARE(described(*gaps), expected);
    }

    void unusedDefinitionsCanGo() {
        const std::string source = "using F = wmma::fragment<int>;\n"
                                   "template <int N>\n__device__ void load(F& f) { wmma::load_matrix_sync(f); }\n"
                                   "__device__ void twice(F& f) { load<1>(f); }\n"
                                   "__device__ int fine() { return 1; }\n"
                                   "__global__ void other() { F f; twice(f); }\n"
                                   "__global__ void k(int* p) { p[0] = fine(); }\n";
        const auto gaps = findCpuGaps(source, "k", cpuMacros());
        VERIFY_OK(gaps);
        QCOMPARE(described(*gaps), QString());
        std::string kept = source;
        for (auto range = gaps->unused.rbegin(); range != gaps->unused.rend(); ++range) kept.erase(range->begin, range->end - range->begin);
        QVERIFY2(kept.find("wmma") == std::string::npos && kept.find("other") == std::string::npos && kept.find("twice") == std::string::npos, kept.c_str());
        QVERIFY2(kept.find("fine() { return 1; }") != std::string::npos && kept.find("__global__ void k") != std::string::npos, kept.c_str());
    }

    void oneMessageNamesAll() {
        auto model = parseCuda("__global__ void k() {\n asm(\"x\");\n wmma::fill_fragment(a, 0);\n}\n", "some.cu");
        VERIFY_OK(model);
        const auto verdict = checkRunsOnCpu(model->text, "k", cpuMacros(), model->path);
        COMPARE_ERR(verdict, ww::ErrorCode::Unsupported);
        const QString text = QString::fromStdString(verdict.error().message);
        QVERIFY2(text.contains("line 2: inline PTX (asm(\"x\"))") && text.contains("line 3: tensor-core"), qPrintable(text));
    }

    void brokenConditionsEnd() {
        for (const char* source : {"#if ((((\n#elif\n#else\n#endif\n#endif\n#else\n__global__ void k() { asm(\"x\"); }", "#define A A\n#if A\n#endif\n__global__ void k() { asm(\"x\"); }",
                                   "#define A B\n#define B A\n#if A + B\nint x;\n__global__ void k() { asm(\"x\"); }"}) {
            VERIFY_OK(findCpuGaps(source, "k", cpuMacros()));
        }
    }
};

QTEST_GUILESS_MAIN(TestFeatures)
#include "tst_features.moc"
