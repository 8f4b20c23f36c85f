// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtCore/QTemporaryDir>
#include <fstream>

#include "base/file.h"
#include "result_test.h"
#include "sample_records.h"
#include "store/blob.h"
#include "store/connection.h"
#include "store/schema.h"
#include "store/trial_log.h"

using namespace ww;
using namespace ww::store;
using test::sampleSession;
using test::sampleTrial;
namespace fs = std::filesystem;

class TestTrialLogFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void lockNamesTheHolder();
    void lockOfADeadWriterIsFree();
    void missingFile();
    void folderInsteadOfAFile();
    void emptyFile();
    void notADatabase_data();
    void notADatabase();
    void otherProgramsDatabase();
    void newerVersion();
    void truncatedFile();
    void overwrittenPages();
    void readOnlyFolder();
    void rowsOfTrialNeverChange();
    void tablesAreThere();
    void plainSql();
    void oldFormatMigrates();
    void failedMigrationChangesNothing();
    void fixtureOfVersion1Opens();
    void damagedBlobs();

private:
    void write(const std::string& bytes) { QVERIFY(writeFileAtomically(m_file, bytes).has_value()); }
    /// A log of one session with enough trials to span many pages.
    void fillLog(int trials = 200) {
        auto log = TrialLogWriter::open(m_file, "test");
        VERIFY_OK(log);
        auto session = (*log)->beginSession(sampleSession());
        VERIFY_OK(session);
        for (int number = 1; number <= trials; ++number)
            VERIFY_OK((*log)->addTrial(sampleTrial(*session, number), {}));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_file;
};

void TestTrialLogFiles::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_file = fs::path(m_folder->path().toStdString()) / "trials.db";
}

void TestTrialLogFiles::lockNamesTheHolder() {
    auto first = TrialLogWriter::open(m_file, "warpwright-cli, process 4711");
    VERIFY_OK(first);
    auto second = TrialLogWriter::open(m_file, "warpwright, process 4712");
    COMPARE_ERR(second, ErrorCode::DatabaseLocked);
    QVERIFY2(second.error().message.find("warpwright-cli, process 4711") != std::string::npos, second.error().message.c_str());
    QVERIFY(second.error().message.find("--db") != std::string::npos);
    VERIFY_OK(TrialLogReader::open(m_file));
    first->reset();
    VERIFY_OK(TrialLogWriter::open(m_file, "third"));
}

void TestTrialLogFiles::lockOfADeadWriterIsFree() {
    fillLog(1);
    std::ofstream(m_file.string() + ".lock") << "warpwright-cli, process 1\n";
    VERIFY_OK(TrialLogWriter::open(m_file, "test"));
}

void TestTrialLogFiles::missingFile() {
    COMPARE_ERR(TrialLogReader::open(m_file), ErrorCode::NotFound);
    QVERIFY(!fs::exists(m_file));
}

void TestTrialLogFiles::folderInsteadOfAFile() {
    COMPARE_ERR(TrialLogReader::open(m_file.parent_path()), ErrorCode::Unreadable);
    COMPARE_ERR(TrialLogWriter::open(m_file.parent_path(), "test"), ErrorCode::Unreadable);
    // A file where a folder should be made.
    write("text");
    COMPARE_ERR(TrialLogWriter::open(m_file / "below" / "trials.db", "test"), ErrorCode::Unreadable);
}

void TestTrialLogFiles::emptyFile() {
    write("");
    COMPARE_ERR(TrialLogReader::open(m_file), ErrorCode::NotFound);
    VERIFY_OK(TrialLogWriter::open(m_file, "test"));
    VERIFY_OK(TrialLogReader::open(m_file));
}

void TestTrialLogFiles::notADatabase_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("short text") << QByteArray("hello\n");
    QTest::newRow("long text") << QByteArray(100000, 'x');
    QTest::newRow("zeros") << QByteArray(100000, '\0');
    QTest::newRow("JSON") << QByteArray("{\"a\": 1}");
}

void TestTrialLogFiles::notADatabase() {
    QFETCH(QByteArray, bytes);
    const std::string content = bytes.toStdString();
    write(content);
    auto reader = TrialLogReader::open(m_file);
    COMPARE_ERR(reader, ErrorCode::DatabaseCorrupt);
    QVERIFY(reader.error().message.find("no database") != std::string::npos);
    COMPARE_ERR(TrialLogWriter::open(m_file, "test"), ErrorCode::DatabaseCorrupt);
    // Somebody else's file is never touched.
    QVERIFY(*readFile(m_file) == content);
}

