// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "base/file.h"
#include "fake_control.h"
#include "main_window.h"
#include "quiet_app.h"
#include "result_test.h"
#include "sample_data.h"
#include "screenshot.h"
#include "widgets/banner.h"
#include "widgets/dock.h"

using namespace ww;
using namespace ww::ui;

class TestWindow : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<FakeControl> m_control;
    std::unique_ptr<MainWindow> m_window;

    void openTask() {
        auto task = std::make_shared<OpenedTask>();
        task->path = QStringLiteral("/kernels/gemm");
        task->draft = sample::session();
        task->draft.sandbox.clear();
        task->sites = sample::sites(task->draft);
        Q_EMIT m_control->taskOpened(task);
    }

    void runSession(int trials, int budget, bool toTheEnd) {
        openTask();
        m_control->become(SessionControl::State::Running);
        Q_EMIT m_control->eventsArrived(sample::running(trials, budget));
        if (!toTheEnd) return;
        std::vector<std::shared_ptr<const store::TrialRecord>> records;
        for (const auto& each : m_window->session()->trials()) records.push_back(each.record);
        Q_EMIT m_control->eventsArrived(sample::finished(records));
        m_control->become(SessionControl::State::Idle);
    }

    QAction* action(const char* name) { return m_window->findChild<QAction*>(QLatin1String(name)); }

    void makeWindow() {
        m_window.reset();
        m_control = std::make_unique<FakeControl>();
        m_folder = std::make_unique<QTemporaryDir>();
        makeKernel(QStringLiteral("gemm"), "Matrix multiplication, float32", "The textbook tile in shared memory; work per thread, tile and unrolling are open.");
        makeKernel(QStringLiteral("softmax"), "Softmax over rows", "One block per row; block size and vector width are open.");
        makeKernel(QStringLiteral("vector_add"), "Vector addition", "Bound by memory; shows what the noise floor means.");
        WindowOptions options;
        options.kernelsRoot = m_folder->path();
        options.session.trials = 100;
        m_window = std::make_unique<MainWindow>(m_control.get(), std::make_shared<Settings>(m_folder->filePath(QStringLiteral("window.ini"))), options);
        m_window->resize(1600, 1000);
        m_window->show();
    }

    void makeKernel(const QString& name, const char* title, const char* about) {
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("kernels/") + name));
        const Json json{{"Warpwright", {{"Title", title}, {"About", about}}}};
        const QString file = m_folder->filePath(QStringLiteral("kernels/%1/spec.json").arg(name));
        VERIFY_OK(writeFileAtomically(file.toStdString(), json.dump()));
    }

    /// Pictures for a person to look at, where WARPWRIGHT_PICTURES names a folder.
    void keepPicture(const QString& name) {
        const QString folder = qEnvironmentVariable("WARPWRIGHT_PICTURES");
        if (!folder.isEmpty()) VERIFY_OK(takeScreenshot(*m_window, folder + QLatin1Char('/') + name + QStringLiteral(".png"), QStringLiteral("en")));
    }

