// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QTemporaryDir>

#include "base/file.h"
#include "compile/compile.h"
#include "compile/host_command.h"
#include "compile/host_process.h"
#include "compile/host_source.h"
#include "result_test.h"

using namespace ww::compile;
using ww::TrialStatus;

/// Qt Test cannot print the enumeration.
static std::string word(TrialStatus status) { return std::string(ww::toString(status)); }

class TestHostCompiler : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Compiler> m_compiler;

    CompileResult compile(const std::string& source, const std::string& entry = "k", std::vector<std::string> options = {}) {
        CompileRequest request;
        request.source = source;
        request.fileName = "my kernel.cu";
        request.entry = entry;
        request.options = std::move(options);
        auto result = m_compiler->compile(request);
        if (!result) qFatal("%s", result.error().toString().c_str());
        return *result;
    }

private Q_SLOTS:
    void initTestCase() {
        auto made = makeHostCompiler(m_folder.path().toStdString());
        VERIFY_OK(made);
        m_compiler = std::move(*made);
        QVERIFY(!m_compiler->version().empty());
    }

    void needsAScratchFolder() { COMPARE_ERR(makeHostCompiler("/no/such/folder"), ww::ErrorCode::Unreadable); }

    void rewriting_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* name, const char* source, const char* expected) {
            QTest::newRow(name) << QByteArray(source) << QByteArray(expected);
        };
        row("dynamic", "void f() { extern __shared__ float s[]; }", "void f() {   float (*const s) = WwDynamicShared{}; }");
        row("dynamic at namespace scope", "extern __shared__ int s[];", "WW_MARK_SHARED_POINTER static thread_local  int (*const s) = WwDynamicShared{};");
        row("dynamic rows", "void f() { extern __shared__ int s[][4]; }", "void f() {   int (*const s)[4] = WwDynamicShared{}; }");
        row("not dynamic", "__shared__ float s[4]; extern int t[];", "__shared__ float s[4]; extern int t[];");
        row("in comments and strings", "// extern __shared__ int s[];\nauto t = \"asm\"; /* asm */", "// extern __shared__ int s[];\nauto t = \"asm\"; /* asm */");
        row("unroll", "#pragma unroll\nfor(;;);", "#pragma GCC unroll 32\nfor(;;);");
        row("unroll by macro", "#pragma unroll U // c", "#pragma GCC unroll (U) // c");
        row("unroll operator", "_Pragma(\"unroll 4\")", "_Pragma(\"GCC unroll (4)\")");
        row("byte-order mark", "\xef\xbb\xbfint a;", "int a;");
        row("raw string", "auto s = R\"x(asm)\" )x\";", "auto s = R\"x(asm)\" )x\";");
    }
    void rewriting() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, expected);
        QCOMPARE(QByteArray::fromStdString(toHostSource(source.toStdString(), Unroll::All)), expected);
    }

    void options() {
        const auto host = translateOptions({"--use_fast_math", "-DA", "-D", "B=2", "-UC", "-I/x", "--maxrregcount=32", "-Xptxas", "-v",
                                            "-std=c++14", "-O2", "-funroll-loops", "-fplugin=/x.so", "-o", "y"});
        QVERIFY(std::find(host.flags.begin(), host.flags.end(), "-ffast-math") == host.flags.end());
        QVERIFY(std::find(host.flags.begin(), host.flags.end(), "-freciprocal-math") != host.flags.end());
        QVERIFY(std::find(host.flags.begin(), host.flags.end(), "-funroll-loops") != host.flags.end());
        QVERIFY(std::find(host.flags.begin(), host.flags.end(), "-std=c++17") != host.flags.end());
        QCOMPARE(host.defines.size(), std::size_t{2});
        QCOMPARE(host.defines[1].second, std::string("2"));
        QCOMPARE(host.undefines, std::vector<std::string>{"C"});
        QCOMPARE(host.includeFolders, std::vector<std::string>{"/x"});
        const std::vector<std::string> dropped{"--maxrregcount=32", "-Xptxas -v", "-fplugin=/x.so", "-o y"};
        QCOMPARE(host.dropped, dropped);
    }

    void equalProgramsHaveEqualHashes() {
        const std::string source = "#define N 3\n__global__ void k(float* p) { p[threadIdx.x] = N; }\n";
        const auto plain = compile(source);
        QVERIFY2(plain.status == TrialStatus::Ok, plain.log.c_str());
        const auto inert = compile(source, "k", {"-DUNUSED=17", "-DN=5"});  // overridden by the source's own define
        QVERIFY2(inert.status == TrialStatus::Ok, inert.log.c_str());
        QCOMPARE(inert.objectHash, plain.objectHash);
        QVERIFY(compile("#define N 4\n__global__ void k(float* p) { p[threadIdx.x] = N; }\n").objectHash != plain.objectHash);
        QVERIFY(QDir(m_folder.path()).isEmpty());
    }

    void errorsNameTheUsersFileAndLine() {
        const auto result = compile("// one\nextern __shared__ float s[];\n#pragma unroll\n__global__ void k(float* p) {\n  p[0] = undefined;\n}\n");
        QCOMPARE(word(result.status), word(TrialStatus::CompileError));
        QVERIFY2(result.log.find("my kernel.cu:5") != std::string::npos, result.log.c_str());
    }

    void missingEntryIsACompileError() {
        const auto result = compile("__global__ void other(float* p) {}\n");
        QCOMPARE(word(result.status), word(TrialStatus::CompileError));
        QVERIFY2(result.log.find("the entry kernel k does not exist") != std::string::npos, result.log.c_str());
    }

    void refusals_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("asm") << QByteArray("asm volatile(\"bar.sync 1;\");") << QByteArray("PTX");
        QTest::newRow("wmma") << QByteArray("nvcuda::wmma::mma_sync(a, b, c, d);") << QByteArray("tensor-core");
        QTest::newRow("launch") << QByteArray("k<<<1, 1>>>(p);") << QByteArray("a launch from device code");
    }
    void refusals() {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, reason);
        const auto result = compile("__global__ void k(float* p) {\n  " + line.toStdString() + "\n}\n");
        QCOMPARE(word(result.status), word(TrialStatus::CompileError));
        const QByteArray log = QByteArray::fromStdString(result.log);
        QVERIFY2(log.startsWith("my kernel.cu:2") && log.contains("the CPU device cannot run this kernel") && log.contains(reason), log);
    }

    void everyRefusalIsNamed() {
        const auto result = compile("__global__ void k(float* p) {\n  asm(\"bar.sync 1;\");\n#if __CUDA_ARCH__\n  asm(\"x\");\n#endif\n  k<<<1, 1>>>(p);\n}\n");
        QCOMPARE(word(result.status), word(TrialStatus::CompileError));
        const QByteArray log = QByteArray::fromStdString(result.log.substr(0, result.log.find("tune it with")));
        QVERIFY2(log.contains("my kernel.cu:2") && log.contains("my kernel.cu:6") && !log.contains("my kernel.cu:4"), log);
    }

    void otherKernelsMayNeedAGpu() {
        const auto result = compile("#include <mma.h>\nusing namespace nvcuda;\n__global__ void other() { wmma::fragment<int> f; }\n"
                                    "__device__ int warp() { int i; asm(\"mov.u32 %0, %warpid;\" : \"=r\"(i)); return i; }\n"
                                    "__global__ void k(float* p) { p[0] = 1; }\n");
        QVERIFY2(result.status == TrialStatus::Ok, result.log.c_str());
    }

    void unknownSymbolsAreExplained() {
        CompileRequest request;
        request.source = "__global__ void k(float* p) { p[0] = 1; }";
        request.fileName = "k.cu";
        request.entry = "k";
        request.symbols = {"weights"};
        const auto result = m_compiler->compile(request);
        VERIFY_OK(result);
        QCOMPARE(word(result->status), word(TrialStatus::CompileError));
        QVERIFY2(result->log.starts_with("the Symbol argument weights names no variable of k.cu"), result->log.c_str());
    }

    void inactivePtxIsNoReason() {
        const auto result = compile("__global__ void k(float* p) {\n#if __CUDA_ARCH__ >= 800\n  asm volatile(\"x\");\n#endif\n  p[0] = 1;\n}\n");
        QVERIFY2(result.status == TrialStatus::Ok, result.log.c_str());
    }

    void unrollFactorsThatGccRefuses() {
        const auto result = compile("template <int N> __global__ void k(float* p) {\n#pragma unroll N\n  for (int i = 0; i < N; ++i) p[i] = i;\n}\n", "k<4>");
        QVERIFY2(result.status == TrialStatus::Ok, result.log.c_str());
    }

    void namesOfParametersDoNotReachTheHeader() {
        const auto result = compile("__global__ void k(float* p) { p[0] = T + N + x; }\n", "k", {"-DT=1", "-DN=2", "-Dx=3"});
        // x is also the name of a member of threadIdx, so the launcher's own text must have been read before.
        QVERIFY2(result.status == TrialStatus::Ok, result.log.c_str());
    }

    void deadlineKillsTheWholeGroup() {
        const auto result = runProcess({"sh", "-c", "echo begun; sleep 100 & sleep 100"}, "/tmp", std::chrono::milliseconds(300));
        VERIFY_OK(result);
        QVERIFY(result->timedOut);
        QCOMPARE(result->output, std::string("begun\n"));
        CompileRequest request;
        request.source = "__global__ void k() {}";
        request.entry = "k";
        request.deadlineSeconds = 0.001;
        const auto compiled = m_compiler->compile(request);
        VERIFY_OK(compiled);
        QCOMPARE(word(compiled->status), word(TrialStatus::CompileTimeout));
    }

    void missingProgramIsAnError() {
        COMPARE_ERR(runProcess({"no-such-compiler"}, "/tmp", std::chrono::milliseconds(1000)), ww::ErrorCode::EnvironmentMissing);
    }
};

QTEST_GUILESS_MAIN(TestHostCompiler)
#include "tst_host_compiler.moc"
