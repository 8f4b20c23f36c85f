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
        return result ? std::move(*result) : CompileResult{TrialStatus::WorkerLost, {}, {}, result.error().message, {}, {}, 0, false};
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
