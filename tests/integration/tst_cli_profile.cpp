// SPDX-License-Identifier: Apache-2.0
#include "cli_runner.h"

/// `profile` on the CPU device: what is there is shown as what it is, what is missing is said with the reason.
class TestCliProfile : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const QString& name) const { return m_folder.filePath(name); }
    cli::Run profile(const QStringList& more) const {
        return cli::run(QStringList{QStringLiteral("profile"), path(QStringLiteral("hostile.json")), QStringLiteral("--device"), QStringLiteral("cpu")} + more);
    }

private Q_SLOTS:
    void initTestCase() {
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        cli::write(path(QStringLiteral("hostile.json")), cli::hostileSpec("[0, 8, 10]", R"(, "Work": {"Bytes": "8 * 20003"})"));
    }

    void whatIsThereAndWhatIsMissing() {
        const auto run = profile({QStringLiteral("--json"), QStringLiteral("--config"), QStringLiteral("TILE=128"), QStringLiteral("--set"), QStringLiteral("full")});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        const auto document = run.json();
        QCOMPARE(document[QStringLiteral("config")][QStringLiteral("TILE")].toInt(), 128);
        QCOMPARE(document[QStringLiteral("counters")][QStringLiteral("available")].toBool(true), false);
        QVERIFY(document[QStringLiteral("counters")][QStringLiteral("reason")].toString().contains(QStringLiteral("CPU device")));
        const auto found = document[QStringLiteral("profile")].toObject();
        QCOMPARE(found[QStringLiteral("rung")].toString(), QStringLiteral("estimate"));
        const auto metrics = found[QStringLiteral("metrics")].toObject();
        // Declared bytes over the measured median, and no counter in disguise.
        const double seconds = document[QStringLiteral("time_ns")].toDouble() * 1e-9;
        const double bandwidth = metrics[QStringLiteral("estimated_bandwidth")][QStringLiteral("value")].toDouble();
        QVERIFY(qAbs(bandwidth * seconds / (8 * 20003) - 1) < 1e-6);
        QCOMPARE(metrics[QStringLiteral("estimated_bandwidth")][QStringLiteral("rung")].toString(), QStringLiteral("estimate"));
        QVERIFY(!metrics.contains(QStringLiteral("dram_pct")));
        QVERIFY(!metrics.contains(QStringLiteral("estimated_flops")));
        QVERIFY(found[QStringLiteral("occupancy")].isNull());
        QVERIFY(!found[QStringLiteral("notes")].toArray().isEmpty());
    }

    void asText() {
        const auto run = profile({});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        for (const char* says : {"Estimated bandwidth", "estimate", "No hardware counters: the CPU device has none", "Warpwright.Work.Flops"}) {
            QVERIFY2(run.out.contains(says), run.out.constData());
        }
    }

    void whatIsWrongIsNotProfiled() {
        const auto wrong = profile({QStringLiteral("--config"), QStringLiteral("MODE=8"), QStringLiteral("--json")});
        QCOMPARE(wrong.exitCode, 1);
        QVERIFY2(wrong.err.contains("not profiled, since it is not correct"), wrong.err.constData());
        const auto broken = profile({QStringLiteral("--config"), QStringLiteral("MODE=10")});
        QCOMPARE(broken.exitCode, 1);
        QVERIFY2(broken.err.contains("does not compile"), broken.err.constData());
    }

    void badOptions() {
        QCOMPARE(profile({QStringLiteral("--set"), QStringLiteral("everything")}).exitCode, 2);
        const auto run = profile({QStringLiteral("--config"), QStringLiteral("NOPE=1")});
        QVERIFY(run.exitCode != 0);
        QVERIFY2(run.err.contains("NOPE"), run.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliProfile)
#include "tst_cli_profile.moc"
