// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/rng.h"
#include "bench/clock_guard.h"
#include "bench/comparison.h"
#include "bench/summary.h"
#include "bench/work_check.h"
#include "result_test.h"

using namespace ww;
using namespace ww::bench;

namespace {

/// Uniform within `spread` of `mean`.
std::vector<double> around(double mean, double spread, int count, std::uint64_t seed) {
    SplitMix64 random(seed);
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(mean * (1 + spread * (2 * random.uniform() - 1)));
    return values;
}

}  // namespace

class TestComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void summaryOfKnownSamples();
    void emptySummaryIsZero();
    void detectableDifferenceShrinksWithSamples();
    void clearWinnersPassTheCorrection();
    void correctionWithdrawsTheLuckyOne();
    void physicalFloor_data();
    void physicalFloor();
    void impossibleTimes_data();
    void impossibleTimes();
    void clockGuardNeedsAMedian();
    void honestWorkIsNotSuspected();
    void untouchedOutputsAreSeen();
    void reusedResultsAreSeen();
    void unsteadyReferenceProvesNothing();
};

void TestComparison::summaryOfKnownSamples() {
    std::vector<double> samples;
    for (int i = 1; i <= 20; ++i) samples.push_back(i);
    samples.push_back(1000);
    const auto summary = summarize(samples);
    QCOMPARE(summary.count, std::size_t{21});
    QCOMPARE(summary.median, 11.0);
    QCOMPARE(summary.mad, 5.0);
    QCOMPARE(summary.iqr, 10.0);
    QCOMPARE(summary.p5, 2.0);
    QCOMPARE(summary.p95, 20.0);
    QCOMPARE(summary.min, 1.0);
    QCOMPARE(summary.outliers, std::size_t{1});
}

void TestComparison::emptySummaryIsZero() {
    QCOMPARE(summarize({}).count, std::size_t{0});
    QCOMPARE(minimumDetectable(summarize({}), summarize({1, 2, 3})), 0.0);
}

void TestComparison::detectableDifferenceShrinksWithSamples() {
    const auto few = minimumDetectable(summarize(around(100, 0.02, 25, 1)), summarize(around(100, 0.02, 25, 2)));
    const auto many = minimumDetectable(summarize(around(100, 0.02, 400, 1)), summarize(around(100, 0.02, 400, 2)));
    QVERIFY2(few > 3 * many && few < 5 * many, qPrintable(QString("%1 against %2").arg(few).arg(many)));
    QCOMPARE(minimumDetectable(summarize({5, 5, 5}), summarize({5, 5, 5})), 0.0);
}

void TestComparison::clearWinnersPassTheCorrection() {
    std::vector<std::vector<double>> samples{around(100, 0.01, 100, 1)};
    for (std::uint64_t i = 0; i < 4; ++i) samples.push_back(around(80, 0.01, 100, 2 + i));
    samples.push_back(around(120, 0.01, 100, 9));
    samples.push_back(around(100, 0.005, 100, 10));
    const auto compared = compareTogether(samples, 0.01, 3);
    QCOMPARE(compared.size(), samples.size());
    QVERIFY(compared[0].verdict == Verdict::Same && compared[0].ratio.value == 1.0);
    for (std::size_t i = 1; i <= 4; ++i) QVERIFY(compared[i].verdict == Verdict::Faster);
    QVERIFY(compared[5].verdict == Verdict::Slower);
    QVERIFY(compared[6].verdict == Verdict::Same);
    QVERIFY(compareTogether({}, 0.01, 3).empty());
}

void TestComparison::correctionWithdrawsTheLuckyOne() {
    // Candidates that differ from the reference by just what one alone would pass with: among eight that is luck.
    int alone = 0, together = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        std::vector<std::vector<double>> samples{around(100, 0.05, 100, 1000 + 20 * seed)};
        samples.push_back(around(98.1, 0.05, 100, 1001 + 20 * seed));
        alone += compareTogether(samples, 0.0, seed)[1].verdict == Verdict::Faster ? 1 : 0;
        for (std::uint64_t other = 0; other < 7; ++other) samples.push_back(around(103, 0.05, 100, 1002 + 20 * seed + other));
        together += compareTogether(samples, 0.0, seed)[1].verdict == Verdict::Faster ? 1 : 0;
    }
    QVERIFY2(together < alone && alone > 0, qPrintable(QString("%1 alone, %2 among eight").arg(alone).arg(together)));
}

