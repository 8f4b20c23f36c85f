// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QTemporaryDir>

#include <fstream>

#include "result_test.h"
#include "spec/spec.h"

using namespace ww;
using namespace ww::spec;

namespace {

Result<Spec> fromText(const QTemporaryDir& folder, const QString& text) {
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "k.cu";
    std::ofstream(path) << text.toStdString();
    return load(path);
}

constexpr const char* kScale = R"j(
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 128
#endif
__global__ void scale(const float* x, float* y, float* both, float factor, int n) {
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (i < n) { y[i] = factor * x[i]; both[i] += 1; }
}
)j";

}  // namespace

class TestSpecSource : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void guessesALaunch();
    void proposesTheBlockSize();
    void findsTheBlockSizeByItsUse_data();
    void findsTheBlockSizeByItsUse();
    void takesDefaultsFromTheSource();
    void proposesGeometry_data();
    void proposesGeometry();
    void fillsIndicesInRange();
    void keepsTheNamespaceWhereItIsNeeded();
    void saysWhatIsLeftAlone();
    void saysWhatTheSpecMustGive_data();
    void saysWhatTheSpecMustGive();
};

void TestSpecSource::findsTheBlockSizeByItsUse_data() {
    QTest::addColumn<QString>("index");
    QTest::newRow("name after") << "blockIdx.x * NT + threadIdx.x";
    QTest::newRow("name before") << "NT * blockIdx.x + threadIdx.x";
    QTest::newRow("dense") << "threadIdx.x+blockIdx.x*NT";
}

void TestSpecSource::findsTheBlockSizeByItsUse() {
    QFETCH(QString, index);
    QTemporaryDir folder;
    const auto spec = fromText(folder, QStringLiteral("#define NT 128\n__global__ void k(const float* x, float* y, int n) {\n"
                                                      "    int i = %1;\n    if (i < n) y[i] = x[i];\n}\n").arg(index));
    VERIFY_OK(spec);
    QVERIFY(spec->localSize[0].has_value());
    QCOMPARE(spec->localSize[0]->text(), std::string("NT"));
}

void TestSpecSource::guessesALaunch() {
    QTemporaryDir folder;
    const auto spec = fromText(folder, kScale);
    VERIFY_OK(spec);
    VERIFY_OK(checkTunable(*spec));
    QCOMPARE(spec->kernelName, std::string("scale"));
    QCOMPARE(spec->sizes.at("n"), std::int64_t{1} << 20);
    QVERIFY(spec->arguments[0].access == Access::ReadOnly && spec->arguments[0].fill == Fill::Random && !spec->arguments[0].output);
    QVERIFY(spec->arguments[1].access == Access::WriteOnly && spec->arguments[1].output);
    QVERIFY(spec->arguments[2].access == Access::ReadWrite && spec->arguments[2].output);
    QVERIFY(spec->reference.kind == ReferenceKind::Default);
    QVERIFY(spec->notes.size() >= 7);
    const auto space = makeSpace(*spec, spec->workloads.front(), nullptr);
    VERIFY_OK(space);
    const auto launch = resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), spec->workloads.front());
    VERIFY_OK(launch);
    QCOMPARE(launch->block[0], 128u);
    QCOMPARE(launch->grid[0], (1u << 20) / 128u);
    QCOMPARE(launch->arguments[3].scalar.asDouble(), 1.5);
    QCOMPARE(launch->arguments[4].scalar.asInt(), std::int64_t{1} << 20);
    const auto again = parse(toT1(*spec).dump(), std::filesystem::path(folder.path().toStdString()) / "k.json");
    VERIFY_OK(again);
    QCOMPARE(toT1(*again).dump(1), toT1(*spec).dump(1));
}

void TestSpecSource::proposesTheBlockSize() {
    QTemporaryDir folder;
    const auto spec = fromText(folder, "__global__ void twice(float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] *= 2; }\n");
    VERIFY_OK(spec);
    QCOMPARE(spec->parameters.size(), 1u);
    QCOMPARE(spec->parameters[0].name, std::string("block_size_x"));
    QVERIFY(spec->parameters[0].site == space::Site::Launch);
}

void TestSpecSource::takesDefaultsFromTheSource() {
    QTemporaryDir folder;
    VERIFY_OK(fromText(folder, kScale));
    const std::filesystem::path path = folder.path().toStdString();
    std::ofstream(path / "s.json") << R"j({"ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK_SIZE", "Values": [64, 128]}, {"Name": "bx", "Values": [1, 2]}]},
        "KernelSpecification": {"KernelName": "scale", "KernelFile": "k.cu", "LocalSize": {"X": "BLOCK_SIZE * bx"}}})j";
    const auto spec = load(path / "s.json");
    VERIFY_OK(spec);
    QCOMPARE(spec->parameters[0].defaultIndex, 1u);
    QVERIFY(spec->parameters[0].site == space::Site::Macro);
    QVERIFY(spec->parameters[1].site == space::Site::Launch);
}

