// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "bridge/event_queue.h"
#include "bridge/text.h"
#include "model/session_model.h"
#include "model/sessions_model.h"
#include "model/settings.h"
#include "model/trials_model.h"
#include "quiet_app.h"
#include "sample_data.h"
#include "views/correctness_text.h"

using namespace ww;
using namespace ww::ui;

class TestModels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        qtWarnings().clear();
        previousHandler() = qInstallMessageHandler(collectWarnings);
    }
    void cleanup() {
        qInstallMessageHandler(previousHandler());
        VERIFY_NO_WARNINGS();
    }

    void aBaselineThatNothingBeatIsTheBest() {
        SessionModel model;
        store::MeasuredRecord slower, baseline;
        slower.trialNumber = 2;
        slower.timeNs = 1200;
        slower.ratio = 0.8;
        baseline.trialNumber = 1;
        baseline.timeNs = 1000;
        model.apply({engine::FinalistsMeasured{{slower, baseline}}});
        QCOMPARE(model.best().trial, 1);
        QCOMPARE(model.best().ratio, 1.0);
    }

    void batchesBecomeState() {
        SessionModel model;
        QSignalSpy trials(&model, &SessionModel::trialsAdded);
        QSignalSpy restarted(&model, &SessionModel::restarted);
        model.apply(sample::running(74, 100));
        QCOMPARE(restarted.count(), 1);
        QCOMPARE(trials.count(), 1);    // one signal for a batch of 74
        QCOMPARE(model.trials().size(), std::size_t(74));
        QCOMPARE(model.parameters().size(), std::size_t(7));
        QCOMPARE(model.events().size(), std::size_t(3));
        QCOMPARE(model.pinnedValue(3), 2);
        QVERIFY(model.isBanned(5, 3));
        QVERIFY(!model.isBanned(5, 2));
        QCOMPARE(model.constraints().front().refused, qint64(3120));
        QCOMPARE(model.runningTrial(), 75);
        QCOMPARE(model.runningValues(), (std::vector<int>{3, 2, 1, 2, 2, 0, 0}));
        QVERIFY(model.best().known);
        QVERIFY(!model.best().verified);
        QCOMPARE(model.combinations(), 5.0 * 4 * 4 * 4 * 4 * 4 * 2);
    }

    void bestIsTheHighestCorrectRatio() {
        SessionModel model;
        model.apply(sample::running(50, 50));
        double highest = 0;
        int number = 0;
        for (int n = 1; n <= 50; ++n) {
            const auto record = sample::trial(n);
            if (record->status == TrialStatus::Ok && *record->ratio > highest) {
                highest = *record->ratio;
                number = n;
            }
        }
        QCOMPARE(model.best().trial, number);
        QCOMPARE(model.best().ratio, highest);
        double before = 0;
        for (const auto& each : model.trials()) {
            QVERIFY(each.bestRatio >= before);
            before = each.bestRatio;
        }
        QCOMPARE(before, highest);
    }

    void endingVerifiesTheBest() {
        SessionModel model;
        model.apply(sample::running(30, 30));
        std::vector<std::shared_ptr<const store::TrialRecord>> records;
        for (const auto& each : model.trials()) records.push_back(each.record);
        QSignalSpy ended(&model, &SessionModel::sessionEnded);
        const double before = model.best().ratio;
        model.apply(sample::finished(records));
        QCOMPARE(ended.count(), 1);
        QVERIFY(model.best().verified);
        QCOMPARE(model.best().ratio, before - 0.02);
        QVERIFY(model.runningValues().empty());
    }

    void stoppedSessionHasNoVerifiedBest() {
        SessionModel model;
        model.apply(sample::running(30, 100));
        store::MeasuredRecord best;
        best.trialNumber = model.best().trial;
        best.ratio = model.best().ratio;
        model.apply(EventBatch{engine::SessionEnded{store::SessionStatus::Interrupted, std::nullopt, best}});
        QVERIFY(model.best().known);
        QVERIFY(!model.best().verified);
    }

    void noiseFloorArrivesWithProgress() {
        SessionModel model;
        model.apply(sample::running(1, 10));
        engine::Progress progress;
        progress.diagnostics = {{"noise_floor", 0.031}};
        model.apply(EventBatch{progress});
        QCOMPARE(model.session().noiseFloor, 0.031);
    }

    void unpinAndUnbanUndo() {
        SessionModel model;
        model.apply(sample::running(60, 100));
        model.addEvents({sample::event(60, "unpin", {{"parameter", "VECTOR"}}), sample::event(60, "unban", {{"parameter", "SPLIT_K"}, {"value", 8}})});
        QCOMPARE(model.pinnedValue(3), -1);
        QVERIFY(!model.isBanned(5, 3));
        model.addEvents({sample::event(60, "pin", {{"parameter", "NO_SUCH"}, {"value", 1}}), sample::event(60, "pin", {{"parameter", "VECTOR"}, {"value", 3}})});
        QCOMPARE(model.pinnedValue(3), -1);
    }

    void maskWithOneValueLeftIsAPin() {
        SessionModel model;
        model.apply(sample::running(1, 10));
        space::ValueMask mask = model.mask();
        mask[0] = {false, false, true, false, false};
        mask[1] = {true, false, true, true};
        model.setMask(mask);
        QCOMPARE(model.pinnedValue(0), 2);
        QVERIFY(!model.isBanned(0, 1));
        QVERIFY(model.isBanned(1, 1));
        model.setMask({});  // a mask of another space changes nothing
        QCOMPARE(model.pinnedValue(0), 2);
    }

    void marginalMedian() {
        SessionModel model;
        model.begin(SessionModel::Origin::Live, sample::session(), {});
        std::vector<std::shared_ptr<const store::TrialRecord>> records;
        const std::vector<std::int64_t> times{300, 100, 200, 900};
        for (int i = 0; i < 4; ++i) {
            auto record = std::make_shared<store::TrialRecord>(*sample::trial(1));
            record->number = i + 1;
            record->config["TILE_M"] = i == 3 ? 16 : 32;
            record->timeNs = times[static_cast<std::size_t>(i)];
            records.push_back(record);
        }
        model.addTrials(records);
        QCOMPARE(model.marginalMedianNs(0, 1).value_or(0), 200.0);
        QCOMPARE(model.marginalMedianNs(0, 0).value_or(0), 900.0);
        QVERIFY(!model.marginalMedianNs(0, 4).has_value());
    }

    void trialTableIsNewestFirst() {
        SessionModel session;
        TrialsModel table(&session);
        QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        session.apply(sample::running(3, 10));
        QCOMPARE(table.rowCount(), 3);
        QCOMPARE(table.index(0, TrialsModel::Number).data().toString(), QStringLiteral("3"));
        QCOMPARE(table.index(2, TrialsModel::Number).data().toString(), QStringLiteral("1"));
        session.addTrials({sample::trial(4), sample::trial(5)});
        QCOMPARE(table.trialNumberAt(0), 5);
        QCOMPARE(table.rowOf(1), 4);
        QCOMPARE(table.rowOf(99), -1);
        session.clear();
        QCOMPARE(table.rowCount(), 0);
    }

    void failedTrialShowsADashAndItsReason() {
        SessionModel session;
        TrialsModel table(&session);
        session.begin(SessionModel::Origin::Live, sample::session(), {});
        auto record = std::make_shared<store::TrialRecord>(*sample::trial(1));
        record->status = TrialStatus::WrongResult;
        record->message = "y differs";
        record->timeNs.reset();
        record->ratio.reset();
        record->ratioCi.reset();
        session.addTrials({record});
        QCOMPARE(table.index(0, TrialsModel::Time).data().toString(), QString(kDash));
        QCOMPARE(table.index(0, TrialsModel::Ratio).data().toString(), QString(kDash));
        QCOMPARE(table.index(0, TrialsModel::Outcome).data().toString(), QStringLiteral("wrong_result"));
        QVERIFY(table.index(0, TrialsModel::Outcome).data(Qt::ToolTipRole).toString().contains(QStringLiteral("y differs")));
    }

    void tenThousandTrialsInBatches() {
        SessionModel session;
        TrialsModel table(&session);
        QSignalSpy inserted(&table, &QAbstractItemModel::rowsInserted);
        session.apply(sample::running(0, 30000));
        std::vector<std::shared_ptr<const store::TrialRecord>> chunk;
        for (int number = 1; number <= 25000; ++number) {
            auto record = std::make_shared<store::TrialRecord>(*sample::trial(1 + number % 7));
            record->number = number;
            chunk.push_back(std::move(record));
            if (number % 250 == 0) {
                EventBatch batch;
                for (const auto& each : chunk) batch.push_back(engine::TrialFinished{each});
                chunk.clear();
                session.apply(batch);
            }
        }
        QCOMPARE(session.trials().size(), std::size_t(25000));
        QCOMPARE(inserted.count(), 100);
        QCOMPARE(table.rowCount(), TrialsModel::kCapacity);     // the ring keeps the newest
        QCOMPARE(table.trialNumberAt(0), 25000);
        QCOMPARE(table.trialNumberAt(TrialsModel::kCapacity - 1), 25000 - TrialsModel::kCapacity + 1);
    }

    void sessionsTable() {
        SessionsModel table;
        QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto record = sample::session();
        record.trials = 12;
        table.setSessions({record, record});
        QCOMPARE(table.rowCount(), 2);
        QCOMPARE(table.idAt(0), qint64(7));
        QCOMPARE(table.index(0, SessionsModel::Best).data().toString(), QString(kDash));
        QCOMPARE(table.index(0, SessionsModel::Trials).data().toString(), QStringLiteral("12"));
        table.setSessions({});
        QCOMPARE(table.idAt(0), qint64(0));
    }

    void queueHandsOverEverythingOnce() {
        EventQueue queue;
        for (const auto& event : sample::running(5, 10)) queue.push(event);
        QCOMPARE(queue.take().size(), sample::running(5, 10).size());
        QVERIFY(queue.take().empty());
    }

    void valueTexts_data() {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("text");
        QTest::newRow("int") << "64" << "64";
        QTest::newRow("bool") << "true" << "true";
        QTest::newRow("string") << "\"fp16\"" << "fp16";
        QTest::newRow("float") << "0.5" << "0.5";
        QTest::newRow("tuple") << "[64, 32]" << "64x32";
        QTest::newRow("null") << "null" << QString(kDash);
    }
    void valueTexts() {
        QFETCH(QString, json);
        QFETCH(QString, text);
        QCOMPARE(valueText(Json::parse(json.toStdString())), text);
    }

    void correctnessInWords() {
        const auto passed = describeCorrectness(*sample::trial(1));
        QVERIFY(passed.passed);
        QVERIFY2(passed.detail.contains(QStringLiteral("2.4e-06")), qPrintable(passed.detail));
        QVERIFY2(passed.detail.contains(QStringLiteral("[1047559]")), qPrintable(passed.detail));
        store::TrialRecord wrong = *sample::trial(1);
        wrong.status = TrialStatus::WrongResult;
        QVERIFY(!describeCorrectness(wrong).passed);
        wrong.status = TrialStatus::CompileError;
        QVERIFY(describeCorrectness(wrong).headline.isEmpty());
    }

    void settingsRemember() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("window.ini"));
        {
            Settings settings(file);
            QCOMPARE(settings.theme(), QStringLiteral("system"));
            QCOMPARE(settings.trials(), 200);
            settings.setTheme(QStringLiteral("dark"));
            settings.addRecent(QStringLiteral("/a"));
            settings.addRecent(QStringLiteral("/b"));
            settings.addRecent(QStringLiteral("/a"));
            settings.setWindow("g", "l");
        }
        Settings again(file);
        QCOMPARE(again.theme(), QStringLiteral("dark"));
        QCOMPARE(again.recent(), (QStringList{QStringLiteral("/a"), QStringLiteral("/b")}));
        QCOMPARE(again.layout(), QByteArray("l"));
        again.forgetLayout();
        QVERIFY(again.layout().isEmpty());
    }
};

int main(int argc, char** argv) {
    return runWindowTest<TestModels>(argc, argv);
}
#include "tst_ui_models.moc"
