// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "cli_runner.h"

/// Bad input gets a clear error that says what to do, the right exit code, and loses nothing.
class TestCliErrors : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const QString& name) const { return m_folder.filePath(name); }

    static QByteArray spaceOnly(const QByteArray& parameters, const QByteArray& conditions) {
        return "{\"ConfigurationSpace\": {\"TuningParameters\": [" + parameters + "], \"Conditions\": [" + conditions + "]}}";
    }

private Q_SLOTS:
    void badSpecs_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");  // empty: the file is not made
        QTest::addColumn<QByteArray>("says");
        const QByteArray tile = "{\"Name\": \"TILE\", \"Type\": \"int\", \"Values\": \"[16, 32]\", \"Default\": 16}";
        QTest::newRow("missing file") << "absent.json" << QByteArray() << QByteArray("no such file");
        QTest::newRow("broken JSON") << "broken.json" << QByteArray("{\n  \"General\": {},\n  oops\n}") << QByteArray("line 3, column 3");
        QTest::newRow("unknown parameter in a constraint") << "unknown.json" << spaceOnly(tile, "{\"Expression\": \"TILES > 3\", \"Parameters\": [\"TILE\"]}") << QByteArray("TILE");
        QTest::newRow("empty domain") << "domain.json" << spaceOnly("{\"Name\": \"TILE\", \"Type\": \"int\", \"Values\": \"[]\"}", "") << QByteArray("TILE");
        QTest::newRow("wrong type") << "type.json" << QByteArray("{\"ConfigurationSpace\": {\"TuningParameters\": 7}}") << QByteArray("TuningParameters");
        QTest::newRow("broken expression") << "expression.json" << spaceOnly(tile, "{\"Expression\": \"TILE >\", \"Parameters\": [\"TILE\"]}") << QByteArray("column");
    }
    void badSpecs() {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        if (!text.isEmpty()) cli::write(path(name), text);
        for (const auto& command : {QStringList{QStringLiteral("space"), path(name), QStringLiteral("--count")},
                                    QStringList{QStringLiteral("tune"), path(name), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("never.db"))}}) {
            const auto run = cli::run(command);
            QVERIFY2(run.exitCode == 1, run.err.constData());
            QVERIFY2(run.err.contains(says), run.err.constData());
        }
    }

    void badKernels_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("empty file") << QByteArray() << QByteArray("empty");
        QTest::newRow("no kernel") << QByteArray("int host(int a) { return a; }\n") << QByteArray("__global__");
        QTest::newRow("needs a spec") << QByteArray("#define BLOCK 64\n__device__ int f() { return BLOCK; }\nstruct P { int n; };\n__global__ void k(P* p) { p[threadIdx.x].n = 1; }\n") << QByteArray("spec");
    }
    void badKernels() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, says);
        cli::write(path(QStringLiteral("kernel.cu")), source);
        const auto run = cli::run({QStringLiteral("tune"), path(QStringLiteral("kernel.cu")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("never.db"))});
        QVERIFY2(run.exitCode == 1, run.err.constData());
        QVERIFY2(run.err.contains(says), run.err.constData());
    }

    void aSyntaxErrorNamesLineAndColumn() {
        cli::write(path(QStringLiteral("hostile.cu")), QByteArray(cli::hostileSource()).replace("int i =", "int i ="));
        auto source = cli::hostileSource();
        source.replace("#else\n    if (i < n) y[i] = 2.0f * x[i];", "#else\n    if (i < n y[i] = 2.0f * x[i];");
        cli::write(path(QStringLiteral("hostile.cu")), source);
        cli::write(path(QStringLiteral("syntax.json")), cli::hostileSpec("[0]"));
        const auto run = cli::run({QStringLiteral("tune"), path(QStringLiteral("syntax.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("syntax.db")), QStringLiteral("--no-sandbox"),
                                   QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--trials"), QStringLiteral("2")});
        QVERIFY2(run.exitCode == 1, run.err.constData());
        const int line = 1 + static_cast<int>(source.left(source.indexOf("if (i < n y[i]")).count('\n'));
        QVERIFY2((run.err + run.out).contains("hostile.cu:" + QByteArray::number(line) + ":"), (run.out + run.err).constData());
    }

    void aSpaceWithoutValidConfigurations() {
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        auto text = cli::hostileSpec("[0]");
        text.replace("\"Conditions\": []", "\"Conditions\": [{\"Expression\": \"TILE > 1000\", \"Parameters\": [\"TILE\"]}]");
        cli::write(path(QStringLiteral("none.json")), text);
        const auto run = cli::run({QStringLiteral("tune"), path(QStringLiteral("none.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("never.db"))});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.err.contains("TILE > 1000"), run.err.constData());
    }

    void whatTheCpuCannotRunIsRefused() {
        auto source = cli::hostileSource();
        source.replace("int i =", "asm volatile(\"bar.sync 0;\");\n    int i =");
        cli::write(path(QStringLiteral("hostile.cu")), source);
        cli::write(path(QStringLiteral("asm.json")), cli::hostileSpec("[0]"));
        const auto run = cli::run({QStringLiteral("tune"), path(QStringLiteral("asm.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("never.db"))});
        QCOMPARE(run.exitCode, 1);
        const int line = 1 + static_cast<int>(source.left(source.indexOf("asm volatile")).count('\n'));
        QVERIFY2(run.err.contains("line " + QByteArray::number(line)), run.err.constData());
        QVERIFY2(run.err.contains("cuda"), run.err.constData());
    }

    void usage() {
        QCOMPARE(cli::run({}).exitCode, 2);
        QCOMPARE(cli::run({QStringLiteral("tune"), QStringLiteral("--no-such-option")}).exitCode, 2);
        QCOMPARE(cli::run({QStringLiteral("tune")}).exitCode, 2);
        QCOMPARE(cli::run({QStringLiteral("tune"), QStringLiteral("x.json"), QStringLiteral("--device"), QStringLiteral("tpu"), QStringLiteral("--db"), path(QStringLiteral("never.db"))}).exitCode, 2);
        QCOMPARE(cli::run({QStringLiteral("--version")}).exitCode, 0);
    }

    void badDatabases_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("not a database") << QByteArray("just some text that is long enough to be looked at as a header, is it not?\n").repeated(40) << QByteArray("--db");
    }
    void badDatabases() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, says);
        const auto database = path(QStringLiteral("bad.db"));
        cli::write(database, bytes);
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        cli::write(path(QStringLiteral("spec.json")), cli::hostileSpec("[0]"));
        const auto run = cli::run({QStringLiteral("tune"), path(QStringLiteral("spec.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), database});
        QCOMPARE(run.exitCode, 3);
        QVERIFY2(run.err.contains(says), run.err.constData());
        QFile file(database);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), bytes);  // nothing is lost
        QVERIFY(cli::run({QStringLiteral("sessions"), QStringLiteral("--db"), database}).exitCode != 0);
        QCOMPARE(cli::run({QStringLiteral("sessions"), QStringLiteral("--db"), path(QStringLiteral("absent.db"))}).exitCode, 1);
    }

    void aSecondWriterIsRefused() {
        const auto database = path(QStringLiteral("locked.db"));
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        cli::write(path(QStringLiteral("spec.json")), cli::hostileSpec("[0] + list(range(20, 60))"));
        const QStringList tune{QStringLiteral("tune"), path(QStringLiteral("spec.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), database, QStringLiteral("--no-sandbox"),
                               QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--no-result-sharing")};
        QProcess first;
        first.start(cli::program(), tune);
        QVERIFY(first.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(cli::query(database, "select count(*) from session") == "1", 120'000);
        const auto second = cli::run(tune);
        QCOMPARE(second.exitCode, 3);
        QVERIFY2(second.err.contains("--db") && second.err.contains("warpwright-cli"), second.err.constData());
        QCOMPARE(cli::run({QStringLiteral("sessions"), QStringLiteral("--db"), database}).exitCode, 0);  // readers are welcome
        first.terminate();
        QVERIFY(first.waitForFinished(60'000));
    }

    void aMissingWorkerIsNamed() {
        QDir(m_folder.path()).mkpath(QStringLiteral("alone"));
        const auto copy = path(QStringLiteral("alone/warpwright-cli"));
        QVERIFY(QFile::copy(cli::program(), copy) || QFile::exists(copy));
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        cli::write(path(QStringLiteral("spec.json")), cli::hostileSpec("[0]"));
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("WARPWRIGHT_BIN"));
        process.setProcessEnvironment(environment);
        process.start(copy, {QStringLiteral("tune"), path(QStringLiteral("spec.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("alone.db")), QStringLiteral("--no-sandbox"),
                             QStringLiteral("--strategy"), QStringLiteral("random")});
        QVERIFY(process.waitForFinished(120'000));
        const auto err = process.readAllStandardError();
        QCOMPARE(process.exitCode(), 3);
        QVERIFY2(err.contains("warpwright-worker"), err.constData());
    }

    void noSandboxNeedsConsent() {
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        cli::write(path(QStringLiteral("spec.json")), cli::hostileSpec("[0]"));
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"), m_folder.path());  // no bwrap and no compiler there
        const QStringList tune{QStringLiteral("tune"), path(QStringLiteral("spec.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("consent.db")), QStringLiteral("--strategy"),
                               QStringLiteral("random"), QStringLiteral("--trials"), QStringLiteral("2")};
        const auto refused = cli::run(tune, environment);
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.err.contains("bubblewrap") && refused.err.contains("--no-sandbox"), refused.err.constData());
        environment.insert(QStringLiteral("CXX"), QStringLiteral("no-such-compiler"));
        const auto noCompiler = cli::run(tune + QStringList{QStringLiteral("--no-sandbox")}, environment);
        QCOMPARE(noCompiler.exitCode, 3);
        QVERIFY2(noCompiler.err.contains("compiler"), noCompiler.err.constData());
    }

    void readOnlyFolder() {
        if (::geteuid() == 0) QSKIP("root may write everywhere");
        QDir(m_folder.path()).mkpath(QStringLiteral("sealed"));
        QFile::setPermissions(path(QStringLiteral("sealed")), QFile::ReadOwner | QFile::ExeOwner);
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        cli::write(path(QStringLiteral("spec.json")), cli::hostileSpec("[0]"));
        const auto run = cli::run({QStringLiteral("tune"), path(QStringLiteral("spec.json")), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), path(QStringLiteral("sealed/a.db"))});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.err.contains("sealed"), run.err.constData());
    }

    void doctorAndDevices() {
        const auto doctor = cli::run({QStringLiteral("doctor"), QStringLiteral("--json")});
        QVERIFY(doctor.exitCode == 0 || doctor.exitCode == 3);
        QVERIFY(doctor.json()[QStringLiteral("parts")].toArray().size() >= 6);
        const auto devices = cli::run({QStringLiteral("devices"), QStringLiteral("--json")}).json()[QStringLiteral("devices")].toArray();
        QVERIFY(!devices.isEmpty());
        QCOMPARE(devices.last().toObject()[QStringLiteral("kind")].toString(), QStringLiteral("cpu"));
    }

    void aRecordedSpaceCountsItsEntries() {
        QTemporaryDir folder;
        const auto file = folder.filePath(QStringLiteral("recorded.json"));
        cli::write(file, "{\"device_name\": \"GPU\", \"kernel_name\": \"k\", \"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1, 2, 4]}, \"cache\": {"
                         "\"1\": {\"a\": 1, \"time\": 2.5}, \"4\": {\"a\": 4, \"time\": \"RuntimeFailedConfig\"}");
        const auto run = cli::run({QStringLiteral("space"), file, QStringLiteral("--count"), QStringLiteral("--json")});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(run.json()[QStringLiteral("valid")].toInt(), 2);
        QCOMPARE(run.json()[QStringLiteral("failed")].toObject()[QStringLiteral("RuntimeFailedConfig")].toInt(), 1);
    }
};

QTEST_GUILESS_MAIN(TestCliErrors)
#include "tst_cli_errors.moc"
