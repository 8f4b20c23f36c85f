// SPDX-License-Identifier: Apache-2.0
#include "cli_runner.h"

/// The three ways in, as a user meets them: bare file, annotated file, T1 document.
class TestCliSpec : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const QString& name) const { return m_folder.filePath(name); }

    static QByteArray kernel() {
        return "template <typename T, int items = 1, int tile = 64>\n"
               "__global__ void scale(int n, T* y, const T* x) {\n"
               "    for (int k = 0; k < items; k++) {\n"
               "        int i = blockIdx.x * tile + k * blockDim.x + threadIdx.x;\n"
               "        if (i < n) { y[i] = x[i] * 2; }\n"
               "    }\n"
               "}\n";
    }
    /// JSON written with single quotes; moc loses its way in raw strings.
    static QByteArray json(const char* text) { return QByteArray(text).replace('\'', '"'); }
    QString annotated() const {
        cli::write(path(QStringLiteral("scale.cu")), "#pragma kernel tune(threads = 32, 64) tune(items = 1, 2, 4)\n"
                                                     "#pragma kernel set(tile = threads * items) set(n = 4096)\n"
                                                     "#pragma kernel restriction(tile <= 128 && threads % 32 == 0)\n"
                                                     "#pragma kernel problem_size(n) block_size(threads) grid_divisor(tile)\n"
                                                     "#pragma kernel buffers(y[n], x[n])\n" +
                                                         kernel());
        return path(QStringLiteral("scale.cu"));
    }
    QStringList tune(const QString& spec, const QString& database) const {
        return {QStringLiteral("tune"), spec, QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(database), QStringLiteral("--json"),
                QStringLiteral("--no-sandbox"), QStringLiteral("--trials"), QStringLiteral("4"), QStringLiteral("--strategy"), QStringLiteral("random")};
    }
    int count(const QString& spec) const {
        const auto run = cli::run({QStringLiteral("space"), spec, QStringLiteral("--count"), QStringLiteral("--json")});
        return run.exitCode == 0 ? run.json()[QStringLiteral("valid")].toInt() : -1;
    }