void TestSpecSource::saysWhatTheSpecMustGive_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    const QString block = "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 128\n#endif\n";
    QTest::newRow("struct pointer") << block + "struct S { int a; };\n__global__ void k(S* s, float* y) { y[threadIdx.x + BLOCK_SIZE] = s->a; }\n" << "a pointer to S";
    QTest::newRow("struct") << block + "struct S { int a; };\n__global__ void k(S s, float* y) { y[threadIdx.x + BLOCK_SIZE] = s.a; }\n" << "takes \"s\", a S";
    QTest::newRow("no output") << block + "__global__ void k(const float* x, int n) { int i = BLOCK_SIZE; }\n" << "writes to no pointer";
}

void TestSpecSource::saysWhatTheSpecMustGive() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const auto spec = fromText(folder, text);
    COMPARE_ERR(spec, ErrorCode::InvalidSpec);
    const QString message = QString::fromStdString(spec.error().toString());
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.contains("spec"), qPrintable(message));
}

void TestSpecSource::proposesGeometry_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("launch");  // grid, block, dynamic shared bytes at the defaults
    QTest::addColumn<QString>("elements");
    QTest::newRow("work per thread") << "#define BLOCK 128\n#define ITEMS 4\nconstexpr int TILE = BLOCK * ITEMS;\n"
        "__global__ void k(const float* x, float* y, unsigned count) { unsigned base = blockIdx.x * TILE + threadIdx.x;\n"
        "for (int j = 0; j < ITEMS; ++j) { unsigned i = base + j * BLOCK; if (i < count) y[i] = x[i]; } }\n" << "2048 1 1, 128 1 1, 0" << "1048576 1048576";
    QTest::newRow("items outside") << "#define BLOCK 128\n#define ITEMS 4\n__global__ void k(float* y, int n) { int i = (blockIdx.x * BLOCK + threadIdx.x) * ITEMS; if (i < n) y[i] = 1; }\n"
        << "2048 1 1, 128 1 1, 0" << "1048576";
    QTest::newRow("tiles") << "#ifndef TILE\n#define TILE 16\n#endif\n__global__ void k(const float* in, float* out, int width, int height) {\n"
        "int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y; if (x < width && y < height) out[y * width + x] = in[y * width + x]; }\n"
        << "64 64 1, 16 16 1, 0" << "1048576 1048576";
    QTest::newRow("block per row") << "template <int BLOCK_SIZE = 128>\n__global__ void k(const float* x, float* y, int rows, int cols) { int row = blockIdx.x;\n"
        "for (int c = threadIdx.x; c < cols; c += BLOCK_SIZE) y[row * cols + c] = x[row * cols + c]; }\n" << "1024 1 1, 128 1 1, 0" << "1048576 1048576";
    QTest::newRow("matrices") << "#define T 16\n__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {\n"
        "int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x; if (row < M && col < N) { float s = 0;\n"
        "for (int k = 0; k < K; ++k) s += A[row * K + k] * B[k * N + col]; C[row * N + col] = s; } }\n" << "32 32 1, 16 16 1, 0" << "262144 262144 262144";
    QTest::newRow("volume") << "__global__ void k(const float* in, float* out, int nx, int ny, int nz) { int x = blockIdx.x * blockDim.x + threadIdx.x,\n"
        "y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;\n"
        "if (x < nx - 1 && y < ny - 1 && z < nz - 1) out[(z * ny + y) * nx + x] = in[(z * ny + y) * nx + x + 1]; }\n" << "4 16 128, 32 8 1, 0" << "2097152 2097152";
    QTest::newRow("templates without defaults") << "template <int block_size_x, int block_size_y, int tile>\n__global__ void k(int WIDTH, float* C) {\n"
        "int x = blockIdx.x * block_size_x * tile + threadIdx.x, y = blockIdx.y * block_size_y + threadIdx.y; C[y * WIDTH + x] = 1; }\n"
        << "64 64 1, 16 16 1, 0" << "1048576";
    QTest::newRow("type and shared bytes") << "template <typename T> __global__ void k(const T* in, T* out, int n) { extern __shared__ float s[];\n"
        "int i = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x] = i < n ? in[i] : 0; if (threadIdx.x == 0) atomicAdd(out, s[0]); }\n"
        << "4096 1 1, 256 1 1, 1024" << "1048576 1048576";
    QTest::newRow("rows of a macro's length") << "#define N 512\n#define threadsPerBlock 64\n__global__ void k(float* y, const float* x, const int rows) { int r = blockIdx.x;\n"
        "if (r >= rows) return; for (int c = threadIdx.x; c < N; c += threadsPerBlock) y[r * N + c] = x[r * N + c]; }\n" << "2048 1 1, 64 1 1, 0" << "1048576 1048576";
    QTest::newRow("unguarded rows of a number's length") << "#define TPB 64\n__global__ void k(float* y, const float* x, int rows) { int r = blockIdx.x;\n"
        "for (int c = threadIdx.x; c < 32; c += TPB) y[r * 32 + c] = x[r * 32 + c]; }\n" << "32768 1 1, 64 1 1, 0" << "1048576 1048576";
    QTest::newRow("a claim is no guard") << "#define BLOCK 64\n__global__ void k(float* y, const float* x, int n) { int i = blockIdx.x * BLOCK + threadIdx.x;\n"
        "assert((i < 100)); __builtin_assume(100 > i); if (i < n) y[i] = x[i]; }\n" << "16384 1 1, 64 1 1, 0" << "1048576 1048576";
    QTest::newRow("one block") << "#define BLOCK_SIZE 128\n__global__ void k(float* y, int n) { for (int i = threadIdx.x; i < n; i += BLOCK_SIZE) y[i] = 1; }\n"
        << "1 1 1, 128 1 1, 0" << "1048576";
}

