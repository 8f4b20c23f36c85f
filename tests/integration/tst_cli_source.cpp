// SPDX-License-Identifier: Apache-2.0
#include "cli_runner.h"

class TestCliSource : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    QString written(const char* name, const QByteArray& text) {
        const QString path = m_folder.filePath(QString::fromUtf8(name));
        cli::write(path, text);
        return path;
    }
private Q_SLOTS:
    void cudaForPeople() {
        const auto file = written("k.cu", "#define TILE 8\nextern \"C\" __global__ void k(const float* a, float* b, int n) {\n"
                                          "  __shared__ float s[TILE][TILE + 1];\n  for (int i = 0; i < TILE; ++i) s[threadIdx.x][i] = a[threadIdx.x * n];\n"
                                          "  __syncthreads();\n  if (threadIdx.x < n) b[threadIdx.x] = s[0][threadIdx.x];\n}\n");
        const auto run = cli::run({QStringLiteral("source"), file});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        for (const char* part : {"k(const float*, float*, int)", "extern \"C\"", "TILE", "2, 4, 8, 16, 32", "TILE * (TILE + 1) * 4",
                                 "defaults: 288 bytes", "strided", "coalesced", "TILE = 8", "yes, diverges", "barrier"}) {
            QVERIFY2(run.out.contains(part), part);
        }
    }

    void cudaAsJson() {
        const auto file = written("\xE5\x86\x85\xE6\xA0\xB8 k.cuh", "__global__ void k(float* a) { a[threadIdx.x] = 1; }\n__global__ void k(int* a) { a[0] = 1; }\n");
        const auto run = cli::run({QStringLiteral("source"), file, QStringLiteral("--json")});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        const auto model = run.json();
        QCOMPARE(model["language"].toString(), QString("cuda"));
        QCOMPARE(model["entries"].toArray().size(), 2);
        const auto access = model["functions"].toArray()[0].toObject()["accesses"].toArray()[0].toObject();
        QCOMPARE(access["pattern"].toString(), QString("coalesced"));
        QCOMPARE(access["kind"].toString(), QString("store"));
    }

    void hostCodeAndHeadersAreTold() {
        cli::write(m_folder.filePath("tile.cuh"), "#pragma once\n#define TILE 64\n");
        const auto file = written("mixed.cu", "#include <vector>\n#include \"tile.cuh\"\n#include \"lost.cuh\"\n"
                                              "__global__ void k(float* y) { y[blockIdx.x * TILE + threadIdx.x] = 1; }\n"
                                              "int main() { k<<<1, TILE>>>(nullptr); }\n");
        const auto run = cli::run({QStringLiteral("source"), file});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        for (const char* part : {"left out: only the host needs it", "the kernel's folder", "not found", "lines 1, 5 (#include <vector>, main)"}) {
            QVERIFY2(run.out.contains(part), run.out.constData());
        }
    }

    void triton() {
        const auto file = written("add.py", "import triton\nimport triton.language as tl\n\n@triton.autotune(configs=[triton.Config({'B': 128}, num_warps=4)], key=['n'])\n"
                                            "@triton.jit\ndef add(x_ptr, y_ptr, n, B: tl.constexpr):\n    o = tl.program_id(0) * B + tl.arange(0, B)\n"
                                            "    tl.store(y_ptr + o, tl.load(x_ptr + o, mask=o < n), mask=o < n)\n");
        const auto run = cli::run({QStringLiteral("source"), file});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        for (const char* part : {"Triton", "add(x_ptr, y_ptr, n)", "1 autotune configurations", "num_warps", "coalesced", "masked"}) {
            QVERIFY2(run.out.contains(part), part);
        }
    }

    void errors_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("other language") << "k.cl" << QByteArray("kernel void k() {}") << QByteArray(".cu, .cuh");
        QTest::newRow("no extension") << "kernel" << QByteArray("x") << QByteArray("without extension");
        QTest::newRow("no kernel") << "h.cu" << QByteArray("int main() { return 0; }") << QByteArray("__global__");
        QTest::newRow("no Triton kernel") << "h.py" << QByteArray("x = 1\n") << QByteArray("@triton.jit");
        QTest::newRow("missing") << "absent.cu" << QByteArray() << QByteArray("absent.cu");
    }
    void errors() {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const auto path = m_folder.filePath(name);
        if (!text.isEmpty()) cli::write(path, text);
        const auto run = cli::run({QStringLiteral("source"), path});
        QVERIFY2(run.exitCode != 0 && run.exitCode != 2 && run.err.contains(says), run.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliSource)
#include "tst_cli_source.moc"
