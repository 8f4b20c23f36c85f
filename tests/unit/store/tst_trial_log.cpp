// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <QtCore/QTemporaryDir>
#include <limits>
#include <thread>

#include "result_test.h"
#include "sample_records.h"
#include "store/trial_log.h"

using namespace ww;
using namespace ww::store;
using test::failedTrial;
using test::sampleSession;
using test::sampleTrial;

class TestTrialLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void sessionRoundTrip();
    void trialRoundTrip();
    void aLaterProfileReplacesFigures();
    void failedTrialRoundTrip_data();
    void failedTrialRoundTrip();
    void compilerBytesThatAreNoText();
    void trialsInOrderAndPaged();
    void numbersAreUnique();
    void eventsRoundTrip();
    void rejectionsAddUp();
    void bestIsTheFastestCorrectTrial();
    void finalistsDecideTheBest();
    void sharedRowsAreStoredOnce();
    void policyIsTheNewest();
    void updatesOfASession();
    void unknownThingsAreNamed();
    void names_data();
    void names();
    void statusWords();
    void readerBesideWriter();
    void killedWriterLosesNothing();

private:
    [[nodiscard]] std::unique_ptr<TrialLogWriter> writer() {
        auto opened = TrialLogWriter::open(m_file, "test");
        if (!opened) qFatal("%s", opened.error().toString().c_str());
        return std::move(*opened);
    }
    [[nodiscard]] std::unique_ptr<TrialLogReader> reader() {
        auto opened = TrialLogReader::open(m_file);
        if (!opened) qFatal("%s", opened.error().toString().c_str());
        return std::move(*opened);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
};

void TestTrialLog::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_file = std::filesystem::path(m_folder->path().toStdString()) / "new folder" / "trials.db";
}

void TestTrialLog::sessionRoundTrip() {
    const SessionRecord session = sampleSession();
    auto id = writer()->beginSession(session);
    VERIFY_OK(id);
    auto back = reader()->session(*id);
    VERIFY_OK(back);
    QCOMPARE(back->id, *id);
    QCOMPARE(back->kernel, session.kernel);
    QCOMPARE(back->title, session.title);
    QCOMPARE(back->specPath, session.specPath);
    QCOMPARE(back->device.dump(), session.device.dump());
    QCOMPARE(back->workload, session.workload);
    QCOMPARE(back->strategy, session.strategy);
    QCOMPARE(back->objective, session.objective);
    QCOMPARE(back->seed, session.seed);
    QCOMPARE(back->budgetTrials, session.budgetTrials);
    QCOMPARE(back->budgetSeconds, session.budgetSeconds);
    QCOMPARE(back->sandbox, session.sandbox);
    QCOMPARE(back->startedAt, session.startedAt);
    QVERIFY(back->endedAt.empty());
    QCOMPARE(back->sourceText, session.sourceText);
    QCOMPARE(back->sourcePath, session.sourcePath);
    QCOMPARE(back->entry, session.entry);
    QCOMPARE(back->specJson.dump(), session.specJson.dump());
    QCOMPARE(back->noiseFloor, session.noiseFloor);
    QCOMPARE(back->constraints.dump(), session.constraints.dump());
    QCOMPARE(back->facts.dump(), session.facts.dump());
    QCOMPARE(back->trials, 0);
    QVERIFY(!back->best);
    QCOMPARE(back->parameters.size(), std::size_t{2});
    QCOMPARE(back->parameters[0].name, std::string("TILE"));
    QCOMPARE(back->parameters[0].effect, std::string("Edge of a tile"));
    QCOMPARE(back->parameters[0].values.dump(), std::string("[8,16,32]"));
    QCOMPARE(back->parameters[1].defaultValue.dump(), std::string("\"fp32\""));
    auto list = reader()->sessions();
    VERIFY_OK(list);
    QCOMPARE(list->size(), std::size_t{1});
    QVERIFY(list->front().sourceText.empty());
}

void TestTrialLog::aLaterProfileReplacesFigures() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(session);
    auto trial = sampleTrial(*session, 1);
    trial.metrics = {{"profile/dram_pct", 61.25, "counters"}, {"profile/time_ns", 100, "activity"}};
    auto id = log->addTrial(trial, {});
    VERIFY_OK(id);
    VERIFY_OK(log->addMetrics(*id, {{"profile/time_ns", 98, "counters"}, {"profile/l2_pct", 40, "counters"}}));
    const auto back = reader()->trialById(*id);
    VERIFY_OK(back);
    const std::vector<MetricRecord> expected{{"profile/dram_pct", 61.25, "counters"}, {"profile/l2_pct", 40, "counters"}, {"profile/time_ns", 98, "counters"}};
    QVERIFY(back->metrics == expected);
    COMPARE_ERR(log->addMetrics(*id + 1000, {{"profile/l2_pct", 40, "counters"}}), ErrorCode::DatabaseError);
}

