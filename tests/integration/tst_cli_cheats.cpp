// SPDX-License-Identifier: Apache-2.0
#include "cheat_kernels.h"
#include "cli_runner.h"

/// One small kernel for each way to look faster or right without being it, checked as a user would: `warpwright-cli verify`.
class TestCliCheats : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const QString& name) const { return m_folder.filePath(name); }
    cli::Run verify(const QString& spec, const QString& configuration, const QStringList& more = {}) const {
        return cli::run(QStringList{QStringLiteral("verify"), spec, QStringLiteral("--config"), configuration, QStringLiteral("--device"), QStringLiteral("cpu"),
                                    QStringLiteral("--json"), QStringLiteral("--no-sandbox")} + more);
    }

private Q_SLOTS:
    void initTestCase() {
        cli::write(path(QStringLiteral("cheats.cu")), cheats::source());
        cli::write(path(QStringLiteral("cheats.json")), cheats::spec());
        for (const char* name : {"constant", "independent"}) {
            cli::write(path(QString::fromLatin1(name) + QStringLiteral(".json")), cheats::degenerateSpec(name));
        }
    }

    void cheatsAreCaught_data() {
        QTest::addColumn<int>("mode");
        QTest::addColumn<QByteArray>("statuses");
        QTest::addColumn<QByteArray>("sentence");
        const QByteArray wrong("wrong_result"), cheat("cheat_suspected"), varies("nondeterministic");
        QTest::newRow("H1 empty body: the output of an earlier run") << 1 << wrong << QByteArray("never written");
        QTest::newRow("H3 writes into its neighbour's buffer") << 2 << wrong << QByteArray("wrote outside its buffers");
        QTest::newRow("H33 one element too many") << 3 << wrong << QByteArray("wrote outside its buffers");
        QTest::newRow("H4 NaN as a wildcard") << 4 << wrong << QByteArray("NaN or Inf");
        QTest::newRow("H6 zeroes its inputs and its output") << 5 << cheat << QByteArray("changed its read-only input");
        QTest::newRow("H8 accumulates into its output") << 6 << wrong << QByteArray("is wrong");
        QTest::newRow("H10 leaves the tail out") << 7 << wrong << QByteArray("never written");
        QTest::newRow("H11 full work for the tuned size alone") << 8 << wrong << QByteArray("is wrong");
        QTest::newRow("H11 full work for all shapes but the unknown ones") << 9 << wrong << QByteArray("drawn after the compile");
        QTest::newRow("H12 constants of one set of inputs") << 10 << wrong << QByteArray("is wrong");
        QTest::newRow("H13 a part of the work, scaled up") << 11 << wrong << QByteArray("is wrong");
        QTest::newRow("H15 results kept by address") << 12 << cheat << QByteArray("those it gave for other inputs");
        QTest::newRow("H17 the first launch on some inputs does the work of all") << 13 << cheat << QByteArray("does not do its work each time");
        QTest::newRow("H28 half precision in place of float") << 14 << wrong << QByteArray("half or bfloat16 arithmetic");
        QTest::newRow("H29 an accumulator that overflows") << 15 << wrong << QByteArray("NaN or Inf");
        QTest::newRow("H30 values that change from launch to launch") << 16 << varies << QByteArray("on the same inputs gave another");
        QTest::newRow("row 19: every other element") << 17 << wrong << QByteArray("never written");
    }

    void cheatsAreCaught() {
        QFETCH(int, mode);
        QFETCH(QByteArray, statuses);
        QFETCH(QByteArray, sentence);
        const auto run = verify(path(QStringLiteral("cheats.json")), QStringLiteral("MODE=%1").arg(mode));
        QVERIFY2(run.exitCode == 1, run.out + run.err);
        const auto document = run.json();
        const auto message = document[QStringLiteral("message")].toString().toUtf8();
        QVERIFY2(message.contains(sentence), message);
        QCOMPARE(document[QStringLiteral("status")].toString().toUtf8(), statuses);
        QCOMPARE(document[QStringLiteral("correct")].toBool(), false);
    }

    void theHonestKernelPasses() {
        const auto run = verify(path(QStringLiteral("cheats.json")), QStringLiteral("MODE=0"));
        QVERIFY2(run.exitCode == 0, run.out + run.err);
        const auto document = run.json();
        const auto checks = document[QStringLiteral("checks")].toArray();
        int hidden = 0;
        QSet<QString> families;
        for (const auto& one : checks) {
            const auto check = one.toObject();
            QVERIFY(check[QStringLiteral("passed")].toBool());
            hidden += check[QStringLiteral("hidden")].toBool() ? 1 : 0;
            families.insert(check[QStringLiteral("family")].toString());
        }
        QVERIFY(hidden >= 3);
        QCOMPARE(families.size(), 6);
    }

    void bundledKernelsRaiseNoAlarm_data() {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("configuration");
        QTest::newRow("vector_add") << QStringLiteral("vector_add") << QString();
        QTest::newRow("reduction") << QStringLiteral("reduction") << QString();
        QTest::newRow("transpose") << QStringLiteral("transpose") << QString();
    }

    void bundledKernelsRaiseNoAlarm() {
        QFETCH(QString, kernel);
        QFETCH(QString, configuration);
        const auto run = verify(QStringLiteral(WW_SOURCE_DIR "/kernels/") + kernel, configuration);
        if (run.err.contains("LibTorch") || run.err.contains("TorchScript")) QSKIP("its reference needs the LibTorch module, which this build leaves out");
        QVERIFY2(run.exitCode == 0, run.out.right(2000) + run.err);
    }

    void degenerateTasksAreRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("one number everywhere") << QStringLiteral("constant") << QByteArray("the same number in every element");
        QTest::newRow("whatever the inputs are") << QStringLiteral("independent") << QByteArray("does not depend on the inputs");
    }

    void degenerateTasksAreRefused() {
        QFETCH(QString, name);
        QFETCH(QByteArray, sentence);
        const auto file = path(name + QStringLiteral(".json"));
        auto run = verify(file, QStringLiteral("MODE=0"));
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.err.contains(sentence), run.err);
        run = cli::run({QStringLiteral("tune"), file, QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--trials"), QStringLiteral("3"), QStringLiteral("--db"),
                        path(name + QStringLiteral(".db")), QStringLiteral("--json"), QStringLiteral("--no-sandbox")});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.err.contains(sentence), run.err);
    }

    void badInputIsToldApart() {
        QCOMPARE(verify(path(QStringLiteral("cheats.json")), QStringLiteral("MODE=99")).exitCode, 2);
        QVERIFY(verify(path(QStringLiteral("cheats.json")), QStringLiteral("NOPE=1")).err.contains("NOPE"));
        QVERIFY(verify(path(QStringLiteral("absent.json")), QStringLiteral("MODE=0")).exitCode != 0);
    }
};

QTEST_GUILESS_MAIN(TestCliCheats)
#include "tst_cli_cheats.moc"