void TestComparison::physicalFloor_data() {
    QTest::addColumn<double>("bytes");
    QTest::addColumn<double>("flops");
    QTest::addColumn<double>("cached");
    QTest::addColumn<double>("floorNs");
    QTest::newRow("nothing known") << 0.0 << 0.0 << 0.0 << 0.0;
    QTest::newRow("memory") << 4e9 << 1e9 << 0.0 << 1e6;
    QTest::newRow("arithmetic") << 4e3 << 1e12 << 0.0 << 1e7;
    QTest::newRow("what stays in the L2 need not move") << 4e9 << 0.0 << 2e9 << 5e5;
    QTest::newRow("all of it fits") << 1e6 << 0.0 << 5e7 << 0.0;
}

void TestComparison::physicalFloor() {
    QFETCH(double, bytes);
    QFETCH(double, flops);
    QFETCH(double, cached);
    PhysicalLimits limits{bytes, flops, 4e12, 1e14, cached};
    QTEST(physicalFloorNs(limits), "floorNs");
    limits.bytesPerSecond = limits.flopsPerSecond = 0;
    QCOMPARE(physicalFloorNs(limits), 0.0);
}

void TestComparison::impossibleTimes_data() {
    QTest::addColumn<double>("timeNs");
    QTest::addColumn<double>("floorNs");
    QTest::addColumn<bool>("impossible");
    QTest::newRow("at the roof") << 1000.0 << 1000.0 << false;
    QTest::newRow("rated figures are rounded") << 910.0 << 1000.0 << false;
    QTest::newRow("four times the peak") << 250.0 << 1000.0 << true;
    QTest::newRow("no floor known") << 1.0 << 0.0 << false;
    QTest::newRow("no time at all") << 0.0 << 0.0 << true;
    QTest::newRow("no number") << std::nan("") << 0.0 << true;
}

void TestComparison::impossibleTimes() {
    QFETCH(double, timeNs);
    QFETCH(double, floorNs);
    QTEST(isImpossible(timeNs, floorNs), "impossible");
}

void TestComparison::clockGuardNeedsAMedian() {
    ClockGuard own(0);
    QVERIFY(own.accept(0));
    for (int i = 0; i < 9; ++i) QVERIFY(own.accept(i == 3 ? 500 : 1900));
    QVERIFY(!own.accept(1000));
    QVERIFY(own.accept(1711));
    QCOMPARE(own.discards(), 1);
    ClockGuard session(2000);
    QVERIFY(session.accept(1800));
    for (int i = 0; i < ClockGuard::kMaxDiscards; ++i) {
        QVERIFY(!session.exhausted());
        QVERIFY(!session.accept(1799));
    }
    QVERIFY(session.exhausted());
    QVERIFY(session.pauseSeconds() <= 1.0);
}

void TestComparison::honestWorkIsNotSuspected() {
    WorkCheck check(2);
    // Other rounding than the reference's: digests never agree across programs.
    for (int launch = 0; launch < 30; ++launch) {
        const int value = launch % 3;
        QVERIFY(!check.see(0, value, 99, 10 + static_cast<std::uint64_t>(value)));
        QVERIFY(!check.see(1, value, 99, 20 + static_cast<std::uint64_t>(value)));
    }
    // Atomic sums never repeat their last bits.
    for (int launch = 0; launch < 30; ++launch) QVERIFY(!check.see(1, launch % 3, 99, 1000 + static_cast<std::uint64_t>(launch)));
}

void TestComparison::untouchedOutputsAreSeen() {
    WorkCheck check(2);
    QVERIFY(!check.see(0, 0, 99, 10));
    QVERIFY(!check.see(1, 0, 99, 20));
    const auto seen = check.see(1, 0, 99, 99);
    QVERIFY(seen && seen->find("untouched") != std::string::npos);
    // A kernel whose reference leaves them alone too does nothing wrong.
    WorkCheck idle(2);
    QVERIFY(!idle.see(0, 0, 99, 99));
    QVERIFY(!idle.see(1, 0, 99, 99));
}

void TestComparison::reusedResultsAreSeen() {
    WorkCheck check(2);
    for (int value = 0; value < 3; ++value) QVERIFY(!check.see(0, value, 99, 10 + static_cast<std::uint64_t>(value)));
    QVERIFY(!check.see(1, 0, 99, 20));
    const auto seen = check.see(1, 1, 99, 20);
    QVERIFY(seen && seen->find("other input values") != std::string::npos);
    // Outputs that do not depend on these values: the reference's are equal as well.
    WorkCheck constant(2);
    for (int value = 0; value < 3; ++value) QVERIFY(!constant.see(0, value, 99, 10));
    for (int value = 0; value < 3; ++value) QVERIFY(!constant.see(1, value, 99, 20));
}

void TestComparison::unsteadyReferenceProvesNothing() {
    WorkCheck check(2);
    for (int launch = 0; launch < 6; ++launch) QVERIFY(!check.see(0, launch % 2, 99, static_cast<std::uint64_t>(launch)));
    QVERIFY(!check.see(1, 0, 99, 50));
    QVERIFY(!check.see(1, 1, 99, 50));
}

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
