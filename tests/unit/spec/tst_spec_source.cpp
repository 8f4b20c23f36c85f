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
    QCOMPARE(spec->sizes.at("N"), std::int64_t{1} << 20);
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
    QCOMPARE(launch->arguments[3].scalar.asDouble(), 1.0);
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
    QTest::newRow("2-D") << block + "__global__ void k(float* y) { y[threadIdx.y * BLOCK_SIZE + threadIdx.x] = 1; }\n" << "uses threadIdx.y";
    QTest::newRow("struct") << block + "struct S { int a; };\n__global__ void k(S* s, float* y) { y[threadIdx.x + BLOCK_SIZE] = s->a; }\n" << "a pointer to S";
    QTest::newRow("no output") << block + "__global__ void k(const float* x, int n) { int i = BLOCK_SIZE; }\n" << "writes to no pointer";
    QTest::newRow("type parameter") << block + "template <typename T> __global__ void k(T* y) { y[BLOCK_SIZE] = 1; }\n" << "type parameter \"T\"";
    QTest::newRow("dynamic shared") << block + "__global__ void k(float* y) { extern __shared__ float s[]; s[threadIdx.x] = 1; y[BLOCK_SIZE] = s[0]; }\n" << "dynamic shared memory";
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

QTEST_APPLESS_MAIN(TestSpecSource)
#include "tst_spec_source.moc"