private Q_SLOTS:
    void anAnnotatedKernelIsTuned() {
        const auto file = annotated();
        QCOMPARE(count(file), 5);  // 2 * 3 less 64 threads with 4 items
        const auto run = cli::run(tune(file, QStringLiteral("pragma.db")));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(run.json()[QStringLiteral("trials")].toInt(), 4);
        // The set variable `tile` reaches the kernel as a template argument: with another one, elements would stay unwritten.
        QCOMPARE(cli::query(path(QStringLiteral("pragma.db")), "select count(*) from trial where status in ('ok', 'unstable')"), QByteArray("4"));
    }

    void whatSpecWritesLoadsAgain() {
        const auto file = annotated();
        const auto written = path(QStringLiteral("written.json")), again = path(QStringLiteral("again.json"));
        const auto first = cli::run({QStringLiteral("spec"), file, QStringLiteral("--to"), written});
        QVERIFY2(first.exitCode == 0, first.err.constData());
        const auto second = cli::run({QStringLiteral("spec"), written, QStringLiteral("--to"), again});
        QVERIFY2(second.exitCode == 0, second.err.constData());
        QFile one(written), two(again);
        QVERIFY(one.open(QIODevice::ReadOnly) && two.open(QIODevice::ReadOnly));
        QCOMPARE(two.readAll(), one.readAll());
        QCOMPARE(count(written), 5);
        const auto run = cli::run(tune(written, QStringLiteral("written.db")));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(path(QStringLiteral("written.db")), "select count(*) from trial where status in ('ok', 'unstable')"), QByteArray("4"));
    }

    void aBareTiledKernelIsTuned() {
        cli::write(path(QStringLiteral("copy.cu")), "#ifndef TILE\n#define TILE 8\n#endif\n"
                                                    "__global__ void copy(const float* in, float* out, int width, int height) {\n"
                                                    "    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
                                                    "    if (x < width && y < height) out[y * width + x] = in[y * width + x];\n}\n");
        const auto run = cli::run(tune(path(QStringLiteral("copy.cu")), QStringLiteral("bare.db")));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(path(QStringLiteral("bare.db")), "select count(*) from trial where status in ('ok', 'unstable')"), QByteArray("4"));
    }

    void recordedResultsAreAReference() {
        cli::write(path(QStringLiteral("half.cu")), "#ifndef B\n#define B 32\n#endif\n__global__ void half_of(const float* x, float* y) {\n"
                                                    "    int i = blockIdx.x * B + threadIdx.x;\n    y[i] = x[i] * 0.5f;\n}\n");
        const QByteArray before = json("{'ConfigurationSpace': {'TuningParameters': [{'Name': 'B', 'Type': 'int', 'Values': '[32, 64]'}]}, "
            "'KernelSpecification': {'Language': 'CUDA', 'KernelName': 'half_of', 'KernelFile': 'half.cu', 'GlobalSizeType': 'CUDA', "
            "'GlobalSize': {'X': '256 // B'}, 'LocalSize': {'X': 'B'}, 'Arguments': [ "
            "{'Name': 'x', 'Type': 'float', 'Size': 256, 'FillType': 'Generator', 'DataSource': 'i', 'AccessType': 'ReadOnly', 'MemoryType': 'Vector'}, "
            "{'Name': 'y', 'Type': 'float', 'Size': 256, 'FillType': 'Constant', 'FillValue': 0, 'AccessType': 'WriteOnly', 'MemoryType': 'Vector'}], "
            "'ReferenceArguments': [{'Name': 'want', 'TargetName': 'y', 'FillType': 'Generator', 'DataSource': 'i * ");
        const QByteArray after = json("', 'ValidationMethod': 'SideBySideComparison', 'ValidationThreshold': 0.01}]}}");
        for (const auto& [value, good] : {std::pair<QByteArray, QByteArray>{"0.4985", "2"}, {"0.53", "0"}}) {
            const QString file = path(QStringLiteral("half.json")), database = QStringLiteral("half%1.db").arg(QString::fromLatin1(value));
            cli::write(file, before + value + after);
            cli::run(tune(file, database));
            QCOMPARE(cli::query(path(database), "select count(*) from trial where status in ('ok', 'unstable')"), good);
        }
    }

    void typesThatContradictTheKernelAreRefused() {
        cli::write(path(QStringLiteral("typed.cu")), "__global__ void k(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 1; }\n");
        for (const auto& [y, n, says] : {std::tuple<QByteArray, QByteArray, QByteArray>{"double", "int", "\"y\" the type double, but the kernel's argument y is of type float*"},
                                         {"float", "float4", "\"n\" the type float4, but the kernel's argument n is of type int"}}) {
            cli::write(path(QStringLiteral("typed.json")),
                       json("{'ConfigurationSpace': {'TuningParameters': [{'Name': 'B', 'Type': 'int', 'Values': '[32, 64]'}]}, "
                            "'KernelSpecification': {'Language': 'CUDA', 'KernelName': 'k', 'KernelFile': 'typed.cu', 'GlobalSize': {'X': '1'}, 'LocalSize': {'X': 'B'}, 'Arguments': ["
                            "{'Name': 'y', 'Type': '") + y + json("', 'Size': 64, 'FillType': 'Constant', 'FillValue': 0, 'AccessType': 'WriteOnly', 'MemoryType': 'Vector'}, "
                            "{'Name': 'n', 'Type': '") + n + json("', 'FillType': 'Constant', 'FillValue': 32, 'AccessType': 'ReadOnly', 'MemoryType': 'Scalar'}]}}"));
            const auto run = cli::run(tune(path(QStringLiteral("typed.json")), QStringLiteral("typed.db")));
            QVERIFY(run.exitCode != 0);
            QVERIFY2(QByteArray(run.err + run.out).replace("\\\"", "\"").contains(says), (run.err + run.out).constData());
        }
    }

    void aSpecWithoutKernelFileSaysSo() {
        cli::write(path(QStringLiteral("nofile.json")), json("{'ConfigurationSpace': {'TuningParameters': [{'Name': 'B', 'Type': 'int', 'Values': '[32, 64]'}]}, "
                                                            "'KernelSpecification': {'KernelName': 'k', 'LocalSize': {'X': 'B'}, 'GlobalSize': {'X': '1'}}}"));
        for (const char* command : {"encode", "tune"}) {
            const auto run = cli::run({QString::fromLatin1(command), path(QStringLiteral("nofile.json")), QStringLiteral("--device"), QStringLiteral("cpu")});
            QVERIFY(run.exitCode != 0);
            QVERIFY2((run.err + run.out).contains("names no kernel file"), (run.err + run.out).constData());
        }
    }

    void errorsNameTheUsersLine() {
        cli::write(path(QStringLiteral("bad.cu")), "// a comment\n#pragma kernel tune(threads = 32, 64) block_size(thread)\n" + kernel());
        const auto run = cli::run({QStringLiteral("space"), path(QStringLiteral("bad.cu")), QStringLiteral("--count")});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.err.contains("line 2, column 50") && run.err.contains("did you mean \"threads\""), run.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliSpec)
#include "tst_cli_spec.moc"
