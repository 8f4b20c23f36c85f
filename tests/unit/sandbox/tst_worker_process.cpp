// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "result_test.h"
#include "sandbox/bubblewrap.h"
#include "sandbox/worker_process.h"

using namespace ww;
using namespace ww::sandbox;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr auto kLong = 60s;

WorkerOptions hostile(Level level) {
    WorkerOptions options;
    options.program = HOSTILE_WORKER;
    options.level = level;
    options.maxOutputBytes = 4096;
    return options;
}

/// Processes whose command line holds `needle`.
int countProcesses(const std::string& needle) {
    int count = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        std::ifstream in(entry.path() / "cmdline");
        const std::string line((std::istreambuf_iterator<char>(in)), {});
        if (line.find(needle) != std::string::npos) ++count;
    }
    return count;
}

}  // namespace

class TestWorkerProcess : public QObject {
    Q_OBJECT

    void addLevels() {
        QTest::addColumn<Level>("level");
        QTest::newRow("bubblewrap") << Level::Bubblewrap;
        QTest::newRow("none") << Level::None;
    }

    std::unique_ptr<WorkerProcess> m_worker;

    bool start(const WorkerOptions& options) {
        auto started = WorkerProcess::start(options);
        if (!started) qWarning("%s", started.error().toString().c_str());
        m_worker = started ? std::move(*started) : nullptr;
        return m_worker != nullptr;
    }

    WorkerProcess::Wait ask(Json body, Message& answer, std::chrono::nanoseconds timeout = kLong) {
        if (!m_worker->send({std::move(body), {}})) return WorkerProcess::Wait::Died;
        return m_worker->receive(answer, timeout, {});
    }

private Q_SLOTS:
    void cleanup() { m_worker.reset(); }

#define NEED(wanted) \
    if ((wanted) == Level::Bubblewrap && availability().level != Level::Bubblewrap) QSKIP(availability().reason.c_str())
#define START(wanted) \
    NEED(wanted);     \
    QVERIFY(start(hostile(wanted)))

    void answers_data() { addLevels(); }
    void answers() {
        QFETCH(Level, level);
        START(level);
        QCOMPARE(m_worker->greeting()["role"].get<std::string>(), std::string("test"));
        QVERIFY(m_worker->level() == level);
        Message request{Json{{"n", 7}}, std::vector<std::byte>(std::size_t{3} << 20, std::byte{9})};
        VERIFY_OK(m_worker->send(request));
        Message answer;
        QVERIFY(m_worker->receive(answer, kLong, {}) == WorkerProcess::Wait::Ready);
        QCOMPARE(answer.body["echo"]["n"].get<int>(), 7);
        QVERIFY(answer.attachment == request.attachment);
        QVERIFY(m_worker->receive(answer, 0ns, {}) == WorkerProcess::Wait::Deadline);
        QVERIFY(m_worker->alive());
    }

    void sharesAnArenaThatGrows_data() { addLevels(); }
    void sharesAnArenaThatGrows() {
        QFETCH(Level, level);
        START(level);
        for (const std::size_t bytes : {std::size_t{1000}, std::size_t{5} << 20}) {
            auto arena = m_worker->arena(bytes);
            VERIFY_OK(arena);
            QCOMPARE(arena->size(), bytes);
            Message answer;
            QVERIFY(ask(Json{{"do", "fill"}, {"bytes", bytes}}, answer) == WorkerProcess::Wait::Ready);
            QVERIFY2(answer.body.contains("echo"), answer.body.dump().c_str());
            QVERIFY(arena->front() == std::byte{0x5a} && arena->back() == std::byte{0x5a});
        }
        Message answer;
        QVERIFY(ask(Json{{"do", "fill"}, {"bytes", std::size_t{1} << 40}}, answer) == WorkerProcess::Wait::Ready);
        QVERIFY(answer.body.contains("error"));
    }