void TestTrialLog::trialRoundTrip() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(session);
    TrialRecord trial = sampleTrial(*session, 1);
    trial.metrics = {{"profile/dram_pct", 61.25, "counters"}, {"profile/estimated_bandwidth", 2.5e12, "estimate"}};
    auto id = log->addTrial(trial, {});
    VERIFY_OK(id);
    auto back = reader()->trial(*session, 1);
    VERIFY_OK(back);
    QCOMPARE(back->id, *id);
    QVERIFY(back->metrics == trial.metrics);
    QCOMPARE(back->config.dump(), trial.config.dump());
    QVERIFY(back->status == trial.status && back->verdict == trial.verdict);
    QVERIFY(back->timeNs == trial.timeNs && back->timeCi == trial.timeCi);
    QVERIFY(back->ratio == trial.ratio && back->ratioCi == trial.ratioCi);
    QVERIFY(back->reward.total == trial.reward.total && back->reward.speed == trial.reward.speed);
    QVERIFY(back->reward.roof == trial.reward.roof && back->reward.correctness == trial.reward.correctness);
    QCOMPARE(back->reward.formula, trial.reward.formula);
    QVERIFY(back->stages == trial.stages);
    QCOMPARE(back->message, trial.message);
    QCOMPARE(back->origin, trial.origin);
    QCOMPARE(back->objectHash, trial.objectHash);
    QVERIFY(back->sharedWith == trial.sharedWith);
    QCOMPARE(back->compileFacts.dump(), trial.compileFacts.dump());
    QCOMPARE(back->policy.dump(), trial.policy.dump());
    QCOMPARE(back->correctness.dump(), trial.correctness.dump());
    QCOMPARE(back->startedAt, trial.startedAt);
    QCOMPARE(back->log, trial.log);
    QCOMPARE(back->diagnosis.dump(), trial.diagnosis.dump());
    QVERIFY(back->samplesNs == trial.samplesNs && back->baselineSamplesNs == trial.baselineSamplesNs);
    auto byId = reader()->trialById(*id);
    VERIFY_OK(byId);
    QCOMPARE(byId->number, 1);
    auto listed = reader()->trials(*session);
    VERIFY_OK(listed);
    QVERIFY(listed->front().samplesNs.empty() && listed->front().log.empty());
    QCOMPARE(listed->front().diagnosis.dump(), trial.diagnosis.dump());
}

void TestTrialLog::failedTrialRoundTrip_data() {
    QTest::addColumn<int>("status");
    for (const TrialStatus status : kAllTrialStatuses)
        QTest::newRow(std::string(toString(status)).c_str()) << static_cast<int>(status);
}

void TestTrialLog::failedTrialRoundTrip() {
    QFETCH(int, status);
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(session);
    VERIFY_OK(log->addTrial(failedTrial(*session, 1, static_cast<TrialStatus>(status)), {}));
    auto back = reader()->trial(*session, 1);
    VERIFY_OK(back);
    QCOMPARE(static_cast<int>(back->status), status);
    QVERIFY(!back->verdict && !back->timeNs && !back->timeCi && !back->ratio && !back->ratioCi && !back->reward.total && !back->sharedWith);
    QVERIFY(back->compileFacts.is_null() && back->policy.is_null());
    QVERIFY(back->samplesNs.empty() && back->log.empty());
}

void TestTrialLog::compilerBytesThatAreNoText() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(session);
    TrialRecord trial = sampleTrial(*session, 1);
    trial.log = std::string("caf\xe9 \0 end", 10);
    trial.message = "caf\xe9";
    trial.compileFacts = Json{{"note", "caf\xe9"}};
    trial.samplesNs = {std::numeric_limits<double>::infinity(), 0.0};
    VERIFY_OK(log->addTrial(trial, {}));
    auto back = reader()->trial(*session, 1);
    VERIFY_OK(back);
    QCOMPARE(back->log, trial.log);
    QCOMPARE(back->message, trial.message);
    QCOMPARE(back->compileFacts["note"].get<std::string>(), std::string("caf\xef\xbf\xbd"));
    QVERIFY(back->samplesNs == trial.samplesNs);
}

