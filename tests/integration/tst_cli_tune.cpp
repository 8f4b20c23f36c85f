// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include "cli_runner.h"

/// Real sessions through real worker processes on the CPU device.
class TestCliTune : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString spec(const QByteArray& modes, const QString& name = QStringLiteral("spec.json"), const QByteArray& extra = {}) {
        cli::write(path(QStringLiteral("hostile.cu")), cli::hostileSource());
        cli::write(path(name), cli::hostileSpec(modes, extra));
        return path(name);
    }
    static QStringList tune(const QString& spec, const QString& database, const QStringList& more = {}) {
        return QStringList{QStringLiteral("tune"), spec, QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--db"), database,
                           QStringLiteral("--json"), QStringLiteral("--no-sandbox")} + more;
    }
    static QByteArray statusOfMode(const QString& database, int mode) {
        return cli::query(database, QByteArray("select status from trial where json_extract(config, '$.MODE') = " + QByteArray::number(mode) + " limit 1").constData());
    }

    /// A query over the trials that ran and were right; a busy machine may leave one without a verdict (unstable).
    static constexpr const char* kGoodTrials = "select count(*) from trial where status in ('ok', 'unstable')";

private Q_SLOTS:
    void hostileCandidatesAreTrials() {
        const QString database = path(QStringLiteral("hostile.db"));
        const auto run = cli::run(tune(spec("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"), database,
                                       {QStringLiteral("--strategy"), QStringLiteral("exhaustive"), QStringLiteral("--trials"), QStringLiteral("22")}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        const auto document = run.json();
        QCOMPARE(document[QStringLiteral("trials")].toInt(), 22);
        QCOMPARE(cli::query(database, kGoodTrials), QByteArray("2"));
        QCOMPARE(document[QStringLiteral("best")].toObject()[QStringLiteral("config")].toObject()[QStringLiteral("MODE")].toInt(), 0);
        QCOMPARE(statusOfMode(database, 0), QByteArray("ok"));
        QCOMPARE(statusOfMode(database, 1), QByteArray("wrong_result"));
        QCOMPARE(statusOfMode(database, 2), QByteArray("timeout"));
        QCOMPARE(statusOfMode(database, 3), QByteArray("runtime_error"));
        QCOMPARE(statusOfMode(database, 4), QByteArray("runtime_error"));
        QCOMPARE(statusOfMode(database, 5), QByteArray("wrong_result"));
        QCOMPARE(statusOfMode(database, 6), QByteArray("timeout"));
        QCOMPARE(statusOfMode(database, 7), QByteArray("out_of_memory"));
        QCOMPARE(statusOfMode(database, 8), QByteArray("wrong_result"));
        QCOMPARE(statusOfMode(database, 9), QByteArray("cheat_suspected"));
        QCOMPARE(statusOfMode(database, 10), QByteArray("compile_error"));
        QCOMPARE(cli::query(database, "select count(*) from trial where status != 'ok' and length(message) = 0"), QByteArray("0"));
        QCOMPARE(cli::query(database, "pragma quick_check"), QByteArray("ok"));
    }

    void pinsAndBansHold() {
        const QString database = path(QStringLiteral("pins.db"));
        const auto run = cli::run(tune(spec("[0]"), database,
                                       {QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--trials"), QStringLiteral("5"), QStringLiteral("--pin"), QStringLiteral("TILE=128")}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        // The baseline is the default; after it only the pinned value is proposed, and then nothing is left.
        QCOMPARE(run.json()[QStringLiteral("trials")].toInt(), 2);
        QCOMPARE(cli::query(database, "select count(*) from trial where number > 1 and json_extract(config, '$.TILE') != 128"), QByteArray("0"));
        QCOMPARE(cli::query(database, "select count(*) from event where kind = 'pin'"), QByteArray("1"));
    }

    void equalProgramsShareOneMeasurement() {
        const QString database = path(QStringLiteral("share.db"));
        // MODE 20 and 21 fall into the #else branch: the same program under another name.
        const auto file = spec("[0, 20, 21]", QStringLiteral("share.json"));
        const QStringList more{QStringLiteral("--strategy"), QStringLiteral("exhaustive"), QStringLiteral("--trials"), QStringLiteral("6")};
        auto run = cli::run(tune(file, database, more));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(database, "select count(*) from trial where shared_with is not null"), QByteArray("4"));
        run = cli::run(tune(file, database, more + QStringList{QStringLiteral("--no-result-sharing")}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(database, "select count(*) from trial where shared_with is not null and session_id = 2"), QByteArray("0"));
    }

    void aBaselineThatDoesNotRunIsReplaced() {
        const QString database = path(QStringLiteral("baseline.db"));
        auto text = cli::hostileSpec("[10, 0]");
        text.replace("\"Default\": 0", "\"Default\": 10");
        spec("[0]");
        cli::write(path(QStringLiteral("baseline.json")), text);
        const auto run = cli::run(tune(path(QStringLiteral("baseline.json")), database, {QStringLiteral("--strategy"), QStringLiteral("exhaustive"), QStringLiteral("--trials"), QStringLiteral("4")}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(run.json()[QStringLiteral("baseline")].toObject()[QStringLiteral("config")].toObject()[QStringLiteral("MODE")].toInt(), 0);
        QVERIFY(cli::query(database, "select count(*) from event where kind = 'notice' and data like '%is the baseline%'") != QByteArray("0"));
    }

    void killedAndResumed() {
        const QString database = path(QStringLiteral("killed.db"));
        const auto file = spec("list(range(0, 1)) + list(range(20, 60))", QStringLiteral("killed.json"));
        QProcess process;
        process.start(cli::program(), tune(file, database, {QStringLiteral("--trials"), QStringLiteral("60"), QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--no-result-sharing")}));
        QVERIFY(process.waitForStarted());
        const auto pid = process.processId();
        QTRY_VERIFY_WITH_TIMEOUT(cli::query(database, "select count(*) from trial").toInt() >= 3 || process.state() == QProcess::NotRunning, 300'000);
        QVERIFY2(process.state() == QProcess::Running, process.readAllStandardError().constData());
        ::kill(static_cast<pid_t>(pid), SIGKILL);
        process.waitForFinished();
        const int kept = cli::query(database, "select count(*) from trial").toInt();
        QVERIFY(kept >= 3);
        QCOMPARE(cli::query(database, "pragma quick_check"), QByteArray("ok"));
        const auto before = cli::query(database, QByteArray("select group_concat(config || status || coalesce(time_ns, '')) from trial where id <= " + QByteArray::number(kept)).constData());
        // Its workers are gone with it.
        const auto workers = [&] {
            QProcess ps;
            ps.start(QStringLiteral("ps"), {QStringLiteral("-eo"), QStringLiteral("ppid,args")});
            ps.waitForFinished();
            return ps.readAllStandardOutput().contains(QByteArray::number(pid) + " ");
        };
        QTRY_VERIFY_WITH_TIMEOUT(!workers(), 30'000);

        const auto total = QString::number(kept + 2);
        const auto run = cli::run({QStringLiteral("tune"), file, QStringLiteral("--db"), database, QStringLiteral("--resume"), QStringLiteral("last"), QStringLiteral("--trials"), total, QStringLiteral("--json"), QStringLiteral("--no-sandbox")});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(database, "select count(*) from trial").toInt(), kept + 2);
        QCOMPARE(cli::query(database, QByteArray("select group_concat(config || status || coalesce(time_ns, '')) from trial where id <= " + QByteArray::number(kept)).constData()), before);
        QCOMPARE(cli::query(database, "select count(distinct config) from trial").toInt(), kept + 2);
    }

    void interruptSavesTheSession() {
        const QString database = path(QStringLiteral("interrupted.db"));
        const auto file = spec("list(range(0, 1)) + list(range(20, 60))", QStringLiteral("interrupted.json"));
        QProcess process;
        process.start(cli::program(), tune(file, database, {QStringLiteral("--trials"), QStringLiteral("60"), QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--no-result-sharing")}));
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(cli::query(database, "select count(*) from trial").toInt() >= 2 || process.state() == QProcess::NotRunning, 300'000);
        process.terminate();
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(cli::query(database, "select status from session"), QByteArray("interrupted"));
        QVERIFY(process.readAllStandardError().contains("--resume"));
    }

    void aBareSourceIsTuned() {
        cli::write(path(QStringLiteral("bare.cu")), "#define BLOCK_SIZE 128\n"
                                                    "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
                                                    "    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;\n"
                                                    "    if (i < n) c[i] = a[i] + b[i];\n"
                                                    "}\n");
        const QString database = path(QStringLiteral("bare.db"));
        const auto run = cli::run(tune(path(QStringLiteral("bare.cu")), database, {QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--trials"), QStringLiteral("3")}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(database, kGoodTrials), QByteArray("3"));
    }

    void looksAtAStoredSession() {
        const QString database = path(QStringLiteral("look.db"));
        const auto run = cli::run(tune(spec("[0]"), database, {QStringLiteral("--strategy"), QStringLiteral("exhaustive"), QStringLiteral("--trials"), QStringLiteral("2")}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        const auto db = QStringList{QStringLiteral("--db"), database, QStringLiteral("--json")};
        const auto sessions = cli::run(QStringList{QStringLiteral("sessions")} + db).json()[QStringLiteral("sessions")].toArray();
        QCOMPARE(sessions.size(), 1);
        QCOMPARE(sessions[0].toObject()[QStringLiteral("kernel")].toString(), QStringLiteral("hostile"));
        QCOMPARE(sessions[0].toObject()[QStringLiteral("trials")].toInt(), 2);
        QCOMPARE(cli::run(QStringList{QStringLiteral("trials")} + db).json()[QStringLiteral("trials")].toArray().size(), 2);
        QVERIFY(cli::run(QStringList{QStringLiteral("top")} + db).json()[QStringLiteral("trials")].toArray().size() >= 1);
        const auto shown = cli::run(QStringList{QStringLiteral("show"), QStringLiteral("2")} + db).json();
        QVERIFY(shown[QStringLiteral("samples_ns")].toArray().size() >= 5);
        QVERIFY(shown[QStringLiteral("diff")].toString().contains(QStringLiteral("+#define TILE 128")));
        QCOMPARE(cli::run(QStringList{QStringLiteral("show"), QStringLiteral("9")} + db).exitCode, 1);
    }

    void benchRefusesWhatIsWrong() {
        const auto run = cli::run({QStringLiteral("bench"), spec("[0, 1]"), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--config"), QStringLiteral("MODE=0"), QStringLiteral("--config"),
                                   QStringLiteral("MODE=1"), QStringLiteral("--json"), QStringLiteral("--no-sandbox")});
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(run.err.contains("wrong_result") && run.err.contains("MODE=1"), run.err.constData());
    }

    void resumeKeepsTheStoredBudget() {
        const QString database = path(QStringLiteral("budget.db"));
        const auto file = spec("[0]");
        QVERIFY(cli::run(tune(file, database, {QStringLiteral("--strategy"), QStringLiteral("exhaustive"), QStringLiteral("--trials"), QStringLiteral("1")})).exitCode == 0);
        const auto run = cli::run(tune(file, database, {QStringLiteral("--resume"), QStringLiteral("last")}));
        QVERIFY2(run.exitCode == 0, run.err.constData());
        QCOMPARE(cli::query(database, "select count(*) from trial"), QByteArray("1"));
        QCOMPARE(cli::query(database, "select budget_trials from session"), QByteArray("1"));
    }

    void aWrongPinStoresNoSession() {
        const QString database = path(QStringLiteral("wrongpin.db"));
        const auto run = cli::run(tune(spec("[0]"), database, {QStringLiteral("--trials"), QStringLiteral("1"), QStringLiteral("--pin"), QStringLiteral("TYLE=64")}));
        QVERIFY(run.exitCode != 0);
        QVERIFY2(run.err.contains("TILE"), run.err.constData());
        QCOMPARE(cli::query(database, "select count(*) from session"), QByteArray("0"));
    }

    void resumeRefusesAnotherTask() {
        const QString database = path(QStringLiteral("other.db"));
        const auto file = spec("[0]");
        QVERIFY(cli::run(tune(file, database, {QStringLiteral("--strategy"), QStringLiteral("exhaustive"), QStringLiteral("--trials"), QStringLiteral("1")})).exitCode == 0);
        const auto run = cli::run(tune(file, database, {QStringLiteral("--resume"), QStringLiteral("last"), QStringLiteral("--workload"), QStringLiteral("nonsense")}));
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.err.contains("resume"), run.err.constData());
    }

    void benchComparesConfigurations() {
        const auto run = cli::run({QStringLiteral("bench"), spec("[0]"), QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--config"), QStringLiteral("TILE=64"), QStringLiteral("--config"),
                                   QStringLiteral("TILE=128"), QStringLiteral("--json"), QStringLiteral("--no-sandbox")});
        QVERIFY2(run.exitCode == 0, run.err.constData());
        const auto results = run.json()[QStringLiteral("results")].toArray();
        QCOMPARE(results.size(), 2);
        QCOMPARE(results[0].toObject()[QStringLiteral("ratio")].toDouble(), 1.0);
        QVERIFY(results[1].toObject()[QStringLiteral("time_ns")].toDouble() > 0);
    }
};

QTEST_GUILESS_MAIN(TestCliTune)
#include "tst_cli_tune.moc"