void TestTrialLogFiles::otherProgramsDatabase() {
    {
        SQLite::Database other(m_file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        other.exec("CREATE TABLE bookmark (url TEXT)");
    }
    const std::string before = *readFile(m_file);
    auto reader = TrialLogReader::open(m_file);
    COMPARE_ERR(reader, ErrorCode::DatabaseCorrupt);
    QVERIFY(reader.error().message.find("another program") != std::string::npos);
    COMPARE_ERR(TrialLogWriter::open(m_file, "test"), ErrorCode::DatabaseCorrupt);
    QVERIFY(*readFile(m_file) == before);
}

void TestTrialLogFiles::newerVersion() {
    fillLog(1);
    SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version=999");
    auto writer = TrialLogWriter::open(m_file, "test");
    COMPARE_ERR(writer, ErrorCode::DatabaseVersion);
    QVERIFY(writer.error().message.find("999") != std::string::npos);
    COMPARE_ERR(TrialLogReader::open(m_file), ErrorCode::DatabaseVersion);
}

void TestTrialLogFiles::truncatedFile() {
    fillLog();
    const std::string whole = *readFile(m_file);
    write(whole.substr(0, whole.size() / 2));
    auto writer = TrialLogWriter::open(m_file, "test");
    COMPARE_ERR(writer, ErrorCode::DatabaseCorrupt);
    QVERIFY(writer.error().message.find("--db") != std::string::npos);
}

void TestTrialLogFiles::overwrittenPages() {
    fillLog();
    std::string bytes = *readFile(m_file);
    for (std::size_t at = 4096; at < bytes.size(); ++at)
        bytes[at] = static_cast<char>(at * 31 % 253);
    write(bytes);
    COMPARE_ERR(TrialLogWriter::open(m_file, "test"), ErrorCode::DatabaseCorrupt);
    auto reader = TrialLogReader::open(m_file);
    if (reader) COMPARE_ERR((*reader)->sessions(), ErrorCode::DatabaseCorrupt);
    else COMPARE_ERR(reader, ErrorCode::DatabaseCorrupt);
}

void TestTrialLogFiles::readOnlyFolder() {
    fillLog(3);
    fs::remove(m_file.string() + ".lock");
    // Root may write anywhere, so the attempt is made by a child that is nobody in particular.
    fs::permissions(m_folder->path().toStdString(), fs::perms(0555));
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(2);
        auto refused = TrialLogWriter::open(m_file, "child");
        if (refused || refused.error().code != ErrorCode::Unreadable) ::_exit(3);
        auto created = TrialLogWriter::open(m_file.parent_path() / "deeper" / "new.db", "child");
        if (created || created.error().code != ErrorCode::Unreadable) ::_exit(4);
        auto reader = TrialLogReader::open(m_file);
        if (!reader) ::_exit(5);
        auto sessions = (*reader)->sessions();
        ::_exit(sessions && sessions->size() == 1 && sessions->front().trials == 3 ? 0 : 6);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    fs::permissions(m_folder->path().toStdString(), fs::perms(0755));
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
}

void TestTrialLogFiles::rowsOfTrialNeverChange() {
    fillLog(2);
    SQLite::Database database(m_file.string(), SQLite::OPEN_READWRITE);
    QVERIFY_THROWS_EXCEPTION(SQLite::Exception, database.exec("UPDATE trial SET time_ns = 1 WHERE number = 1"));
    QCOMPARE(database.execAndGet("SELECT time_ns FROM trial WHERE number = 1").getInt(), 1000);
}

void TestTrialLogFiles::tablesAreThere() {
    fillLog(1);
    SQLite::Database database(m_file.string());
    QCOMPARE(database.execAndGet("PRAGMA application_id").getInt(), kApplicationId);
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), kSchemaVersion);
    QCOMPARE(database.execAndGet("PRAGMA journal_mode").getString(), std::string("wal"));
    for (const char* table : {"session", "device", "kernel_version", "workload", "parameter", "trial", "rejection", "sample", "metric",
                              "diagnostic", "event", "artifact", "policy_snapshot"}) {
        SQLite::Statement query(database, "SELECT strict FROM pragma_table_list WHERE name = ?");
        query.bind(1, table);
        QVERIFY2(query.executeStep() && query.getColumn(0).getInt() == 1, table);
    }
}