void TestTrialLog::trialsInOrderAndPaged() {
    auto log = writer();
    auto first = log->beginSession(sampleSession()), second = log->beginSession(sampleSession());
    for (int number = 1; number <= 5; ++number) {
        VERIFY_OK(log->addTrial(sampleTrial(*first, number), {}));
        VERIFY_OK(log->addTrial(sampleTrial(*second, number), {}));
    }
    auto page = reader()->trials(*second, 2, 3);
    VERIFY_OK(page);
    QCOMPARE(page->size(), std::size_t{3});
    QCOMPARE(page->front().number, 2);
    QCOMPARE(page->back().number, 4);
    QCOMPARE(page->front().sessionId, *second);
    QCOMPARE(reader()->session(*first)->trials, 5);
}

void TestTrialLog::numbersAreUnique() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(log->addTrial(sampleTrial(*session, 1), {}));
    COMPARE_ERR(log->addTrial(sampleTrial(*session, 1), {{"c1", "fits", 3}}), ErrorCode::DatabaseError);
    // The refused transaction left nothing behind, and the writer goes on.
    QVERIFY(reader()->rejections(*session)->empty());
    COMPARE_ERR(log->addTrial(sampleTrial(*session + 7, 1), {}), ErrorCode::DatabaseError);
    VERIFY_OK(log->addTrial(sampleTrial(*session, 2), {}));
}

void TestTrialLog::eventsRoundTrip() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(log->addEvent({0, *session, 0, "2026-01-31T12:00:00.500Z", "pin", Json{{"TILE", 16}}}));
    VERIFY_OK(log->addEvent({0, *session, 3, "", "note", "looks good"}));
    auto events = reader()->events(*session);
    VERIFY_OK(events);
    QCOMPARE(events->size(), std::size_t{2});
    QCOMPARE(events->at(0).kind, std::string("pin"));
    QCOMPARE(events->at(0).at, std::string("2026-01-31T12:00:00.500Z"));
    QCOMPARE(events->at(0).data.dump(), std::string("{\"TILE\":16}"));
    QCOMPARE(events->at(1).afterTrial, 3);
    QVERIFY(!events->at(1).at.empty());
    QVERIFY(events->at(0).id < events->at(1).id);
}

void TestTrialLog::rejectionsAddUp() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(log->addTrial(sampleTrial(*session, 1), {{"c1", "too large", 3}, {"c2", "odd", 1}}));
    VERIFY_OK(log->addTrial(sampleTrial(*session, 2), {{"c2", "odd", 5}, {"c3", "never", 0}}));
    VERIFY_OK(log->addRejections(*session, {{"c2", "odd", 1}}));
    auto rejections = reader()->rejections(*session);
    VERIFY_OK(rejections);
    QCOMPARE(rejections->size(), std::size_t{2});
    QCOMPARE(rejections->at(0).constraintId, std::string("c2"));
    QCOMPARE(rejections->at(0).sentence, std::string("odd"));
    QCOMPARE(rejections->at(0).count, std::int64_t{7});
    QCOMPARE(rejections->at(1).count, std::int64_t{3});
}

void TestTrialLog::bestIsTheFastestCorrectTrial() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(log->addTrial(sampleTrial(*session, 1, 900), {}));
    VERIFY_OK(log->addTrial(sampleTrial(*session, 2, 700), {}));
    TrialRecord wrong = sampleTrial(*session, 3, 10);
    wrong.status = TrialStatus::WrongResult;
    VERIFY_OK(log->addTrial(wrong, {}));
    VERIFY_OK(log->addTrial(failedTrial(*session, 4, TrialStatus::Ok), {}));
    auto back = reader()->session(*session);
    VERIFY_OK(back);
    QVERIFY(back->best.has_value());
    QCOMPARE(back->best->trialNumber, 2);
    QCOMPARE(back->best->timeNs, std::int64_t{700});
    QCOMPARE(back->best->ratio, 1.25);
    QVERIFY(back->best->verdict == Verdict::Faster);
}

