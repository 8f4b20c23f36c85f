// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "result_test.h"
#include "reward/reward.h"

using namespace ww;
using namespace ww::reward;

namespace {

RewardInput measured(double ratio, Verdict verdict) {
    RewardInput input;
    input.ratio = ratio;
    input.verdict = verdict;
    return input;
}

void compareNear(double got, double want) {
    QVERIFY2(std::fabs(got - want) < 1e-12, qPrintable(QString("%1 instead of %2").arg(got).arg(want)));
}

} // namespace

class TestReward : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gates_data();
    void gates();
    void composite_data();
    void composite();
    void withRoof();
    void earlyRejection();
    void floorCapsTheSpeed();
    void gradientDecaysLinearly_data();
    void gradientDecaysLinearly();
    void learningUsesTheLogarithm();
    void wrongNeverBeatsCorrect();
    void presets();
    void missingFiguresAreNamed();
    void names();
};

void TestReward::gates_data() {
    QTest::addColumn<QString>("status");
    QTest::addColumn<double>("gate"); // NaN: no update
    const double none = std::nan("");
    QTest::newRow("compile_error") << "compile_error" << -10.0;
    QTest::newRow("compile_timeout") << "compile_timeout" << -10.0;
    QTest::newRow("resource_error") << "resource_error" << -8.0;
    QTest::newRow("launch_error") << "launch_error" << -8.0;
    QTest::newRow("runtime_error") << "runtime_error" << -8.0;
    QTest::newRow("timeout") << "timeout" << -8.0;
    QTest::newRow("out_of_memory") << "out_of_memory" << -8.0;
    QTest::newRow("wrong_result") << "wrong_result" << -5.0;
    QTest::newRow("nondeterministic") << "nondeterministic" << -5.0;
    QTest::newRow("cheat_suspected") << "cheat_suspected" << -5.0;
    QTest::newRow("unstable") << "unstable" << none;
    QTest::newRow("worker_lost") << "worker_lost" << none;
    QTest::newRow("cancelled") << "cancelled" << none;
}

void TestReward::gates() {
    QFETCH(QString, status);
    QFETCH(double, gate);
    for (const bool roof : {false, true}) {
        const RewardFunction function(Objective::Composite, roof);
        // A time that was measured before the fault was found must not count.
        RewardInput input = measured(50, Verdict::Faster);
        input.status = *trialStatusFrom(status.toStdString());
        auto record = function.evaluate(input);
        VERIFY_OK(record);
        QVERIFY(!record->speed && !record->roof);
        QCOMPARE(record->total.has_value(), !std::isnan(gate));
        QCOMPARE(function.learning(*record, input.status).has_value(), !std::isnan(gate));
        if (std::isnan(gate)) continue;
        QCOMPARE(*record->total, gate);
        compareNear(*function.learning(*record, input.status), gate / 10);
    }
}

void TestReward::composite_data() {
    QTest::addColumn<double>("ratio");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<double>("expected");
    QTest::newRow("baseline itself") << 1.0 << "SAME" << 1.0;
    QTest::newRow("twice as fast") << 2.0 << "FASTER" << (0.7 * 2 + 0.1) / 0.8;
    QTest::newRow("half as fast") << 0.5 << "SLOWER" << (0.7 * 0.5 + 0.1) / 0.8;
    QTest::newRow("noise is not chased") << 1.03 << "AMBIGUOUS" << 1.0;
    QTest::newRow("same is 1") << 1.004 << "SAME" << 1.0;
}

void TestReward::composite() {
    QFETCH(double, ratio);
    QFETCH(QString, verdict);
    QFETCH(double, expected);
    auto record = RewardFunction(Objective::Composite, false).evaluate(measured(ratio, *verdictFrom(verdict.toStdString())));
    VERIFY_OK(record);
    compareNear(*record->total, expected);
    QVERIFY(!record->roof);
    QCOMPARE(*record->correctness, 1.0);
    QCOMPARE(record->formula, std::string("composite/1 without roof"));
}

void TestReward::withRoof() {
    const RewardFunction function(Objective::Composite, true);
    RewardInput input = measured(2.0, Verdict::Faster);
    input.dramFraction = 0.9;
    input.issueFraction = 0.3;
    auto record = function.evaluate(input);
    VERIFY_OK(record);
    compareNear(*record->roof, 0.9);
    compareNear(*record->total, 0.7 * 2 + 0.2 * 0.9 + 0.1);
    QCOMPARE(record->formula, std::string("composite/1"));
    input.dramFraction = std::nullopt;
    compareNear(*function.evaluate(input)->roof, 0.3);
    input.issueFraction = 1.7;
    compareNear(*function.evaluate(input)->roof, 1.0);
}

void TestReward::earlyRejection() {
    RewardInput input = measured(0.4, Verdict::Slower);
    input.rejectedEarly = true;
    auto record = RewardFunction(Objective::Composite, true).evaluate(input);
    VERIFY_OK(record);
    QVERIFY(!record->roof);
    compareNear(*record->total, (0.7 * 0.4 + 0.1) / 0.8);
    QCOMPARE(record->formula, std::string("composite/1 without roof, rejected early"));
}

