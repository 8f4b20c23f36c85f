// SPDX-License-Identifier: GPL-3.0-or-later
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest/QtTest>

#include "model/session_model.h"
#include "model/trials_model.h"
#include "quiet_app.h"
#include "sample_data.h"
#include "views/curves_view.h"
#include "views/parameter_row.h"
#include "views/ratio_plot.h"
#include "views/reward_plot.h"
#include "views/source_view.h"
#include "views/space_view.h"
#include "views/status_strip.h"
#include "views/trial_view.h"
#include "views/trials_view.h"
#include "widgets/density_strip.h"
#include "widgets/value_chip.h"

using namespace ww;
using namespace ww::ui;

class TestViews : public QObject {
    Q_OBJECT

    SessionModel m_model;

private Q_SLOTS:
    void init() {
        qtWarnings().clear();
        previousHandler() = qInstallMessageHandler(collectWarnings);
        m_model.clear();
    }
    void cleanup() {
        qInstallMessageHandler(previousHandler());
        VERIFY_NO_WARNINGS();
    }

    void chipsAskForPinsAndBans() {
        m_model.apply(sample::running(10, 100));
        SpaceView view(&m_model, nullptr);
        view.resize(330, 700);
        view.show();
        QCOMPARE(view.items(), 7);
        QSignalSpy pins(&view, &SpaceView::pinAsked), unpins(&view, &SpaceView::unpinAsked);
        QSignalSpy bans(&view, &SpaceView::banAsked), unbans(&view, &SpaceView::unbanAsked);
        auto* chip = view.rows()[0]->chips()[3];
        QTest::mouseClick(chip, Qt::LeftButton);
        QCOMPARE(pins.count(), 1);
        QCOMPARE(pins.last(), (QVariantList{0, 3}));
        QVERIFY(!chip->state().pinned);     // what is shown is what the engine answered
        m_model.addEvents({sample::event(10, "pin", {{"parameter", "TILE_M"}, {"value", 128}})});
        QVERIFY(chip->state().pinned);
        QTest::mouseClick(chip, Qt::LeftButton);
        QCOMPARE(unpins.count(), 1);
        QTest::mouseClick(view.rows()[2]->chips()[1], Qt::LeftButton, Qt::AltModifier);
        QCOMPARE(bans.last(), (QVariantList{2, 1}));
        QTest::keyClick(view.rows()[1]->chips()[2], Qt::Key_Space);
        QCOMPARE(pins.last(), (QVariantList{1, 2}));
        QTest::keyClick(view.rows()[1]->chips()[2], Qt::Key_Delete);
        QCOMPARE(bans.last(), (QVariantList{1, 2}));
        m_model.addEvents({sample::event(10, "ban", {{"parameter", "TILE_N"}, {"value", 64}})});
        QVERIFY(view.rows()[1]->chips()[2]->state().banned);
        QTest::keyClick(view.rows()[1]->chips()[2], Qt::Key_Delete);
        QCOMPARE(unbans.count(), 1);
    }

    void chipsShowRunningBestAndProbability() {
        m_model.apply(sample::running(74, 100));
        SpaceView view(&m_model, nullptr);
        QVERIFY(view.rows()[0]->chips()[3]->state().running);
        QVERIFY(!view.rows()[0]->chips()[2]->state().running);
        QCOMPARE(view.rows()[0]->chips()[3]->state().probability, 0.62F);
        const auto best = m_model.bestValues();
        for (std::size_t p = 0; p < best.size(); ++p) QVERIFY(view.rows()[p]->chips()[static_cast<std::size_t>(best[p])]->state().best);
        QVERIFY(view.rows()[3]->chips()[0]->state().excluded);
        for (auto* row : view.rows()) {
            for (auto* chip : row->chips()) QVERIFY(!chip->accessibleName().isEmpty());
        }
    }

    void manyValuesWrapAndVeryManyBecomeAStrip() {
        auto session = sample::session();
        session.parameters[0].values = Json::array();
        for (int v = 0; v < 16; ++v) session.parameters[0].values.push_back(v * 1000);
        session.parameters[1].values = Json::array();
        for (int v = 0; v < 200; ++v) session.parameters[1].values.push_back(v);
        m_model.begin(SessionModel::Origin::Task, session, {});
        SpaceView view(&m_model, nullptr);
        view.resize(300, 700);
        view.show();
        QCoreApplication::sendPostedEvents();
        auto* row = view.rows()[0];
        QVERIFY(row->chips().front()->y() < row->chips().back()->y());
        for (auto* chip : row->chips()) QVERIFY(chip->geometry().right() <= row->width());
        auto* strip = view.rows()[1]->strip();
        QVERIFY(strip != nullptr);
        QSignalSpy pins(&view, &SpaceView::pinAsked);
        strip->setFocus();
        QTest::keyClick(strip, Qt::Key_Right);
        QTest::keyClick(strip, Qt::Key_Right);
        QTest::keyClick(strip, Qt::Key_Space);
        QCOMPARE(pins.last(), (QVariantList{1, 2}));
    }