void TestTrialLog::finalistsDecideTheBest() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(log->addTrial(sampleTrial(*session, 1, 900), {}));
    VERIFY_OK(log->addTrial(sampleTrial(*session, 2, 700), {}));
    VERIFY_OK(log->addTrial(sampleTrial(*session, 3, 710), {}));
    const MeasuredRecord best{3, Json{{"TILE", 8}}, 705, {700, 710}, 1.28, {1.27, 1.29}, Verdict::Faster, {705, 704.5}};
    const MeasuredRecord base{1, Json{{"TILE", 16}}, 902, {901, 903}, 1, {1, 1}, Verdict::Same, {902, 901.5, 903}};
    VERIFY_OK(log->addMeasurements(*session, "bench", {base}));
    QCOMPARE(reader()->session(*session)->best->trialNumber, 2);
    VERIFY_OK(log->addMeasurements(*session, "finalists", {best, base}));
    auto back = reader()->session(*session);
    VERIFY_OK(back);
    QCOMPARE(back->finalists.size(), std::size_t{2});
    QCOMPARE(back->best->trialNumber, 3);
    QCOMPARE(back->best->config.dump(), best.config.dump());
    QVERIFY(back->best->timeCi == best.timeCi && back->best->ratioCi == best.ratioCi);
    QVERIFY(back->best->samplesNs == best.samplesNs);
    QVERIFY(back->finalists[1].samplesNs == base.samplesNs);
    // Later measurements are no samples of the trial itself.
    QVERIFY(reader()->trial(*session, 3)->samplesNs == sampleTrial(1, 1).samplesNs);
    QCOMPARE(reader()->events(*session)->back().kind, std::string("finalists"));
    QCOMPARE(reader()->events(*session)->back().afterTrial, 3);
}

void TestTrialLog::sharedRowsAreStoredOnce() {
    auto log = writer();
    auto first = log->beginSession(sampleSession()), again = log->beginSession(sampleSession());
    VERIFY_OK(again);
    QVERIFY(*first != *again);
    SessionRecord other = sampleSession();
    other.sourceText += "\n";
    other.device["driver"] = "2";
    auto third = log->beginSession(other);
    VERIFY_OK(third);
    QCOMPARE(reader()->session(*third)->sourceText, other.sourceText);
    QCOMPARE(reader()->session(*again)->sourceText, sampleSession().sourceText);
    QVERIFY(!reader()->session(*first)->device.contains("driver"));
    auto sessions = reader()->sessions();
    QCOMPARE(sessions->size(), std::size_t{3});
    QCOMPARE(sessions->front().id, *third);
}

void TestTrialLog::policyIsTheNewest() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    QVERIFY(!reader()->policy(*session)->has_value());
    std::string weights(100000, '\0');
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<char>(i * 7 % 251);
    VERIFY_OK(log->savePolicy(*session, 4, "ppo", "old"));
    VERIFY_OK(log->savePolicy(*session, 8, "ppo", weights));
    VERIFY_OK(log->addArtifact(*session, std::nullopt, "ptx", weights));
    auto policy = reader()->policy(*session);
    VERIFY_OK(policy);
    QVERIFY(policy->value() == weights);
}

void TestTrialLog::updatesOfASession() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(log->setNoiseFloor(*session, 0.02));
    VERIFY_OK(log->updateSession(*session, SessionStatus::Paused, 60, 0));
    auto paused = reader()->session(*session);
    QVERIFY(paused->status == SessionStatus::Paused && paused->endedAt.empty());
    QCOMPARE(paused->budgetTrials, 60);
    QCOMPARE(paused->noiseFloor, 0.02);
    VERIFY_OK(log->updateSession(*session, SessionStatus::Finished, 60, 0));
    QVERIFY(!reader()->session(*session)->endedAt.empty());
    COMPARE_ERR(log->updateSession(99, SessionStatus::Finished, 1, 0), ErrorCode::NotFound);
    COMPARE_ERR(log->setNoiseFloor(99, 0.1), ErrorCode::NotFound);
}

void TestTrialLog::unknownThingsAreNamed() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    auto missing = reader()->session(77);
    COMPARE_ERR(missing, ErrorCode::NotFound);
    QVERIFY(missing.error().message.find("holds " + std::to_string(*session)) != std::string::npos);
    COMPARE_ERR(reader()->trial(*session, 1), ErrorCode::NotFound);
    VERIFY_OK(log->addTrial(sampleTrial(*session, 1), {}));
    auto trial = reader()->trial(*session, 9);
    COMPARE_ERR(trial, ErrorCode::NotFound);
    QVERIFY(trial.error().message.find("1 to 1") != std::string::npos);
    COMPARE_ERR(reader()->trialById(1234), ErrorCode::NotFound);
    QVERIFY(reader()->trials(77)->empty());
}

void TestTrialLog::names_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("expected"); // 0: NotFound, -1: InvalidArgument
    QTest::newRow("last") << "last" << 2;
    QTest::newRow("number") << "1" << 1;
    QTest::newRow("missing") << "3" << 0;
    QTest::newRow("word") << "first" << -1;
    QTest::newRow("trailing") << "1x" << -1;
    QTest::newRow("empty") << "" << -1;
    QTest::newRow("overflow") << "99999999999999999999" << -1;
}