void TestReward::floorCapsTheSpeed() {
    RewardInput input = measured(40, Verdict::Faster);
    input.floorRatio = 3;
    compareNear(*RewardFunction(Objective::Composite, false).evaluate(input)->speed, 3);
    input.ratio = 2;
    compareNear(*RewardFunction(Objective::Composite, false).evaluate(input)->speed, 2);
}

void TestReward::gradientDecaysLinearly_data() {
    QTest::addColumn<double>("error");
    QTest::addColumn<double>("expected");
    QTest::newRow("exact") << 0.0 << 1.0;
    QTest::newRow("at the tolerance") << 1e-3 << 1.0;
    QTest::newRow("half way") << 5.5e-3 << 0.5;
    QTest::newRow("ten times") << 1e-2 << 0.0;
    QTest::newRow("beyond") << 1.0 << 0.0;
    QTest::newRow("not a number") << std::nan("") << 0.0;
}

void TestReward::gradientDecaysLinearly() {
    QFETCH(double, error);
    QFETCH(double, expected);
    RewardInput input = measured(1, Verdict::Same);
    input.gradientError = error;
    compareNear(*RewardFunction(Objective::Composite, false).evaluate(input)->correctness, expected);
}

void TestReward::learningUsesTheLogarithm() {
    const RewardFunction function(Objective::Composite, false);
    const RewardInput faster = measured(2, Verdict::Faster), slower = measured(0.5, Verdict::Slower);
    const double up = *function.learning(*function.evaluate(faster), TrialStatus::Ok);
    const double down = *function.learning(*function.evaluate(slower), TrialStatus::Ok);
    compareNear(up, (0.7 * std::log(2.0) + 0.1) / 0.8);
    // Twice and half as fast are equally far from the baseline.
    compareNear(up + down, 2 * 0.1 / 0.8);
    QVERIFY(std::isfinite(*function.learning(*function.evaluate(measured(1e-9, Verdict::Slower)), TrialStatus::Ok)));
}

void TestReward::wrongNeverBeatsCorrect() {
    const RewardFunction function(Objective::Composite, false);
    RewardInput cheat = measured(1000, Verdict::Faster);
    cheat.status = TrialStatus::CheatSuspected;
    QVERIFY(*function.evaluate(cheat)->total < *function.evaluate(measured(0.01, Verdict::Slower))->total);
}

void TestReward::presets() {
    RewardInput input = measured(2, Verdict::Faster);
    input.dramFraction = 0.75;
    input.throughputRatio = 3;
    auto literal = RewardFunction(Objective::Literal, true).evaluate(input);
    VERIFY_OK(literal);
    compareNear(*literal->total, 0.7 * 2 + 0.2 * 0.25 + 0.1);
    QCOMPARE(literal->formula, std::string("literal/1"));
    compareNear(*RewardFunction(Objective::Latency, false).evaluate(input)->total, 2);
    compareNear(*RewardFunction(Objective::Throughput, false).evaluate(input)->total, 3);
    QCOMPARE(RewardFunction(Objective::Throughput, false).evaluate(input)->formula, std::string("throughput/1"));
}

void TestReward::missingFiguresAreNamed() {
    RewardInput input;
    auto noTime = RewardFunction(Objective::Composite, false).evaluate(input);
    COMPARE_ERR(noTime, ErrorCode::InvalidArgument);
    input.ratio = 1.5;
    input.verdict = Verdict::Faster;
    auto noRoof = RewardFunction(Objective::Composite, true).evaluate(input);
    COMPARE_ERR(noRoof, ErrorCode::InvalidArgument);
    QVERIFY(noRoof.error().message.find("profile") != std::string::npos);
    auto noDram = RewardFunction(Objective::Literal, false).evaluate(input);
    COMPARE_ERR(noDram, ErrorCode::InvalidArgument);
    QVERIFY(noDram.error().message.find("DRAM") != std::string::npos);
    auto noThroughput = RewardFunction(Objective::Throughput, false).evaluate(input);
    COMPARE_ERR(noThroughput, ErrorCode::InvalidArgument);
    QVERIFY(noThroughput.error().message.find("throughput") != std::string::npos);
    input.ratio = std::nan("");
    COMPARE_ERR(RewardFunction(Objective::Composite, false).evaluate(input), ErrorCode::InvalidArgument);
}

void TestReward::names() {
    for (const std::string& name : objectiveNames()) {
        auto objective = objectiveFrom(name);
        VERIFY_OK(objective);
        QCOMPARE(std::string(reward::toString(*objective)), name);
    }
    auto unknown = objectiveFrom("speed");
    COMPARE_ERR(unknown, ErrorCode::InvalidArgument);
    QVERIFY(unknown.error().message.find("composite") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestReward)
#include "tst_reward.moc"
