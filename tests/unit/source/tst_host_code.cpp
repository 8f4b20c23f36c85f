// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "base/file.h"
#include "result_test.h"
#include "source/host_code.h"
#include "source/include_scan.h"

using namespace ww;
using namespace ww::source;

namespace {

DeviceText separate(const std::string& text) {
    return separateHostCode(text, [](std::string_view) { return false; });
}

/// What is left, blanks squeezed, so that rows read like code.
QString left(const QByteArray& text) {
    return QString::fromStdString(separate(text.toStdString()).text).simplified();
}

constexpr const char* kKernel = "__global__ void k(float* a, int n) { a[n] = 1; }";

}  // namespace

class TestHostCode : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// `given` beside a kernel that calls use(): is it kept?
    void declarations_data() {
        QTest::addColumn<QByteArray>("given");
        QTest::addColumn<bool>("kept");
        const auto row = [](const char* given, bool kept) { QTest::addRow("%s %s", kept ? "keeps" : "drops", given) << QByteArray(given) << kept; };
        row("int main() { k<<<1, 1>>>(0, 0); return 0; }", false);
        row("int main(int argc, char** argv) { return 0; }", false);
        row("void launch(float* a) { k<<<dim3(1, 2), 1>>>(a, 0); }", false);
        row("static inline void check(cudaError_t e) { if (e) exit(1); }", false);
        row("template <typename T> void launchAll(T* a) { k<<<1, 1>>>(a, 0); }", false);
        row("extern \"C\" void launch(float* a) { k<<<1, 1>>>(a, 0); }", false);
        row("extern \"C\" { void launch(float* a) { k<<<1, 1>>>(a, 0); } }", false);
        row("namespace host { int f() { return 1; } int g = 2; }", false);
        row("int counter = 0;", false);
        row("std::vector<float> data;", false);
        row("std::vector<float> data{1, 2};", false);
        row("static cudaStream_t stream;", false);
        row("class Timer { std::chrono::seconds t; };", false);
        row("struct Timer { void start(); }; void Timer::start() { cudaDeviceSynchronize(); }", false);
        row("using Clock = std::chrono::steady_clock;", false);
        row("typedef std::vector<int> Ints;", false);
        row("using std::cout;", false);
        row("using namespace std::chrono;", false);
        row("using namespace thrust;", false);
        row("template void launchAll<float>(float*);", false);
        row("void reference(const float* x, float* y);", false);
        row("__host__ int use(int a) { return a; }", false);
        row("int use(int a) { cudaDeviceSynchronize(); return a; }", false);
        row("const char* const kName = \"k\";", false);
        row("auto lambda = [](int a) { return a; };", false);
        row("float helperOfNobody(float a) try { return a; } catch (...) { return 0; }", false);
        row("__device__ int use(int a) { return a; }", true);
        row("__host__ __device__ int use(int a) { return a; }", true);
        row("int use(int a) { return a; }", true);
        row("constexpr int use(int a) { return a * 2; }", true);
        row("template <int N> constexpr int use(int a) { return a * N; }", true);
        row("__constant__ float c[4];", true);
        row("__device__ int counter;", true);
        row("constexpr int kLimit = 4;", true);
        row("const int kLimit = 4;", true);
        row("namespace deep { namespace er { constexpr int kLimit = 4; } }", true);
        row("struct Pair { int a, b; };", true);
        row("template <typename T> struct Pair { T a; };", true);
        row("enum class Mode { A, kLimit };", true);
        row("using Pair = float2;", true);
        row("typedef struct { int a; } Pair;", true);
        row("struct Functor { __device__ float operator()(float x) const { return x; } };", true);
        row("static_assert(sizeof(int) == 4, \"int\");", true);
        row("using namespace std;", true);
        row("using namespace nvcuda;", true);
        row("template __global__ void other<float>(float*);", true);
        row("#define HD __host__ __device__\nHD int other(int a) { return a; }", true);
        row("#define DEFINE(T) __global__ void k_##T(T* a) { a[0] = 1; }\nDEFINE(int)", true);
        row("UNKNOWN_DEVICE_INLINE int other(int a) { return a; }", true);
        row("__device__ float2 operator+(float2 a, float2 b) { return a; }", true);
        row("constexpr float2 operator-(float2 a) { return a; }", true);
    }

    void declarations() {
        QFETCH(QByteArray, given);
        QFETCH(bool, kept);
        const QByteArray kernel = "__global__ void k(float* a, int n) { Pair p; a[n] = use(n) + kLimit; }";
        const QByteArray text = given + "\n" + kernel + "\n";
        const QString rest = left(text);
        const auto separated = separate(text.toStdString());
        QVERIFY2(rest.endsWith(QString::fromUtf8(kernel)), qPrintable(rest));
        QString before = rest.chopped(kernel.size()).simplified();
        if (!kept) before.remove(QRegularExpression(QStringLiteral("(namespace \\w+|extern \"C\"|[{}])"))).remove(QRegularExpression(QStringLiteral("^#.*$")));
        QVERIFY2(kept ? before == QString::fromUtf8(given).simplified() : before.trimmed().isEmpty(), qPrintable(before));
        QCOMPARE(separated.setAside.empty(), kept);
    }

    void transitively() {
        const QByteArray text = "constexpr int inner() { return 3; }\nint unused() { return 1; }\n#define SIZE (inner() + 1)\nconstexpr int kSize = SIZE;\n"
                                "struct Shape { int a[kSize]; };\n__device__ void f(Shape s) {}\n";
        QCOMPARE(left(text), QString::fromUtf8(QByteArray(text).replace("int unused() { return 1; }\n", "")).simplified());
    }

    /// Host and device functions of one name: device code calls the device one.
    void overloadsOfTheHost() {
        const QString rest = left("float f(float a) { return std::abs(a); }\n__device__ float f(int a) { return a; }\n__global__ void k(float* a) { a[0] = f(1); }");
        QVERIFY2(rest.startsWith(QStringLiteral("__device__")), qPrintable(rest));
    }

    void membersOfTheHost() {
        const QString rest = left("struct M { float* d; M(int n) : d(nullptr) {} __host__ void load() { std::fill(d, d, 1); } void alloc() { cudaMalloc(&d, 4); } int rows() const { return 1; }"
                                  " __device__ float at(int i) { return d[i]; } };\n__global__ void k(M m) { m.at(0); }");
        QVERIFY2(!rest.contains(QStringLiteral("load")) && !rest.contains(QStringLiteral("alloc")), qPrintable(rest));
        QVERIFY2(rest.contains(QStringLiteral("M(int n) : d(nullptr) {}")) && rest.contains(QStringLiteral("rows")) && rest.contains(QStringLiteral("at(int i)")), qPrintable(rest));
    }

    void offsetsLinesAndDirectivesStay() {
        const std::string text = "#include <vector>\r\n#include <cuda_fp16.h>\r\n// 说明\r\nint main() {\r\n#ifdef A\r\n  int x;  // 值\r\n#pragma omp parallel\r\n#else\r\n  int y;\r\n#endif\r\n#define LATER 3\r\n}\r\n" +
                                 std::string(kKernel);
        const auto separated = separate(text);
        QCOMPARE(separated.text.size(), text.size());
        QCOMPARE(std::count(separated.text.begin(), separated.text.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
        for (const char* stays : {"#include <cuda_fp16.h>", "// 说明", "#ifdef A", "#else", "#endif", "#define LATER 3", kKernel}) QCOMPARE(separated.text.find(stays), text.find(stays));
        for (const char* goes : {"vector", "main", "int x", "int y", "omp", "值"}) QVERIFY2(separated.text.find(goes) == std::string::npos, goes);
        QCOMPARE(separated.setAside.size(), std::size_t{2});
        QVERIFY(separated.setAside[0].what == "#include <vector>" && separated.setAside[0].firstLine == 1);
        QVERIFY(separated.setAside[1].what == "main" && separated.setAside[1].firstLine == 4 && separated.setAside[1].lastLine == 12);
        QVERIFY2(separated.note().starts_with("lines 1, 4-12 (#include <vector>, main) are host code"), separated.note().c_str());
    }

    void headers_data() {
        QTest::addColumn<QByteArray>("include");
        QTest::addColumn<bool>("kept");
        const auto row = [](const char* include, bool kept) { QTest::addRow("%s", include) << QByteArray(include) << kept; };
        row("#include <iostream>", false);
        row("#  include <cublas_v2.h> // dense", false);
        row("#include <thrust/device_vector.h>", false);
        row("#include \"missing.h\"", false);
        row("#include <cuda_runtime.h>", true);
        row("#include <cstdint>", true);
        row("#include \"tiles.cuh\"", true);
        row("#include TILES", true);
    }

    void headers() {
        QFETCH(QByteArray, include);
        QFETCH(bool, kept);
        const auto separated = separateHostCode(include.toStdString() + "\n" + kKernel, [](std::string_view name) { return name == "\"missing.h\""; });
        QCOMPARE(separated.text.find("include") != std::string::npos, kept);
        QCOMPARE(separated.setAside.empty(), kept);
    }

    void undecoratedHelpersAreTold() {
        const auto separated = separate("int helper(int a) { return a; }\n__global__ void k(int* a) { a[0] = helper(1); }");
        QVERIFY(separated.undecorated == std::vector<std::string>{"helper()"});
        QVERIFY(separated.setAside.empty() && separated.note().empty());
    }

    /// Brackets that do not match end the reading; a kernel never goes.
    void brokenText_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("missing brace") << QByteArray("int main() { if (1) {\n}\n__global__ void k(float* a) { a[0] = 1; }\n");
        QTest::newRow("extra brace") << QByteArray("int f() { return 1; } }\n__global__ void k(float* a) { a[0] = 1; }\n");
        QTest::newRow("branches with braces") << QByteArray("#ifdef A\nint f(int a) {\n#else\nint f() {\n#endif\n return 1; }\n__global__ void k(float* a) { a[0] = 1; }\n");
        QTest::newRow("only a brace") << QByteArray("{");
        QTest::newRow("only words") << QByteArray("template < class");
        QTest::newRow("nothing") << QByteArray();
    }

    void brokenText() {
        QFETCH(QByteArray, text);
        const auto separated = separate(text.toStdString());
        QCOMPARE(separated.text.size(), static_cast<std::size_t>(text.size()));
        QCOMPARE(separated.text.find("__global__") == std::string::npos, !text.contains("__global__"));
    }

    void includesAreFound() {
        QTemporaryDir folder;
        const std::filesystem::path root(folder.path().toStdString());
        std::filesystem::create_directories(root / "自 己" / "sub");
        std::filesystem::create_directories(root / "toolkit");
        const auto put = [&](const std::filesystem::path& file, const std::string& text) { VERIFY_OK(writeFileAtomically(root / file, text)); };
        put("自 己/tiles.cuh", "#pragma once\n#include \"sub/inner.h\"\n#include \"tiles.cuh\"\n");
        put("自 己/sub/inner.h", "#include \"beside.h\"\n#include <system.h>\n#include <absent/too.h>\n");
        put("自 己/sub/beside.h", "");
        put("toolkit/system.h", "#include <never_followed.h>\n");
        const std::vector<IncludeFolder> folders{{root / "自 己", "the kernel's folder", true}, {root / "toolkit", "the CUDA Toolkit", false}};
        const auto found = resolveIncludes("#include \"tiles.cuh\"\n\n#include <absent.h>\n#include <system.h>\n", folders);
        QStringList lines;
        for (const auto& one : found) {
            lines += QString::fromStdString(one.written + " " + (one.file.empty() ? std::string("-") : one.file.lexically_relative(root).string()) + " " + one.foundIn + " " + std::to_string(one.line));
        }
        QCOMPARE(lines, (QStringList{QStringLiteral("\"tiles.cuh\" 自 己/tiles.cuh the kernel's folder 1"), QStringLiteral("<absent.h> -  3"),
                                     QStringLiteral("<system.h> toolkit/system.h the CUDA Toolkit 4"), QStringLiteral("\"sub/inner.h\" 自 己/sub/inner.h beside the including file 2"),
                                     QStringLiteral("\"beside.h\" 自 己/sub/beside.h beside the including file 1"), QStringLiteral("<absent/too.h> -  3")}));
    }
};

QTEST_GUILESS_MAIN(TestHostCode)
#include "tst_host_code.moc"