void TestSpecSource::proposesGeometry() {
    QFETCH(QString, text);
    QFETCH(QString, launch);
    QFETCH(QString, elements);
    QTemporaryDir folder;
    const auto spec = fromText(folder, text);
    VERIFY_OK(spec);
    VERIFY_OK(checkTunable(*spec));
    const auto space = makeSpace(*spec, spec->workloads.front(), nullptr);
    VERIFY_OK(space);
    const auto got = resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), spec->workloads.front());
    VERIFY_OK(got);
    QCOMPARE(QString("%1 %2 %3, %4 %5 %6, %7").arg(got->grid[0]).arg(got->grid[1]).arg(got->grid[2]).arg(got->block[0]).arg(got->block[1])
                 .arg(got->block[2]).arg(got->dynamicSharedBytes), launch);
    QStringList sizes;
    for (const auto& argument : got->arguments) {
        if (argument.memory == MemoryKind::Vector) sizes.push_back(QString::number(argument.elements));
    }
    QCOMPARE(sizes.join(' '), elements);
    const auto again = parse(toT1(*spec).dump(), std::filesystem::path(folder.path().toStdString()) / "k.json");
    VERIFY_OK(again);
    QCOMPARE(toT1(*again).dump(1), toT1(*spec).dump(1));
}

void TestSpecSource::fillsIndicesInRange() {
    QTemporaryDir folder;
    const auto spec = fromText(folder, "#define BLOCK_SIZE 128\n__global__ void k(const int* index, const float* x, float* y, int n, int* hits, const int* row_ptr) {\n"
                                       "int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; if (i >= n) return; y[i] = x[index[i]] + row_ptr[i]; atomicAdd(&hits[index[i]], 1); }\n");
    VERIFY_OK(spec);
    auto small = spec->workloads.front();
    small.sizes["n"] = 3;
    const auto space = makeSpace(*spec, small, nullptr);
    VERIFY_OK(space);
    const auto launch = resolveLaunch(*spec, space->scopeFor(space->defaultConfiguration()), small);
    VERIFY_OK(launch);
    const auto generated = [&](std::size_t argument, int i) {
        expr::Scope scope;
        scope.set("i", i);
        return expr::Expression::parse(launch->arguments[argument].generator)->evaluate(scope)->asInt();
    };
    for (int i = 0; i < 3; ++i) QVERIFY(generated(0, i) >= 0 && generated(0, i) < 3);
    QVERIFY(launch->arguments[4].fill == Fill::Constant && launch->arguments[4].fillValue == 0);  // counted with atomics
    QCOMPARE(launch->arguments[5].elements, std::uint64_t{4});
    for (int i = 1; i <= 3; ++i) QVERIFY(generated(5, i) >= generated(5, i - 1) && generated(5, i) <= 3);
}

void TestSpecSource::keepsTheNamespaceWhereItIsNeeded() {
    const QString body = QStringLiteral("(float* y, const float* x, int n) { int i = blockIdx.x * B + threadIdx.x; if (i < n) y[i] = x[i]; }\n");
    const QString scoped = QStringLiteral("#define B 128\nnamespace lib {\ntemplate <typename T> __global__ void scale") + body + "}\n";
    QTemporaryDir folder;
    const auto both = fromText(folder, scoped + "__global__ void scale" + body);
    VERIFY_OK(both);
    QCOMPARE(both->kernelName, std::string("lib::scale"));
    QCOMPARE(both->templateArguments, std::vector<std::string>{"float"});
    const auto again = parse(toT1(*both).dump(), std::filesystem::path(folder.path().toStdString()) / "k.json");
    VERIFY_OK(again);
    QCOMPARE(again->kernelName, both->kernelName);
    const auto alone = fromText(folder, scoped);
    VERIFY_OK(alone);
    QCOMPARE(alone->kernelName, std::string("scale"));
}

void TestSpecSource::saysWhatIsLeftAlone() {
    QTemporaryDir folder;
    const auto spec = fromText(folder, "#define N 128\n__global__ void k(float* y) { if (threadIdx.x < N) y[threadIdx.x] = 1; }\n");
    COMPARE_ERR(spec, ErrorCode::InvalidSpec);
    const QString message = QString::fromStdString(spec.error().toString());
    QVERIFY2(message.contains("N is left alone: it looks like a problem size"), qPrintable(message));
}

QTEST_APPLESS_MAIN(TestSpecSource)
#include "tst_spec_source.moc"