    void isConfined_data() { addLevels(); }
    void isConfined() {
        QFETCH(Level, level);
        QTemporaryDir secret, shared;
        std::ofstream(secret.filePath("key").toStdString()) << "secret";
        std::ofstream(shared.filePath("header.h").toStdString()) << "shared";
        ::chmod(shared.path().toUtf8().constData(), 0755);
        NEED(level);
        auto options = hostile(level);
        options.readable = {shared.path().toStdString()};
        ::setenv("WW_TEST_TOKEN", "hush", 1);
        QVERIFY(start(options));
        Message answer;
        QVERIFY(ask(Json{{"do", "look"}, {"secret", secret.filePath("key").toStdString()},
                         {"shared", shared.filePath("header.h").toStdString()}, {"home", QDir::homePath().toStdString()}},
                    answer) == WorkerProcess::Wait::Ready);
        const Json& seen = answer.body;
        const std::string all = seen.dump(1);
        QVERIFY2(!seen["socket"].get<bool>() && !seen["ptrace"].get<bool>(), all.c_str());
        QVERIFY2(seen["shared"].get<bool>() && seen["temporaryWritable"].get<bool>(), all.c_str());
        QVERIFY2(all.find("hush") == std::string::npos, all.c_str());
        if (level == Level::None) return;
        QVERIFY2(seen["uid"].get<unsigned>() != 0, all.c_str());
        QVERIFY2(!seen["secret"].get<bool>() && !seen["rootWritable"].get<bool>(), all.c_str());
        QVERIFY2(seen["home"].get<int>() == 0, all.c_str());
        QVERIFY2(seen["processes"].get<int>() <= 3, all.c_str());
        QCOMPARE(seen["interfaces"], Json::array({"lo"}));
    }

    void deathIsTold_data() {
        QTest::addColumn<Level>("level");
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<int>("signal");
        for (const Level level : {Level::Bubblewrap, Level::None}) {
            const std::string name(toString(level));
            QTest::addRow("%s: exit", name.c_str()) << level << QByteArray(R"({"do":"exit","code":3})") << 3 << 0;
            QTest::addRow("%s: exit 0", name.c_str()) << level << QByteArray(R"({"do":"exit","code":0})") << 0 << 0;
            QTest::addRow("%s: crash", name.c_str()) << level << QByteArray(R"({"do":"crash"})") << -1 << SIGSEGV;
            QTest::addRow("%s: garbage", name.c_str()) << level << QByteArray(R"({"do":"garbage"})") << -1 << SIGKILL;
        }
    }
    void deathIsTold() {
        QFETCH(Level, level);
        QFETCH(QByteArray, request);
        QFETCH(int, exitCode);
        QFETCH(int, signal);
        START(level);
        Message answer;
        QVERIFY(ask(Json::parse(request.toStdString()), answer) == WorkerProcess::Wait::Died);
        QVERIFY(!m_worker->alive());
        const std::string said = m_worker->death().describe();
        QVERIFY2(m_worker->death().exitCode == exitCode && m_worker->death().signal == signal, said.c_str());
        QVERIFY(!m_worker->death().byUs);
        COMPARE_ERR(m_worker->send({}), ErrorCode::WorkerFailed);
    }

    void killedAtTheDeadline_data() { addLevels(); }
    void killedAtTheDeadline() {
        QFETCH(Level, level);
        START(level);
        Message answer;
        QVERIFY(ask(Json{{"do", "spin"}}, answer, 50ms) == WorkerProcess::Wait::Deadline);
        QVERIFY(m_worker->alive());
        m_worker->kill();
        QVERIFY(!m_worker->alive());
        QVERIFY(m_worker->death().byUs);
        QTRY_COMPARE(countProcesses(HOSTILE_WORKER), 0);
    }

    void endlessPrintingIsDrained_data() { addLevels(); }
    void endlessPrintingIsDrained() {
        QFETCH(Level, level);
        START(level);
        Message answer;
        QVERIFY(ask(Json{{"do", "printForEver"}}, answer, 300ms) == WorkerProcess::Wait::Deadline);
        m_worker->kill();
        const std::string& output = m_worker->death().output;
        QVERIFY(output.find("dull kernel") != std::string::npos);
        QVERIFY2(output.starts_with("["), output.substr(0, 60).c_str());  // more than fits a pipe has been taken and dropped
        QVERIFY(output.size() < 4096 + 100);
    }

    void outputIsKept_data() { addLevels(); }
    void outputIsKept() {
        QFETCH(Level, level);
        START(level);
        Message answer;
        QVERIFY(ask(Json{{"do", "print"}, {"text", "hello"}}, answer) == WorkerProcess::Wait::Ready);
        QCOMPARE(m_worker->takeOutput(), std::string("said: hello\n"));
        QCOMPARE(m_worker->takeOutput(), std::string());
    }

