// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>

#include "compile/compile.h"
#include "compile/ptxas_report.h"
#include "result_test.h"

using namespace ww;
using namespace ww::compile;

/// NVRTC needs no GPU.
class TestNvrtc : public QObject {
    Q_OBJECT

    std::unique_ptr<Compiler> m_compiler;

    CompileResult compile(const std::string& source, const std::string& entry, std::vector<std::string> templateArguments = {},
                          std::vector<std::string> options = {}) {
        CompileRequest request;
        request.target = Target::Cuda;
        request.architecture = "sm_90a";
        request.source = source;
        request.fileName = "kernel.cu";
        request.entry = entry;
        request.templateArguments = std::move(templateArguments);
        request.options = std::move(options);
        auto result = m_compiler->compile(request);
        if (result) return std::move(*result);
        CompileResult lost;
        lost.status = TrialStatus::WorkerLost;
        lost.log = result.error().message;
        return lost;
    }

private Q_SLOTS:
    void init() {
        auto compiler = makeNvrtcCompiler();
        VERIFY_OK(compiler);
        m_compiler = std::move(*compiler);
    }

    void findsTheEntry_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("entry");
        QTest::addColumn<QByteArray>("argument");
        QTest::addColumn<QByteArray>("status");
        QTest::newRow("C linkage") << QByteArray("extern \"C\" __global__ void k(float* y) { y[0] = 1; }") << QByteArray("k") << QByteArray() << QByteArray("ok");
        QTest::newRow("C++ linkage") << QByteArray("__global__ void k(float* y) { y[0] = 1; }") << QByteArray("k") << QByteArray() << QByteArray("ok");
        QTest::newRow("namespace and template") << QByteArray("namespace a { template <int N> __global__ void k(float* y) { y[0] = N; } }") << QByteArray("a::k") << QByteArray("4") << QByteArray("ok");
        QTest::newRow("static") << QByteArray("static __global__ void k(float* y) { y[0] = 1; }") << QByteArray("k") << QByteArray() << QByteArray("ok");
        // What NVRTC calls success without any kernel.
        QTest::newRow("removed by the preprocessor") << QByteArray("#ifdef NEVER\n__global__ void k(float* y) {}\n#endif\n") << QByteArray("k") << QByteArray() << QByteArray("compile_error");
        QTest::newRow("empty") << QByteArray() << QByteArray("k") << QByteArray() << QByteArray("compile_error");
        QTest::newRow("carriage returns alone") << QByteArray("// one line\r__global__ void k(float* y) { y[0] = 1; }\r") << QByteArray("k") << QByteArray() << QByteArray("compile_error");
        QTest::newRow("syntax error") << QByteArray("__global__ void k(float* y) { y[0] = ; }") << QByteArray("k") << QByteArray() << QByteArray("compile_error");
        QTest::newRow("too much static shared memory") << QByteArray("__global__ void k(float* y) { __shared__ float t[80000]; t[threadIdx.x] = y[0]; __syncthreads(); y[0] = t[1]; }")
                                                       << QByteArray("k") << QByteArray() << QByteArray("resource_error");
    }
    void findsTheEntry() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, entry);
        QFETCH(QByteArray, argument);
        QFETCH(QByteArray, status);
        const auto result = compile(source.toStdString(), entry.toStdString(), argument.isEmpty() ? std::vector<std::string>{} : std::vector{argument.toStdString()});
        QVERIFY2(toString(result.status) == status.toStdString(), result.log.c_str());
        QCOMPARE(result.object.empty(), result.status != TrialStatus::Ok);
        QVERIFY(result.status == TrialStatus::Ok || !result.log.empty());
    }

    /// What NVRTC 13.0 does with unusual sources: what it says must lead the user on.
    void facts_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("status");
        QTest::addColumn<QByteArray>("says");  // in the log
        const auto row = [](const char* name, const QByteArray& source, const char* status, const char* says = "") {
            QTest::newRow(name) << source << QByteArray(status) << QByteArray(says);
        };
        const QByteArray plain("__global__ void k(float* y) { y[0] = 1; }\n");
        row("byte order mark", "\xEF\xBB\xBF" + plain, "compile_error", "unrecognized token");
        row("CRLF after a splice", "#define A 1 + \\\r\n 2\r\n__global__ void k(float* y) { y[0] = A; }\r\n", "ok");
        row("Latin-1 and CJK comments", "// \xE9 \xE7\x9F\xA9\n" + plain, "ok");
        row("template without arguments", "template <int N> __global__ void k(float* y) { y[0] = N; }", "compile_error");
        row("constexpr function without __device__", "constexpr int twice(int a) { return 2 * a; }\n__global__ void k(float* y) { __shared__ float s[twice(4)]; s[threadIdx.x] = 1; y[0] = s[1]; }", "ok");
        row("a macro defined again", "#define BLOCK 32\n__global__ void k(float* y) { y[BLOCK] = 1; }", "ok", "has no effect");
        row("launch bounds that do not fit", "__global__ void __launch_bounds__(1024, 4) k(float* y) { y[0] = 1; }", "ok", "__launch_bounds__ is ignored");
        row("too much constant memory", "__constant__ float c[20000];\n__global__ void k(float* y) { y[0] = c[threadIdx.x]; }", "resource_error");
        row("a false static_assert", "static_assert(32 == 64, \"BLOCK must be 64\");\n" + plain, "compile_error", "BLOCK must be 64");
        row("printf, assert and size_t without headers", "__global__ void k(float* y) { size_t n = 1; assert(n); printf(\"%d\", 1); y[n] = 1; }", "ok");
        row("C headers", "#include <stdint.h>\n#include <cstdint>\n#include <cstdio>\n#include <cassert>\n#include <cstddef>\n#include <climits>\n#include <cfloat>\n"
                         "__global__ void k(float* y) { std::size_t i = uint32_t(3) + std::uint8_t(1); y[i] = FLT_MAX + INT_MAX; }", "ok");
        row("mathematics", "#include <cmath>\n#include <math.h>\n#include <algorithm>\n__global__ void k(float* y) { y[0] = std::sqrt(y[1]) + std::min(y[2], y[3]) + std::max(1, 2) + M_PI + INFINITY; }", "ok");
        row("type traits", "#include <type_traits>\n#include <limits>\n__global__ void k(float* y) { y[0] = std::is_same<int, int>::value + std::numeric_limits<float>::max(); }", "ok");
        row("half", "#include <cuda_fp16.h>\n__global__ void k(half* y) { y[0] = __float2half(1.0f); }", "ok");
        row("cooperative groups", "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void k(float* y) { cg::this_thread_block().sync(); y[0] = 1; }", "ok");
        row("a missing header", "#include \"tiles.cuh\"\n" + plain, "compile_error", "tiles.cuh");
        row("texture references", "texture<float, 2> t;\n" + plain, "compile_error", "kernel.cu(1)");
    }
    void facts() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, status);
        QFETCH(QByteArray, says);
        const auto result = compile(source.toStdString(), "k", {}, {"-DBLOCK=64"});
        QVERIFY2(toString(result.status) == status.toStdString(), result.log.c_str());
        QVERIFY2(result.log.find(says.toStdString()) != std::string::npos, result.log.c_str());
        QVERIFY(result.status == TrialStatus::Ok || !result.log.empty());
    }

    void overloadsArePickedByTheirArguments() {
        CompileRequest request;
        request.target = Target::Cuda;
        request.architecture = "sm_90a";
        request.source = "__global__ void k(float* y) { y[0] = 1; }\n__global__ void k(int* y, int n) { y[0] = n; }\n";
        request.fileName = "kernel.cu";
        request.entry = "k";
        request.argumentTypes = {"int*", "int"};
        const auto second = m_compiler->compile(request);
        VERIFY_OK(second);
        QVERIFY2(second->status == TrialStatus::Ok, second->log.c_str());
        request.argumentTypes = {"float*"};
        const auto first = m_compiler->compile(request);
        VERIFY_OK(first);
        QVERIFY2(first->status == TrialStatus::Ok, first->log.c_str());
        QVERIFY(first->entry != second->entry);
    }

    void readsThePtxasReport() {
        const auto result = compile("extern \"C\" __global__ void k(float* y) { __shared__ float t[64]; t[threadIdx.x] = y[threadIdx.x]; __syncthreads(); y[threadIdx.x] = t[63 - threadIdx.x]; }", "k");
        QVERIFY2(result.status == TrialStatus::Ok, result.log.c_str());
        QVERIFY(result.facts.registers > 0);
        QCOMPARE(result.facts.staticSharedBytes, std::int64_t{256});
        QCOMPARE(result.facts.spillStoreBytes, std::int64_t{0});
    }

    void reportsOnlyTheAskedEntry() {
        const std::string log = "ptxas info    : Compiling entry function 'other' for 'sm_90a'\n"
                                "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
                                "ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 560 bytes cmem[0]\n"
                                "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
                                "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                                "ptxas info    : Used 12 registers, used 0 barriers, 536 bytes cmem[0]\n";
        const auto facts = readPtxasReport(log, "k");
        QCOMPARE(facts.registers, std::int64_t{12});
        QCOMPARE(facts.staticSharedBytes, std::int64_t{0});
        QCOMPARE(facts.constantBytes, std::int64_t{536});
        const auto other = readPtxasReport(log, "other");
        QCOMPARE(other.spillStoreBytes, std::int64_t{8});
        QCOMPARE(other.spillLoadBytes, std::int64_t{12});
        QCOMPARE(readPtxasReport(log, "absent").registers, std::int64_t{-1});
    }

    void foreignOptionsAreLeftOutAndTold() {
        const auto result = compile("extern \"C\" __global__ void k(float* y) { y[0] = 1; }", "k", {}, {"-O3", "-Xcompiler", "--use_fast_math", "-std=c++17"});
        QVERIFY2(result.status == TrialStatus::Ok, result.log.c_str());
        QVERIFY(result.log.find("-O3") != std::string::npos);
        QVERIFY(result.log.find("-std=c++17;") == std::string::npos);
    }

    void equalProgramsHaveEqualHashes() {
        const std::string source = "#define UNUSED 3\nextern \"C\" __global__ void k(float* y) { y[0] = 1; }";
        auto other = source;
        other.replace(other.find('3'), 1, "4");
        QCOMPARE(compile(source, "k").objectHash, compile(other, "k").objectHash);
        QVERIFY(compile(source, "k").objectHash != compile("extern \"C\" __global__ void k(float* y) { y[0] = 2; }", "k").objectHash);
    }
};

int main(int argc, char** argv) {
    if (!makeNvrtcCompiler()) {
        std::puts("NVRTC is not installed: not run");
        return 77;
    }
    QCoreApplication application(argc, argv);
    TestNvrtc test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_nvrtc.moc"
