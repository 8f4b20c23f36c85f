// SPDX-License-Identifier: Apache-2.0
#include "cli_runner.h"

/// Kernel files as engineers have them lying about: in any encoding, with their host code, templates and odd paths.
class TestCliFiles : public QObject {
    Q_OBJECT

    static QByteArray plain() {
        return "// 缩放 Größe\n#ifndef TILE\n#define TILE 64\n#endif\n"
               "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
               "    int i = blockIdx.x * TILE + threadIdx.x;\n    if (i < n) y[i] = 2.0f * x[i];\n}\n";
    }

    static QByteArray specOf(const QByteArray& kernel, const QByteArray& extra = {}) {
        return "{\"General\": {\"BenchmarkName\": \"scale\"}, \"ConfigurationSpace\": {\"TuningParameters\": [\n"
               "  {\"Name\": \"TILE\", \"Type\": \"int\", \"Values\": \"[64, 128]\", \"Default\": 64}], \"Conditions\": []},\n"
               " \"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"" + kernel + "\", \"KernelFile\": \"scale.cu\", \"GlobalSizeType\": \"CUDA\",\n"
               "   \"ProblemSize\": [20003], \"LocalSize\": {\"X\": \"TILE\"}, \"GridDivX\": [\"TILE\"], \"Arguments\": [\n"
               "    {\"Name\": \"x\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": \"ReadOnly\", \"Size\": 20003, \"FillType\": \"Random\", \"FillValue\": 1.0},\n"
               "    {\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\", \"Size\": 20003, \"FillType\": \"Constant\", \"FillValue\": 0.0},\n"
               "    {\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 20003}]},\n"
               " \"Warpwright\": {\"Version\": 1" + extra + "}}\n";
    }

private Q_SLOTS:
    void tunes_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("spec");
        QTest::addColumn<QByteArray>("told");  // on stderr or in the log; empty: nothing in particular
        const QString words = QString::fromUtf8(plain());
        QTest::newRow("no newline at the end") << plain().chopped(1) << specOf("scale") << QByteArray();
        QTest::newRow("byte order mark and CRLF") << "\xEF\xBB\xBF" + plain().replace("\n", "\r\n") << specOf("scale") << QByteArray("byte order mark");
        QTest::newRow("CR alone") << plain().replace("\n", "\r") << specOf("scale") << QByteArray("carriage return");
        QTest::newRow("UTF-16") << QByteArray(QStringEncoder(QStringEncoder::Utf16LE, QStringEncoder::Flag::WriteBom)(words)) << specOf("scale") << QByteArray("UTF-16");
        QTest::newRow("Latin-1") << plain().replace("缩放 Größe", "Gr\xF6\xDF" "e") << specOf("scale") << QByteArray("Latin-1");
        QTest::newRow("host code") << "#include <iostream>\n#include <vector>\n#include <cuda_runtime.h>\n#include \"helper_cuda.h\"\n" + plain() +
                                          "static std::vector<float> results;\nvoid launch(float* x, float* y, int n) { scale<<<(n + TILE - 1) / TILE, TILE>>>(x, y, n); }\n"
                                          "int main() {\n    float* x;\n    checkCudaErrors(cudaMalloc(&x, 4));\n    launch(x, x, 1);\n    std::cout << results.size();\n}\n"
                                   << specOf("scale") << QByteArray("host code");
        QTest::newRow("template in a namespace") << QByteArray("namespace lib {\ntemplate <typename T, int TILE = 64>\nstatic __global__ void scale(const T* x, T* y, int n) {\n"
                                                               "    int i = blockIdx.x * TILE + threadIdx.x;\n    if (i < n) y[i] = T(2) * x[i];\n}\n}\n")
                                                 << specOf("lib::scale", ", \"Entry\": {\"TemplateArguments\": [\"float\", \"TILE\"]}") << QByteArray();
        QTest::newRow("a macro of the spec's alone, before no header") << plain().replace("#ifndef TILE\n#define TILE 64\n#endif\n", "#include <cuda_fp16.h>\n") << specOf("scale") << QByteArray();
        QTest::newRow("an unknown macro in #if") << plain() + "#if WIDTH > 2\n#endif\n" << specOf("scale") << QByteArray("asks for the macro WIDTH");
    }

    void tunes() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, spec);
        QFETCH(QByteArray, told);
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("核 心 é")));
        const QString root = folder.filePath(QStringLiteral("核 心 é/"));
        cli::write(root + QStringLiteral("scale.cu"), source);
        cli::write(root + QStringLiteral("scale.json"), spec);
        const auto run = cli::run({QStringLiteral("tune"), root + QStringLiteral("scale.json"), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), root + QStringLiteral("t.db"),
                                   QStringLiteral("--json"), QStringLiteral("--no-sandbox"), QStringLiteral("--strategy"), QStringLiteral("exhaustive"), QStringLiteral("--trials"), QStringLiteral("2")});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(root + QStringLiteral("t.db"), "select count(*) from trial where status in ('ok', 'unstable')"), QByteArray("2"));
        const QByteArray notices = cli::query(root + QStringLiteral("t.db"), "select group_concat(data, ' ') from event");
        QVERIFY2((run.err + run.out + notices).contains(told), (run.err + run.out + notices).constData());
        QFile file(root + QStringLiteral("scale.cu"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), source);  // the user's file is untouched
    }
};

QTEST_GUILESS_MAIN(TestCliFiles)
#include "tst_cli_files.moc"