    void forkBombIsBounded_data() { addLevels(); }
    void forkBombIsBounded() {
        QFETCH(Level, level);
        START(level);
        Message answer;
        QVERIFY(ask(Json{{"do", "fork"}}, answer) == WorkerProcess::Wait::Ready);
        const std::string all = answer.body.dump();
        if (level == Level::None && ::geteuid() == 0 && !answer.body["refused"].get<bool>()) {
            QSKIP("as root without a sandbox the worker keeps its uid where the program lies in a closed folder");
        }
        QVERIFY2(answer.body["refused"].get<bool>() && answer.body["made"].get<int>() < 5000, all.c_str());
        m_worker->kill();
        QTRY_COMPARE(countProcesses(HOSTILE_WORKER), 0);
    }

    void memoryIsBounded_data() { addLevels(); }
    void memoryIsBounded() {
        QFETCH(Level, level);
        NEED(level);
        auto options = hostile(level);
        options.memoryBytes = std::uint64_t{1} << 30;
        QVERIFY(start(options));
        Message answer;
        QVERIFY(ask(Json{{"do", "hog"}}, answer) == WorkerProcess::Wait::Ready);
        QVERIFY2(answer.body["blocks"].get<int>() < 16, answer.body.dump().c_str());
    }

    void stopsAndGoesOn_data() { addLevels(); }
    void stopsAndGoesOn() {
        QFETCH(Level, level);
        START(level);
        m_worker->suspend();
        VERIFY_OK(m_worker->send({Json{{"n", 1}}, {}}));
        Message answer;
        QVERIFY(m_worker->receive(answer, 100ms, {}) == WorkerProcess::Wait::Deadline);
        m_worker->resume();
        QVERIFY(m_worker->receive(answer, kLong, {}) == WorkerProcess::Wait::Ready);
        m_worker->suspend();
        m_worker->kill();
        QVERIFY(!m_worker->alive());
        QTRY_COMPARE(countProcesses(HOSTILE_WORKER), 0);
    }

    void stopTokenWakesTheWait() {
        START(Level::None);
        std::stop_source source;
        std::jthread stopper([&] { source.request_stop(); });
        VERIFY_OK(m_worker->send({Json{{"do", "spin"}}, {}}));
        Message answer;
        QVERIFY(m_worker->receive(answer, kLong, source.get_token()) == WorkerProcess::Wait::Stopped);
        QVERIFY(m_worker->alive());
    }

    /// A worker may be started on a thread that ends before the worker does.
    void outlivesTheThreadThatStartedIt_data() { addLevels(); }
    void outlivesTheThreadThatStartedIt() {
        QFETCH(Level, level);
        NEED(level);
        std::jthread([&] { QVERIFY(start(hostile(level))); }).join();
        Message answer;
        QVERIFY(ask(Json{{"n", 1}}, answer) == WorkerProcess::Wait::Ready);
    }

    /// Nothing is left when the engine is killed, be the worker busy, with children of its own, or stopped.
    void endsWithTheEngine_data() {
        QTest::addColumn<Level>("level");
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<bool>("stopped");
        for (const Level level : {Level::Bubblewrap, Level::None}) {
            const std::string name(toString(level));
            QTest::addRow("%s: idle", name.c_str()) << level << QByteArray("{}") << false;
            QTest::addRow("%s: busy", name.c_str()) << level << QByteArray(R"({"do":"spin"})") << false;
            QTest::addRow("%s: with a child", name.c_str()) << level << QByteArray(R"({"do":"child"})") << false;
            QTest::addRow("%s: child, stopped", name.c_str()) << level << QByteArray(R"({"do":"child"})") << true;
        }
    }
    void endsWithTheEngine() {
        QFETCH(Level, level);
        QFETCH(QByteArray, request);
        QFETCH(bool, stopped);
        NEED(level);
        // The engine is this program again (see main), so that it has a spawning thread of its own.
        QProcess engine;
        engine.start(QCoreApplication::applicationFilePath(),
                     {"--engine", QString::fromLatin1(std::string(toString(level)).c_str()), QString::fromUtf8(request), stopped ? "stop" : "run"});
        QVERIFY(engine.waitForReadyRead(60000));
        QCOMPARE(engine.readLine().trimmed(), QByteArray("ready"));
        QVERIFY(countProcesses(HOSTILE_WORKER) > 0);
        ::kill(static_cast<pid_t>(engine.processId()), SIGKILL);
        engine.waitForFinished(60000);
        QTRY_COMPARE(countProcesses(HOSTILE_WORKER), 0);
    }