private Q_SLOTS:
    void init() {
        qtWarnings().clear();
        previousHandler() = qInstallMessageHandler(collectWarnings);
        makeWindow();
    }
    void cleanup() {
        m_window.reset();
        qInstallMessageHandler(previousHandler());
        VERIFY_NO_WARNINGS();
    }

    void firstStartOffersOneButton() {
        auto* tune = m_window->findChild<QPushButton*>(QStringLiteral("tuneButton"));
        QVERIFY(tune != nullptr && tune->isVisible());
        QCOMPARE(tune->text(), QStringLiteral("Tune gemm"));
        keepPicture(QStringLiteral("start"));
        QTest::mouseClick(tune, Qt::LeftButton);
        QVERIFY(m_control->calls.last().startsWith(QStringLiteral("open ")));
        openTask();
        QVERIFY(m_control->calls.last().startsWith(QStringLiteral("start ")));
        QVERIFY(!tune->isVisible());
        for (auto* dock : m_window->docks()) QVERIFY(dock->isVisible());
    }

    void openingDoesNotStart() {
        m_window->openKernel(QStringLiteral("/kernels/gemm"), false);
        openTask();
        QCOMPARE(m_control->calls.filter(QStringLiteral("start")).size(), 0);
        keepPicture(QStringLiteral("opened"));
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTest::keyClick(m_window.get(), Qt::Key_F5);
        QCOMPARE(m_control->calls.last(), QStringLiteral("start /kernels/gemm trials=100 paused=0"));
    }

    void startPauseStepStop() {
        openTask();
        action("actionStep")->trigger();
        QVERIFY(m_control->calls.last().endsWith(QStringLiteral("paused=1")));
        m_control->become(SessionControl::State::Starting);
        m_control->become(SessionControl::State::Paused);
        QCOMPARE(m_control->calls.last(), QStringLiteral("step"));
        action("actionStart")->trigger();
        QCOMPARE(m_control->calls.last(), QStringLiteral("resume"));
        m_control->become(SessionControl::State::Running);
        QVERIFY(!action("actionStep")->isEnabled());
        action("actionStart")->trigger();
        QCOMPARE(m_control->calls.last(), QStringLiteral("pause"));
        action("actionStop")->trigger();
        QCOMPARE(m_control->calls.last(), QStringLiteral("stop"));
    }

    void budgetChangesWhileItRuns() {
        runSession(10, 100, false);
        auto* budget = m_window->findChild<QSpinBox*>(QStringLiteral("budget"));
        QVERIFY(budget != nullptr);
        QCOMPARE(budget->value(), 100);
        budget->setValue(150);
        QCOMPARE(m_control->calls.last(), QStringLiteral("budget 150"));
    }

    void errorsAreABannerWithTheRemedy() {
        QSignalSpy failed(m_window.get(), &MainWindow::openFailed);
        Q_EMIT m_control->failed(Error{ErrorCode::DatabaseLocked, "another session writes here; use --db FILE", "trials.db"});
        QVERIFY(m_window->banner()->isVisible());
        QVERIFY(m_window->banner()->title().contains(QStringLiteral("in use")));
        QVERIFY(m_window->banner()->message().contains(QStringLiteral("use --db FILE")));
        QCOMPARE(failed.count(), 1);
    }

    void failedSessionIsTold() {
        runSession(5, 10, false);
        QSignalSpy finished(m_window.get(), &MainWindow::sessionFinished);
        Q_EMIT m_control->eventsArrived({engine::SessionEnded{store::SessionStatus::Failed, Error{ErrorCode::WorkerFailed, "no worker can be had"}, std::nullopt}});
        m_control->become(SessionControl::State::Idle);
        QCOMPARE(finished.count(), 1);
        QCOMPARE(finished.first().first().toBool(), false);
        QVERIFY(m_window->banner()->isVisible());
    }

    void closingWhileItRunsStopsFirst() {
        runSession(5, 10, false);
        QVERIFY(!m_window->close());
        QCOMPARE(m_control->calls.last(), QStringLiteral("stop"));
        QVERIFY(m_window->isVisible());
        m_control->become(SessionControl::State::Stopping);
        m_control->become(SessionControl::State::Idle);
        QTRY_VERIFY(!m_window->isVisible());
    }

    void storedSessionFillsTheSameViews() {
        auto stored = std::make_shared<StoredSession>();
        stored->session = sample::session();
        stored->sites = sample::sites(stored->session);
        for (int number = 1; number <= 60; ++number) stored->trials.push_back(sample::trial(number));
        stored->events = {sample::event(34, "pin", {{"parameter", "VECTOR"}, {"value", 4}})};
        stored->rejections = {{"spec:0", 12}};
        Q_EMIT m_control->storedOpened(stored);
        m_window->findChild<QTabBar*>(QStringLiteral("curveTabs"))->setCurrentIndex(1);
        m_window->findChild<QTabBar*>(QStringLiteral("sourceTabs"))->setCurrentIndex(1);
        for (auto* dock : m_window->docks()) QVERIFY2(dock->items() > 0, qPrintable(dock->objectName()));
        QVERIFY(!action("actionStart")->isEnabled());
        keepPicture(QStringLiteral("stored"));
    }

    void screenshot_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<bool>("end");
        QTest::newRow("dark-1600") << QSize(1600, 1000) << "dark" << false;
        QTest::newRow("light-1600") << QSize(1600, 1000) << "light" << true;
        QTest::newRow("dark-1280") << QSize(1280, 720) << "dark" << true;
        QTest::newRow("light-1280") << QSize(1280, 720) << "light" << false;
    }
    void screenshot() {
        QFETCH(QSize, size);
        QFETCH(QString, theme);
        QFETCH(bool, end);
        applyTheme(themeFrom(theme));
        m_window->resize(size);
        runSession(74, end ? 74 : 100, end);
        QCoreApplication::processEvents();
        const QString file = m_folder->filePath(QStringLiteral("shot.png"));
        VERIFY_OK(takeScreenshot(*m_window, file, QStringLiteral("en")));
        const QImage image(file);
        QCOMPARE(image.size(), size);
        const auto json = readJsonFile(QString(file + QStringLiteral(".json")).toStdString());
        VERIFY_OK(json);
        QCOMPARE((*json)["theme"].get<std::string>(), theme.toStdString());
        QCOMPARE((*json)["language"].get<std::string>(), std::string("en"));
        QCOMPARE((*json)["docks"].size(), std::size_t(5));
        for (const auto& dock : (*json)["docks"]) {
            QVERIFY(dock["visible"].get<bool>());
            QVERIFY2(dock["items"].get<int>() > 0, dock["objectName"].get<std::string>().c_str());
            QVERIFY(!dock["title"].get<std::string>().empty());
        }
        keepPicture(QString::fromLatin1(QTest::currentDataTag()));
        applyTheme(ThemeChoice::Dark);
    }

    void unwritablePictureIsAnError() {
        COMPARE_ERR(takeScreenshot(*m_window, QStringLiteral("/no/such/folder/x.png"), QStringLiteral("en")), ErrorCode::Unreadable);
    }

    void layoutIsRemembered() {
        openTask();
        m_window->docks()[4]->hide();
        auto settings = std::make_shared<Settings>(m_folder->filePath(QStringLiteral("window.ini")));
        QVERIFY(m_window->close());
        WindowOptions options;
        options.kernelsRoot = m_folder->path();
        MainWindow again(m_control.get(), std::make_shared<Settings>(m_folder->filePath(QStringLiteral("window.ini"))), options);
        again.show();
        QVERIFY(again.docks()[4]->isHidden());
        QVERIFY(!again.docks()[0]->isHidden());
    }

    void everyControlHasANameAndKeys() {
        openTask();
        for (const char* name : {"actionOpen", "actionDatabase", "actionStart", "actionStep", "actionStop", "actionQuit", "actionFollow"}) {
            QVERIFY2(action(name) != nullptr, name);
            QVERIFY2(!action(name)->shortcut().isEmpty(), name);
        }
        for (auto* button : m_window->findChildren<QAbstractButton*>()) {
            if (!button->isVisible()) continue;
            QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty() || button->objectName().startsWith(QStringLiteral("qt_")),
                     qPrintable(button->objectName()));
        }
    }

    void chineseWindow() {
        installLanguage(*qApp, QStringLiteral("zh_CN"));
        makeWindow();
        runSession(40, 40, true);
        QCoreApplication::processEvents();
        const auto json = describeWindow(*m_window, QStringLiteral("zh_CN"));
        for (const auto& dock : json["docks"]) {
            const QString title = QString::fromStdString(dock["title"].get<std::string>());
            bool han = false;
            for (const QChar c : title) han = han || c.script() == QChar::Script_Han;
            QVERIFY2(han, qPrintable(title));
        }
        keepPicture(QStringLiteral("chinese"));
        installLanguage(*qApp, QStringLiteral("en"));
    }
};

int main(int argc, char** argv) {
    return runWindowTest<TestWindow>(argc, argv);
}
#include "tst_ui_window.moc"