    void tableKeepsItsPlaceWhileRowsArrive() {
        m_model.apply(sample::running(200, 400));
        TrialsView view(&m_model, nullptr);
        view.resize(700, 300);
        view.show();
        auto* bar = view.table()->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 50);
        bar->setValue(50);
        const int seen = view.model()->trialNumberAt(view.table()->rowAt(5));
        m_model.addTrials({sample::trial(201), sample::trial(202), sample::trial(203)});
        QTRY_COMPARE(view.model()->trialNumberAt(view.table()->rowAt(5)), seen);
        bar->setValue(0);
        m_model.addTrials({sample::trial(204)});
        QTRY_COMPARE(view.model()->trialNumberAt(view.table()->rowAt(5)), 204);
    }

    void selectingARowShowsTheTrial() {
        m_model.apply(sample::running(30, 100));
        TrialsView table(&m_model, nullptr);
        TrialView details(&m_model, nullptr);
        QSignalSpy titles(&details, &TrialView::titleChanged);
        table.table()->selectRow(20);
        QCOMPARE(m_model.selected(), 10);
        QCOMPARE(titles.last().first().toString(), QStringLiteral("Trial 10"));
        QVERIFY(details.items() > 5);
        m_model.addTrials({sample::trial(31)});
        QCOMPARE(m_model.selected(), 10);
        QCOMPARE(table.table()->currentIndex().row(), 21);
        m_model.select(0);
        QCOMPARE(titles.last().first().toString(), QStringLiteral("Trial 31"));
    }

    void curvesHoldEveryTrial() {
        CurvesView view(&m_model, nullptr);
        view.resize(600, 300);
        view.show();
        QCOMPARE(view.ratio()->points(), 0);
        m_model.apply(sample::running(74, 100));
        QCOMPARE(view.ratio()->points(), 74);
        QCOMPARE(view.reward()->points(), 74);
        int failed = 0;
        for (const auto& each : m_model.trials()) failed += each.record->status != TrialStatus::Ok;
        QVERIFY(failed > 0);
        QCOMPARE(view.ratio()->graph(5)->dataCount(), failed);
        QCOMPARE(view.ratio()->graph(2)->dataCount(), 74);
        double highest = 0;
        for (auto point = view.ratio()->graph(2)->data()->constBegin(); point != view.ratio()->graph(2)->data()->constEnd(); ++point) {
            QVERIFY(point->value >= highest);
            highest = point->value;
        }
        QCOMPARE(highest, m_model.best().ratio);
        QVERIFY(view.ratio()->yAxis->range().upper > highest);
        view.drawNow();
        m_model.clear();
        QCOMPARE(view.ratio()->points(), 0);
    }

    void denseSeriesUseThinPens() {
        CurvesView view(&m_model, nullptr);
        m_model.apply(sample::running(0, 3000));
        std::vector<std::shared_ptr<const store::TrialRecord>> records;
        for (int number = 1; number <= 2500; ++number) {
            auto record = std::make_shared<store::TrialRecord>(*sample::trial(1 + number % 7));
            record->number = number;
            records.push_back(std::move(record));
        }
        m_model.addTrials(records);
        for (int i = 0; i < view.ratio()->graphCount(); ++i) QVERIFY(view.ratio()->graph(i)->pen().widthF() <= 1);
    }

    void sourceTellsNowAndBest() {
        const auto session = sample::session();
        m_model.begin(SessionModel::Origin::Live, session, sample::sites(session));
        m_model.addTrials({sample::trial(1), sample::trial(2)});
        m_model.select(2);
        SourceView view(&m_model, nullptr);
        QVERIFY(view.items() > 20);
        const auto record = sample::trial(2);
        const QString changed = view.candidateText();
        QVERIFY(changed.contains(QStringLiteral("#define TILE_M %1\n").arg(record->config["TILE_M"].get<int>())));
        QVERIFY(changed.contains(QStringLiteral("constexpr int WARPS = %1;").arg(record->config["WARPS"].get<int>())));
        m_model.select(1);
        QCOMPARE(view.candidateText(), m_model.sourceText());   // the baseline is the file as it is
    }

    void emptyStatesSayWhatWillAppear() {
        TrialsView trials(&m_model, nullptr);
        TrialView trial(&m_model, nullptr);
        QCOMPARE(trials.currentIndex(), 1);
        QCOMPARE(trial.currentIndex(), 1);
        QCOMPARE(trial.items(), 0);
    }

    void missingSandboxIsTold() {
        auto session = sample::session();
        session.sandbox = "none (bubblewrap is not installed)";
        m_model.begin(SessionModel::Origin::Live, session, {});
        StatusStrip strip(&m_model, nullptr);
        QVERIFY2(strip.sandboxText().contains(QStringLiteral("bubblewrap is not installed")), qPrintable(strip.sandboxText()));
        session.sandbox = "bubblewrap";
        m_model.begin(SessionModel::Origin::Live, session, {});
        QVERIFY(!strip.sandboxText().contains(QStringLiteral("no sandbox")));
    }

    void everyViewPaintsAndFollowsTheTheme() {
        const auto session = sample::session();
        m_model.begin(SessionModel::Origin::Live, session, sample::sites(session));
        m_model.addTrials({sample::trial(1), sample::trial(2), sample::trial(3)});
        SpaceView space(&m_model, nullptr);
        CurvesView curves(&m_model, nullptr);
        TrialsView trials(&m_model, nullptr);
        SourceView source(&m_model, nullptr);
        TrialView trial(&m_model, nullptr);
        for (QWidget* view : std::initializer_list<QWidget*>{&space, &curves, &trials, &source, &trial}) {
            view->resize(500, 400);
            view->show();
            curves.drawNow();
            const QImage dark = view->grab().toImage();
            applyTheme(ThemeChoice::Light);
            QCoreApplication::sendPostedEvents();
            curves.drawNow();
            const QImage light = view->grab().toImage();
            applyTheme(ThemeChoice::Dark);
            QCoreApplication::sendPostedEvents();
            QVERIFY(dark != light);
            QVERIFY2(light.pixelColor(250, 395).lightness() > 200, view->metaObject()->className());
            QVERIFY2(dark.pixelColor(250, 395).lightness() < 80, view->metaObject()->className());
        }
    }
};

int main(int argc, char** argv) {
    return runWindowTest<TestViews>(argc, argv);
}
#include "tst_ui_views.moc"