    void brokenPrograms_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("missing") << QByteArray() << ErrorCode::EnvironmentMissing << "./run.sh --build-only";
        QTest::newRow("other version") << QByteArray(R"(printf '\036\000\000\000\000\000\000\000{"protocol":1,"version":"9.9"}'; sleep 60)")
                                       << ErrorCode::EnvironmentMissing << "version 9.9";
        QTest::newRow("other protocol") << QByteArray(R"(printf '\041\000\000\000\000\000\000\000{"protocol":77,"version":"0.1.0"}'; sleep 60)")
                                        << ErrorCode::EnvironmentMissing << "protocol 77";
        QTest::newRow("ends at once") << QByteArray("echo no luck >&2; exit 4") << ErrorCode::WorkerFailed << "exit code 4 before it was ready: no luck";
        QTest::newRow("no worker") << QByteArray("echo I am some other program") << ErrorCode::WorkerFailed << "no frame";
        QTest::newRow("no program") << QByteArray("\x7f" "ELF") << ErrorCode::WorkerFailed << "before it was ready";
    }
    void brokenPrograms() {
        QFETCH(QByteArray, script);
        QFETCH(ErrorCode, code);
        QFETCH(QString, says);
        QTemporaryDir folder;
        ::chmod(folder.path().toUtf8().constData(), 0755);
        const QString path = folder.filePath("worker");
        if (!script.isEmpty()) {
            std::ofstream(path.toStdString()) << (script.startsWith('\x7f') ? "" : "#!/bin/sh\n") << script.toStdString() << "\n";
            ::chmod(path.toUtf8().constData(), 0755);
        }
        for (const Level level : {Level::Bubblewrap, Level::None}) {
            if (level == Level::Bubblewrap && availability().level != Level::Bubblewrap) continue;
            if (script.startsWith('\x7f') && level == Level::None) continue;
            WorkerOptions options;
            options.program = path.toStdString();
            options.level = level;
            const auto started = WorkerProcess::start(options);
            QVERIFY(!started);
            QVERIFY2(started.error().toString().find(says.toStdString()) != std::string::npos, started.error().toString().c_str());
            QVERIFY2(started.error().toString().find(path.toStdString()) != std::string::npos, started.error().toString().c_str());
            QVERIFY(started.error().code == code);
        }
    }

    void badDeviceName() {
        for (const char* name : {"gpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"}) {
            auto options = hostile(Level::None);
            options.role = Role::Device;
            options.device = name;
            COMPARE_ERR(WorkerProcess::start(options), ErrorCode::InvalidArgument);
        }
    }

    void probeSaysWhyNot() {
        const Availability missing = probe({});
        QVERIFY(missing.level == Level::None);
        QVERIFY2(missing.reason.find("install the package bubblewrap") != std::string::npos, missing.reason.c_str());
        const Availability broken = probe("/usr/bin/false");
        QVERIFY(broken.level == Level::None);
        QVERIFY2(broken.reason.find("--no-sandbox") != std::string::npos, broken.reason.c_str());
    }

    void homeIsNotMounted() {
        const QString home = QDir::homePath();
        QVERIFY(exposesHome(home.toStdString()));
        QVERIFY(exposesHome("/"));
        QVERIFY(exposesHome(fs::path(home.toStdString()).parent_path()));
        QVERIFY(!exposesHome(fs::path(home.toStdString()) / "kernels"));
        QVERIFY(!exposesHome("/usr/include"));
    }
};

/// The engine of endsWithTheEngine(): starts a worker, gives it its request, says "ready" and waits to be killed.
static int runEngine(char** argv) {
    const Level level = std::string(argv[2]) == "none" ? Level::None : Level::Bubblewrap;
    auto worker = WorkerProcess::start(hostile(level));
    if (!worker || !(*worker)->send({Json::parse(argv[3]), {}})) return 1;
    Message answer;
    (void)(*worker)->receive(answer, 200ms, {});
    if (std::string(argv[4]) == "stop") (*worker)->suspend();
    std::puts("ready");
    std::fflush(stdout);
    for (;;) ::pause();
}

int main(int argc, char** argv) {
    if (argc > 4 && std::string(argv[1]) == "--engine") return runEngine(argv);
    QCoreApplication application(argc, argv);
    TestWorkerProcess test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_worker_process.moc"
