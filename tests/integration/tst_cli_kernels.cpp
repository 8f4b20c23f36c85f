// SPDX-License-Identifier: Apache-2.0
#include "cli_runner.h"

/// Every bundled kernel, as the programs see it: it is counted, encoded, and tuned on the CPU device without a wrong result.
class TestCliKernels : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    static QDir kernels() { return QDir(qEnvironmentVariable("WARPWRIGHT_ROOT") + QStringLiteral("/kernels")); }

private Q_SLOTS:
    void bundled_data() {
        QTest::addColumn<QString>("name");
        const auto names = kernels().entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(names.size() >= 7);
        for (const auto& name : names) QTest::newRow(qPrintable(name)) << name;
    }

    void bundled() {
        QFETCH(QString, name);
        const QString kernel = kernels().filePath(name);
        QVERIFY(QFile::exists(kernel + QStringLiteral("/README.md")));
        QCOMPARE(cli::run({QStringLiteral("space"), kernel, QStringLiteral("--count")}).exitCode, 0);
        QCOMPARE(cli::run({QStringLiteral("encode"), kernel, QStringLiteral("--json")}).exitCode, 0);

        const QString database = m_folder.filePath(name + QStringLiteral(".db"));
        const auto run = cli::run({QStringLiteral("tune"), kernel, QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--trials"), QStringLiteral("2"), QStringLiteral("--strategy"),
                                   QStringLiteral("random"), QStringLiteral("--seed"), QStringLiteral("7"), QStringLiteral("--db"), database, QStringLiteral("--json"), QStringLiteral("--no-sandbox")});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        // A busy machine may leave a trial without a verdict (unstable); nothing else may go wrong.
        QCOMPARE(cli::query(database, "select count(*) from trial where status in ('ok', 'unstable')"), QByteArray("2"));
        QCOMPARE(cli::query(database, "select count(*) from event where kind = 'notice' and data like '%is not checked%'"), QByteArray("0"));
    }
};

QTEST_GUILESS_MAIN(TestCliKernels)
#include "tst_cli_kernels.moc"
