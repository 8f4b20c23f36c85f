// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/log_excerpt.h"
#include "engine/worker_plan.h"
#include "result_test.h"

using namespace ww;

class TestWorkerPlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sharesTheCores_data() {
        QTest::addColumn<int>("cores");
        QTest::addColumn<bool>("cpu");
        QTest::addColumn<int>("compilers");
        QTest::addColumn<bool>("pauses");
        QTest::newRow("one core") << 1 << true << 1 << true;
        QTest::newRow("two cores") << 2 << true << 1 << true;
        QTest::newRow("four cores") << 4 << true << 3 << true;
        QTest::newRow("eight cores") << 8 << true << 4 << false;
        QTest::newRow("two cores, GPU") << 2 << false << 1 << false;
        QTest::newRow("sixteen cores, GPU") << 16 << false << 14 << false;
        QTest::newRow("many cores, GPU") << 128 << false << 16 << false;
    }
    void sharesTheCores() {
        QFETCH(int, cores);
        QFETCH(bool, cpu);
        QFETCH(int, compilers);
        QFETCH(bool, pauses);
        std::vector<int> all(static_cast<std::size_t>(cores));
        std::iota(all.begin(), all.end(), 0);
        const auto plan = engine::planWorkers(cpu ? device::DeviceKind::Cpu : device::DeviceKind::Cuda, all);
        QCOMPARE(plan.compileWorkers, compilers);
        QCOMPARE(plan.pauseCompilers, pauses);
        for (const int core : plan.compileCores) {
            QVERIFY(std::find(plan.deviceCores.begin(), plan.deviceCores.end(), core) == plan.deviceCores.end());
        }
    }

    void theFirstProblemOfALog() {
        QCOMPARE(engine::firstProblem("In file included from <command-line>:\nk.cu:3:5: error: expected ';'\n  more\n"),
                 std::string("k.cu:3:5: error: expected ';'\n  more"));
        QCOMPARE(engine::firstProblem("only a note\n"), std::string("only a note"));
        QCOMPARE(engine::firstProblem(""), std::string());
    }

    void thisProcessHasCores() { QVERIFY(!engine::usableCores().empty()); }
};

QTEST_GUILESS_MAIN(TestWorkerPlan)
#include "tst_worker_plan.moc"