void TestTrialLog::names() {
    QFETCH(QString, name);
    QFETCH(int, expected);
    auto log = writer();
    COMPARE_ERR(reader()->resolve("last"), ErrorCode::NotFound);
    VERIFY_OK(log->beginSession(sampleSession()));
    VERIFY_OK(log->beginSession(sampleSession()));
    auto id = reader()->resolve(name.toStdString());
    if (expected > 0) {
        VERIFY_OK(id);
        QCOMPARE(static_cast<int>(*id), expected);
    } else {
        COMPARE_ERR(id, expected == 0 ? ErrorCode::NotFound : ErrorCode::InvalidArgument);
    }
}

void TestTrialLog::statusWords() {
    for (const SessionStatus status :
         {SessionStatus::Running, SessionStatus::Paused, SessionStatus::Finished, SessionStatus::Interrupted, SessionStatus::Failed})
        QVERIFY(sessionStatusFrom(toString(status)) == status);
    QVERIFY(!sessionStatusFrom("happy"));
}

void TestTrialLog::readerBesideWriter() {
    auto log = writer();
    auto session = log->beginSession(sampleSession());
    VERIFY_OK(session);
    auto view = reader();
    constexpr int kTrials = 200;
    std::thread writing([&] {
        for (int number = 1; number <= kTrials; ++number)
            if (auto added = log->addTrial(sampleTrial(*session, number), {}); !added) return;
    });
    // Every look sees a prefix without gaps, and never fewer than before.
    std::size_t seen = 0;
    bool ordered = true;
    std::string problem;
    while (seen < kTrials && ordered && problem.empty()) {
        auto trials = view->trials(*session);
        if (!trials) {
            problem = trials.error().toString();
            break;
        }
        ordered = trials->size() >= seen && (trials->empty() || trials->back().number == static_cast<int>(trials->size()));
        seen = trials->size();
    }
    writing.join();
    QVERIFY2(problem.empty(), problem.c_str());
    QVERIFY(ordered);
    QCOMPARE(view->trials(*session)->size(), std::size_t{kTrials});
}

void TestTrialLog::killedWriterLosesNothing() {
    // A child writes as fast as it can and tells each committed number through a pipe; it is killed in the middle.
    for (int round = 0; round < 3; ++round) {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) {
            auto log = TrialLogWriter::open(m_file, "child, process 1");
            if (!log) ::_exit(1);
            auto session = (*log)->beginSession(sampleSession());
            if (!session) ::_exit(1);
            for (int number = 1;; ++number) {
                if (!(*log)->addTrial(sampleTrial(*session, number), {{"c1", "fits", 1}})) ::_exit(1);
                if (::write(ends[1], &number, sizeof number) != sizeof number) ::_exit(1);
            }
        }
        ::close(ends[1]);
        int committed = 0;
        while (committed < 30 + 17 * round && ::read(ends[0], &committed, sizeof committed) == sizeof committed) {
        }
        ::kill(child, SIGKILL);
        for (int number = 0; ::read(ends[0], &number, sizeof number) == sizeof number;)
            committed = number;
        ::close(ends[0]);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        QVERIFY(committed >= 30);
        // Whoever looks first recovers the log, a reader too.
        auto early = TrialLogReader::open(m_file);
        VERIFY_OK(early);
        auto lastSession = (*early)->resolve("last");
        VERIFY_OK(lastSession);
        QVERIFY((*early)->trials(*lastSession)->size() >= static_cast<std::size_t>(committed));
        early->reset();
        // The lock went with the process, the session is marked, and a new writer goes on in the same file.
        auto log = TrialLogWriter::open(m_file, "test");
        VERIFY_OK(log);
        auto view = reader();
        auto session = view->resolve("last");
        VERIFY_OK(session);
        auto trials = view->trials(*session);
        VERIFY_OK(trials);
        const int kept = static_cast<int>(trials->size());
        QVERIFY2(kept == committed || kept == committed + 1, qPrintable(QString("%1 kept of %2").arg(kept).arg(committed)));
        QVERIFY(view->trial(*session, kept)->samplesNs == sampleTrial(1, 1).samplesNs);
        QCOMPARE(view->rejections(*session)->front().count, static_cast<std::int64_t>(kept));
        QVERIFY(view->session(*session)->status == SessionStatus::Interrupted);
        VERIFY_OK((*log)->addTrial(sampleTrial(*session, kept + 1), {}));
    }
}

QTEST_APPLESS_MAIN(TestTrialLog)
#include "tst_trial_log.moc"