void TestTrialLogFiles::plainSql() {
    fillLog(2);
    SQLite::Database database(m_file.string());
    // The queries of docs/trial-log.md.
    QCOMPARE(
        database.execAndGet("SELECT json_extract(config, '$.TILE') FROM trial WHERE verdict = 'FASTER' ORDER BY time_ns LIMIT 1").getInt(),
        16);
    QCOMPARE(database.execAndGet("SELECT value FROM metric WHERE name = 'compile/registers' LIMIT 1").getDouble(), 32.0);
    QCOMPARE(database.execAndGet("SELECT count(*) FROM metric WHERE name = 'compile/constant_bytes'").getInt(), 0);
    QCOMPARE(database.execAndGet("SELECT count FROM sample WHERE side = 'candidate' LIMIT 1").getInt(), 3);
    QCOMPARE(database.execAndGet("SELECT group_concat(name) FROM (SELECT name FROM workload ORDER BY id)").getString(),
             std::string("tuned,small"));
    QCOMPARE(database.execAndGet("SELECT name FROM workload WHERE tuned").getString(), std::string("small"));
}

void TestTrialLogFiles::oldFormatMigrates() {
    SQLite::Database database(m_file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const std::vector<Migration> first{{1, "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (7);"}};
    VERIFY_OK(migrate(database, m_file, first));
    QVERIFY(!fs::exists(m_file.string() + ".v1.bak"));
    std::vector<Migration> later = first;
    later.push_back({2, "ALTER TABLE a ADD COLUMN y INTEGER"});
    later.push_back({3, "UPDATE a SET y = x + 1"});
    VERIFY_OK(migrate(database, m_file, later));
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), 3);
    QCOMPARE(database.execAndGet("SELECT y FROM a").getInt(), 8);
    // The copy holds the file as it was.
    SQLite::Database copy(m_file.string() + ".v1.bak");
    QCOMPARE(copy.execAndGet("PRAGMA user_version").getInt(), 1);
    QCOMPARE(copy.execAndGet("SELECT x FROM a").getInt(), 7);
    VERIFY_OK(migrate(database, m_file, later));
}

void TestTrialLogFiles::failedMigrationChangesNothing() {
    SQLite::Database database(m_file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const std::vector<Migration> steps{{1, "CREATE TABLE a (x INTEGER)"},
                                       {2, "CREATE TABLE b (x INTEGER); INSERT INTO missing VALUES (1);"}};
    QVERIFY_THROWS_EXCEPTION(SQLite::Exception, (void)migrate(database, m_file, steps));
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), 1);
    QVERIFY(!database.tableExists("b"));
}

void TestTrialLogFiles::fixtureOfVersion1Opens() {
    {
        SQLite::Database database(m_file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        auto sql = readFile(fs::path(WW_FIXTURES) / "version1.sql");
        VERIFY_OK(sql);
        database.exec(*sql);
    }
    {
        auto log = TrialLogWriter::open(m_file, "test");
        VERIFY_OK(log);
        VERIFY_OK((*log)->addTrial(sampleTrial(1, 3), {}));
    }
    auto reader = TrialLogReader::open(m_file);
    VERIFY_OK(reader);
    auto session = (*reader)->session(1);
    VERIFY_OK(session);
    QCOMPARE(session->kernel, std::string("gemm"));
    QCOMPARE(session->trials, 3);
    auto trial = (*reader)->trial(1, 2);
    VERIFY_OK(trial);
    QVERIFY(trial->samplesNs == sampleTrial(1, 2).samplesNs);
    QCOMPARE(trial->log, sampleTrial(1, 2).log);
    QCOMPARE((*reader)->policy(1)->value(), std::string("weights"));
}

void TestTrialLogFiles::damagedBlobs() {
    COMPARE_ERR(decompress("no frame at all"), ErrorCode::DatabaseCorrupt);
    std::string frame = compress(std::string(1000, 'a') + "tail");
    QCOMPARE(*decompress(frame), std::string(1000, 'a') + "tail");
    frame.resize(frame.size() / 2);
    COMPARE_ERR(decompress(frame), ErrorCode::DatabaseCorrupt);
    QCOMPARE(*decompress(compress("")), std::string());
    QVERIFY(unpackSamples(packSamples({}))->empty());
}

QTEST_APPLESS_MAIN(TestTrialLogFiles)
#include "tst_trial_log_files.moc"
