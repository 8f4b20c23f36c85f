// SPDX-License-Identifier: Apache-2.0
#include <QtTest/QtTest>

#include "base/rng.h"
#include "result_test.h"
#include "source/source_model.h"

using namespace ww;
using namespace ww::source;

namespace {

/// "name(type* const name, ...)<template parameters>[launch bounds]{C}" of every entry, one string to compare.
QString describe(const SourceModel& model) {
    std::string out;
    for (const Entry& entry : model.entries) {
        if (!out.empty()) out += "; ";
        out += entry.qualifiedName + "(";
        for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
            const KernelArgument& argument = entry.arguments[i];
            out += (i == 0 ? "" : ", ") + std::string(argument.isConst ? "const " : "") + argument.type + (argument.pointer ? "* " : " ") +
                   argument.name;
        }
        out += ")";
        for (const TemplateParameter& parameter : entry.templateParameters) {
            out += "<" + parameter.type + " " + parameter.name + (parameter.defaultText ? "=" + *parameter.defaultText : "") + ">";
        }
        if (!entry.launchBounds.empty()) out += "[" + entry.launchBounds + "]";
        if (entry.externC) out += "{C}";
    }
    return QString::fromStdString(out);
}

}  // namespace

class TestSourceModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void entries_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        QTest::newRow("plain") << "__global__ void k(float* a, int n) {}" << "k(float* a, int n)";
        QTest::newRow("qualifiers") << "__global__ void k(const float* __restrict__ a, float const *b, float* const c, const unsigned long long n) {}"
                                    << "k(const float* a, const float* b, float* c, unsigned long long n)";
        QTest::newRow("no arguments") << "__global__ void k(void) {} __global__ void l() {}" << "k(); l()";
        QTest::newRow("reference and arrays") << "__global__ void k(float const& r, const T x[], float** p, int (*q)[4]) {}"
                                              << "k(float r, const T* x, float** p, int** q)";
        QTest::newRow("extern C single") << "extern \"C\" __global__ void k(int n) {}" << "k(int n){C}";
        QTest::newRow("extern C block") << "extern \"C\" {\n__global__ void k() {}\nstatic __global__ void l() {}\n}\n__global__ void m() {}"
                                        << "k(){C}; l(){C}; m()";
        QTest::newRow("extern C++") << "extern \"C++\" __global__ void k() {}" << "k()";
        QTest::newRow("static either side") << "static __global__ void k() {} __global__ static void l() {}" << "k(); l()";
        QTest::newRow("bounds after type") << "__global__ void __launch_bounds__(256, 2) k() {}" << "k()[256, 2]";
        QTest::newRow("bounds before") << "__launch_bounds__(B * (2 + 1)) __global__ void k() {}" << "k()[B * (2 + 1)]";
        QTest::newRow("bounds before type") << "__global__ __launch_bounds__( 64 ) void k() {}" << "k()[64]";
        QTest::newRow("namespaces") << "namespace a::b { namespace { namespace c { __global__ void k() {} } } __global__ void l() {} }"
                                    << "a::b::c::k(); a::b::l()";
        QTest::newRow("template") << "template <typename T, int B = 128, bool V>\n__global__ void k(T* __restrict__ p) {}"
                                  << "k(T* p)<typename T><int B=128><bool V>";
        QTest::newRow("template defaults") << "template <class T = float, size_t N = (1 << 4), template <class> class C>\n__global__ void k(C<T> c) {}"
                                           << "k(C<T> c)<typename T=float><size_t N=(1 << 4)><typename C>";
        QTest::newRow("cutlass prefix") << "CUTLASS_GLOBAL void k(int a) {}\nCUTLASS_DEVICE int f(int x) { return x; }" << "k(int a)";
        QTest::newRow("own prefix") << "#define KERNEL __global__\nKERNEL void k(int a) {}" << "k(int a)";
        QTest::newRow("own prefix with bounds") << "#define KERNEL extern \"C\" __global__\nKERNEL\nvoid k(int a) {}" << "k(int a){C}";
        QTest::newRow("own prefix with type") << "#define KERNEL extern \"C\" __global__ void\nKERNEL k(int a) {}" << "k(int a){C}";
        QTest::newRow("attributes") << "[[nodiscard]] __global__ void __cluster_dims__(2, 1, 1) k(const __grid_constant__ P p) {}" << "k(P p)";
        QTest::newRow("maxnreg") << "__global__ void __maxnreg__(64) k(float *a) {}" << "k(float* a)";
        QTest::newRow("odd layout") << "__global__\r\nvoid\r\nk\r\n(\r\nfloat\r\n*\r\na\r\n)\r\n{\r\n}\r\n" << "k(float* a)";
        QTest::newRow("prototype first") << "__global__ void k(int);\n__global__ void k(int n) {}" << "k(int n)";
        QTest::newRow("library types") << "__global__ void k(half2 const* a, std::size_t n, ns::V<int, 3>* q, cuda::std::array<float, 4> z) {}"
                                       << "k(const half2* a, std::size_t n, ns::V<int, 3>* q, cuda::std::array<float, 4> z)";
        QTest::newRow("default argument") << "template <int N> __global__ void k(int a, int b = 3) {}" << "k(int a, int b)<int N>";
        QTest::newRow("comments") << "/* __global__ void no() {} */ // __global__ void neither() {}\n__global__ /* 说明 */ void k(int /*n*/ n) {}" << "k(int n)";
        QTest::newRow("host code") << "__global__ void k(float* a) {}\nint main() { float* a = nullptr; k<<<dim3(2, 3), 256, 0, s>>>(a); auto f = [&](int x) { return x; }; return f(0); }"
                                   << "k(float* a)";
    }

    void entries() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        const auto model = parseCuda(text.toStdString());
        VERIFY_OK(model);
        QCOMPARE(describe(*model), expected);
        QVERIFY2(model->problems.empty(), model->problems.empty() ? "" : model->problems.front().text.c_str());
    }

    void rangesAndLines() {
        const std::string text = "\xEF\xBB\xBF// first\n\ntemplate <int N>\n__global__ void\nk(int n) { n = N; }\n";
        const auto model = parseCuda(text);
        VERIFY_OK(model);
        const Entry& entry = model->entries.front();
        QCOMPARE(entry.line, 5);
        QVERIFY(text.substr(entry.body.begin, entry.body.end - entry.body.begin) == "{ n = N; }");
        QVERIFY(text.substr(entry.range.begin, 10) == "__global__");
        QVERIFY(model->text == text);
    }

    void findsByEitherName() {
        const auto model = parseCuda("namespace a { __global__ void k() {} } namespace b { __global__ void k(int n) {} }");
        VERIFY_OK(model);
        QCOMPARE(model->entries.size(), std::size_t{2});
        QVERIFY(model->findEntry("k") == &model->entries[0]);
        QVERIFY(model->findEntry("b::k") == &model->entries[1]);
        QVERIFY(model->findEntry("c::k") == nullptr);
    }

    void errors_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << QByteArray() << "the file is empty";
        QTest::newRow("blank") << QByteArray(" \n\t\r\n") << "the file is empty";
        QTest::newRow("only a BOM") << QByteArray("\xEF\xBB\xBF") << "the file is empty";
        QTest::newRow("comment only") << QByteArray("// nothing\n") << "there is no function definition";
        QTest::newRow("one host function") << QByteArray("int main() { return 0; }\n") << "there is 1 function (main)";
        QTest::newRow("three functions") << QByteArray("void a() {} __device__ int b() { return 1; } void c() {}") << "there are 3 functions, none is __global__";
        QTest::newRow("prototype only") << QByteArray("__global__ void k(int);\nvoid host() {}") << "only declared";
        QTest::newRow("in a string") << QByteArray("const char* s = \"__global__ void k() {}\";") << "no kernel in it";
        QTest::newRow("UTF-16 with BOM") << QByteArray("\xFF\xFE_\0_\0", 6) << "iconv -f UTF-16";
        QTest::newRow("UTF-16 without BOM") << QByteArray("v\0o\0i\0d\0", 8) << "NUL";
        QTest::newRow("CR only") << QByteArray("#define X 1\r__global__ void k() {}\r") << "carriage return";
        QTest::newRow("broken") << QByteArray("void k(float* a { a[0] = 1; }\n") << "syntax error";
    }

    void errors() {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        const auto model = parseCuda(text.toStdString(), "some.cu");
        COMPARE_ERR(model, ErrorCode::ParseError);
        const QString message = QString::fromStdString(model.error().toString());
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY(message.startsWith("some.cu: "));
    }

    void missingFile() { COMPARE_ERR(loadCuda("/nonexistent/kernel.cu"), ErrorCode::NotFound); }

    void syntaxProblems() {
        const auto model = parseCuda("__global__ void k(int* a) {\n    a[0] = ;\n}\n");
        VERIFY_OK(model);
        QCOMPARE(model->entries.size(), std::size_t{1});
        QVERIFY(!model->problems.empty());
        QCOMPARE(model->problems.front().line, 2);
        QVERIFY(model->problems.front().column >= 10);
        QVERIFY(parsesNoWorse(model->text, model->problems.size()));
        QVERIFY(!parsesNoWorse(model->text, model->problems.size() - 1));
        QVERIFY(parsesNoWorse("int x;", 0));
        QVERIFY(!parsesNoWorse("int x = = ;", 0));
    }

    void includes() {
        const auto model = parseCuda("#include <cuda_fp16.h> // half\n#  include \"my file.h\"\n#include HEADER\n__global__ void k() {}\n");
        VERIFY_OK(model);
        QVERIFY((model->includes == std::vector<std::string>{"<cuda_fp16.h>", "\"my file.h\"", "HEADER"}));
    }

    void features_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("present");
        const auto row = [](const char* body, const char* id, bool present = true) {
            QTest::addRow("%s %s", present ? "has" : "has no", body) << body << id << present;
        };
        row("asm volatile(\"mov.u32 %0, %1;\" : \"=r\"(n) : \"r\"(n));", "inline_ptx");
        row("asm(\"mma.sync.aligned.m16n8k8.row.col.f32 {%0};\" :: \"r\"(n));", "mma");
        row("asm(\"wgmma.mma_async.sync.aligned;\");", "wgmma");
        row("asm(\"cp.async.bulk.tensor.2d;\");", "tma");
        row("asm(\"cp.async.ca.shared.global [%0], [%1], 16;\" :: \"r\"(n), \"l\"(a));", "cp_async");
        row("nvcuda::wmma::mma_sync(c, x, y, c);", "mma");
        row("auto grid = cooperative_groups::this_grid(); grid.sync();", "grid_sync");
        row("a[0] = tex2D<float>(t, 0, 0);", "texture");
        row("surf2Dwrite(1.0f, s, 0, 0);", "surface");
        row("k<<<1, 1>>>(a, n);", "dynamic_parallelism");
        row("a[0] = n << 2;", "dynamic_parallelism", false);
        row("__shared__ float s[4];", "shared_static");
        row("__shared__ float s[4];", "shared_dynamic", false);
        row("extern __shared__ float s[];", "shared_dynamic");
        row("extern __shared__ float s[];", "shared_static", false);
        row("__syncthreads();", "barrier");
        row("a[0] = __shfl_xor_sync(~0u, a[0], 1);", "warp_shuffle");
        row("if (__any_sync(~0u, n)) a[0] = 1;", "warp_vote");
        row("__syncwarp();", "syncwarp");
        row("atomicAdd(a, 1.0f);", "atomic");
        row("__half h = __float2half(1.0f);", "half");
        row("__nv_bfloat16 h;", "bfloat16");
        row("printf(\"%d\", n);", "printf");
        row("assert(n > 0);", "assert");
        row("double d = n;", "double");
        row("float4 v = make_float4(0, 0, 0, 0);", "vector_types");
        row("a[0] = __ldg(a + 1);", "ldg");
        row("// asm __shfl_sync double\n", "double", false);
        row("a[0] = \"double\"[0];", "double", false);
    }

    void features() {
        QFETCH(QString, body);
        QFETCH(QString, id);
        QFETCH(bool, present);
        const QString text = "__global__ void k(float* a, int n)\n{\n" + body + "\n}\n";
        const auto model = parseCuda(text.toStdString());
        VERIFY_OK(model);
        QCOMPARE(model->hasFeature(id.toStdString()), present);
        for (const Feature& feature : model->features) QVERIFY(feature.line == 3 && !feature.text.empty());
    }

    void hostFeaturesDoNotCount() {
        const auto model = parseCuda("__global__ void k(float* a) { a[0] = 1; }\n"
                                     "int main() { double d = 1; printf(\"%f\", d); assert(d > 0); k<<<1, 1>>>(nullptr); }\n");
        VERIFY_OK(model);
        QVERIFY(model->features.empty());
    }

    void fileScopeFeatures() {
        const auto model = parseCuda("__constant__ float c[4];\n__managed__ int m;\ntexture<float, 2> t;\n"
                                     "__global__ void __launch_bounds__(128) k(float* a) { a[0] = c[0] + m; }\n");
        VERIFY_OK(model);
        QVERIFY(model->hasFeature("constant_memory") && model->hasFeature("managed") && model->hasFeature("texture") &&
                model->hasFeature("launch_bounds"));
    }

    void sharedArrays() {
        const auto model = parseCuda("#define T 8\n__global__ void k() {\n  __shared__ float a[T][T + 1], b;\n"
                                     "  extern __shared__ __align__(16) unsigned char raw[];\n  __shared__ ns::V<int> q[2 * T];\n}\n");
        VERIFY_OK(model);
        QVERIFY(model->problems.empty());
        QCOMPARE(model->sharedArrays.size(), std::size_t{4});
        const auto& arrays = model->sharedArrays;
        QVERIFY(arrays[0].name == "a" && arrays[0].elementType == "float" && !arrays[0].dynamic);
        QVERIFY((arrays[0].extents == std::vector<std::string>{"T", "T + 1"}));
        QVERIFY(arrays[1].name == "b" && arrays[1].extents.empty());
        QVERIFY(arrays[2].name == "raw" && arrays[2].dynamic && arrays[2].elementType == "unsigned char" && arrays[2].line == 4);
        QVERIFY(arrays[3].elementType == "ns::V<int>" && arrays[3].extents == std::vector<std::string>{"2 * T"});
    }

    void nameUses() {
        const auto model = parseCuda("#define A 4\nconstexpr int B = 2;\nenum { E = 3 };\n// ONLY_IN_COMMENT\n"
                                     "template <int T> __global__ void k(int* p) { const int local = A + B + E + T; p[local] = WANTED; }\n");
        VERIFY_OK(model);
        for (const char* name : {"A", "B", "E", "T", "k", "p", "local"}) QVERIFY2(nameUse(*model, name) == NameUse::Defined, name);
        QVERIFY(nameUse(*model, "WANTED") == NameUse::Used);
        QVERIFY(nameUse(*model, "ONLY_IN_COMMENT") == NameUse::Absent);
        QVERIFY((undefinedNames(*model, {"A", "WANTED", "BLOCK", "local"}) == std::vector<std::string>{"WANTED"}));
    }

    void deepNesting_data() {
        QTest::addColumn<QString>("open");
        QTest::addColumn<QString>("middle");
        QTest::addColumn<QString>("close");
        QTest::newRow("parentheses") << "(" << "1" << ")";
        QTest::newRow("subscripts") << "a[" << "0" << "]";
        QTest::newRow("negations") << "!" << "n" << "";
        QTest::newRow("conditionals") << "n ? 1 : " << "2" << "";
    }

    /// Recursion over the tree would need far more than the stack's 8 MiB.
    void deepNesting() {
        QFETCH(QString, open);
        QFETCH(QString, middle);
        QFETCH(QString, close);
        const int depth = 20000;
        const QString text = "__global__ void k(int* a, int n) { a[0] = " + open.repeated(depth) + middle + close.repeated(depth) + "; }";
        const auto model = parseCuda(text.toStdString());
        VERIFY_OK(model);
        QCOMPARE(model->entries.size(), std::size_t{1});
    }

    void deepBlocks() {
        const QString text = "__global__ void k(int* a) {" + QString("for (;;) {").repeated(5000) + "a[0] = 1;" + QString("}").repeated(5000) + "}";
        const auto model = parseCuda(text.toStdString());
        VERIFY_OK(model);
        QCOMPARE(model->counts.byName.at("loop_depth_max"), 5000);
    }

    /// Ten times the text must not need a hundred times the work: 3 MB would take minutes if anything were quadratic.
    void largeFile() {
        std::string text;
        for (int i = 0; text.size() < 3'000'000; ++i) {
            const std::string n = std::to_string(i);
            text += "#define P" + n + " 64\n__global__ void k" + n + "(float* a, int n) {\n  const int i = blockIdx.x * P" + n +
                    " + threadIdx.x;\n  if (i < n) a[i] = a[i * 2] + 1.0f;\n}\n";
        }
        const auto model = parseCuda(std::move(text));
        VERIFY_OK(model);
        QVERIFY(model->entries.size() > 15000);
        QCOMPARE(model->parameters.size(), model->entries.size());
    }

    /// Damaged text must give a model or an error, never a crash; run under the sanitizers in CI.
    void damagedText() {
        const std::string text = "#ifndef T\n#define T 16 /* 瓦片 */\n#endif\ntemplate <int N = 4> __global__ void k(const float* a, float* b) {\n"
                                 "  __shared__ float s[T][T + 1];\n  const char* r = R\"(x\")\";\n#pragma unroll\n  for (int i = 0; i < N; ++i) "
                                 "s[threadIdx.y][i] = a[i];\n  asm volatile(\"bar.sync 0;\");\n  b[threadIdx.x] = s[0][1] * 'x';\n}\n";
        SplitMix64 rng(7);
        int models = 0;
        for (int round = 0; round < 400; ++round) {
            std::string damaged = text;
            for (int edit = 0; edit < 3; ++edit) {
                const std::size_t at = rng.below(damaged.size());
                switch (rng.below(3)) {
                    case 0: damaged.erase(at, 1 + rng.below(8)); break;
                    case 1: damaged.insert(at, 1, "(){}[]<>\"'#\\/*\n,;"[rng.below(17)]); break;
                    default: damaged[at] = static_cast<char>(1 + rng.below(255)); break;
                }
            }
            const auto model = parseCuda(damaged);
            if (!model) continue;
            ++models;
            QVERIFY(model->text == damaged);
            for (const ParameterSite& site : model->parameters) {
                QVERIFY(site.value.begin <= site.value.end && site.value.end <= damaged.size());
                QVERIFY(damaged.substr(site.value.begin, site.value.end - site.value.begin) == site.text);
            }
        }
        QVERIFY(models > 200);
    }

    void manyComments() {
        std::string text = "#define BLOCK 64 /* one\n two */\n";
        for (int i = 0; i < 70'000; ++i) text += i % 2 == 0 ? "/* x */\n" : "// y\n";
        text += "__global__ void k(float* y) { y[threadIdx.x] = BLOCK; /* \n */ }\n";
        const auto model = parseCuda(text);
        VERIFY_OK(model);
        QCOMPARE(model->entries.size(), std::size_t{1});
        QCOMPARE(model->entries[0].line, 70'003);
        QVERIFY(model->findParameter("BLOCK") != nullptr);
        QVERIFY(model->text == text);
    }
};

QTEST_GUILESS_MAIN(TestSourceModel)
#include "tst_source_model.moc"
