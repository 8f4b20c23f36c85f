// SPDX-License-Identifier: Apache-2.0
#include "engine/finalists.h"
#include "result_test.h"

using namespace ww;

namespace {

space::SearchSpace makeSpace() {
    space::Parameter a{"A", {1, 2, 3, 4, 5}, 0, space::Scale::Ordinal, space::Site::Macro, {}, {}};
    space::Constraint rule{"spec:0", "A is at most 4", {}, *expr::Expression::parse("A <= 4"), false};
    return *space::SearchSpace::create({a}, {rule}, {});
}

store::TrialRecord trial(int number, int a, TrialStatus status, std::int64_t timeNs) {
    store::TrialRecord record;
    record.number = number;
    record.config = {{"A", a}};
    record.status = status;
    if (timeNs > 0) record.timeNs = timeNs;
    record.origin = number == 1 ? "baseline" : "random";
    return record;
}

store::MeasuredRecord measured(int number, std::int64_t timeNs) {
    store::MeasuredRecord record;
    record.trialNumber = number;
    record.timeNs = timeNs;
    return record;
}

}  // namespace

class TestFinalists : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void choosesTheFastestCorrectOnes() {
        const auto space = makeSpace();
        std::vector<store::TrialRecord> trials{trial(1, 1, TrialStatus::Ok, 100), trial(2, 2, TrialStatus::WrongResult, 0),
                                               trial(3, 3, TrialStatus::Ok, 50), trial(4, 4, TrialStatus::Ok, 40),
                                               trial(5, 5, TrialStatus::Ok, 1)};  // A = 5 breaks the rule: never best
        auto twin = trial(6, 3, TrialStatus::Ok, 50);
        twin.sharedWith = 3;
        trials.push_back(twin);
        const auto chosen = engine::chooseFinalists(trials, space, 3);
        QCOMPARE(chosen.size(), std::size_t{2});
        QCOMPARE(chosen[0]->number, 4);
        QCOMPARE(chosen[1]->number, 3);
        QCOMPARE(engine::chooseFinalists(trials, space, 1).size(), std::size_t{1});
    }

    void ranksTheBaselineLast() {
        const auto ranked = engine::rankFinalists({measured(1, 10), measured(2, 30), measured(3, 20)});
        QCOMPARE(ranked.size(), std::size_t{3});
        QCOMPARE(ranked[0].trialNumber, 3);
        QCOMPARE(ranked[1].trialNumber, 2);
        QCOMPARE(ranked[2].trialNumber, 1);
    }

    void baselineWinsWhereNothingBeatIt() {
        const auto ranked = engine::rankFinalists({measured(1, 10), measured(2, 30)});
        const auto best = engine::bestOf({}, ranked);
        QVERIFY(best.has_value());
        QCOMPARE(best->trialNumber, 1);
    }

    void bestFromTrialsWithoutFinalists() {
        QVERIFY(!engine::bestOf({trial(1, 1, TrialStatus::CompileError, 0)}, {}).has_value());
        const auto best = engine::bestOf({trial(1, 1, TrialStatus::Ok, 100), trial(2, 2, TrialStatus::Ok, 80)}, {});
        QVERIFY(best.has_value());
        QCOMPARE(best->trialNumber, 2);
    }

    void baselineIsTheFirstThatRan() {
        auto failed = trial(1, 1, TrialStatus::CompileError, 0);
        auto served = trial(2, 2, TrialStatus::Ok, 10);
        served.origin = "baseline";
        QCOMPARE(engine::baselineNumber({failed, served}), 2);
        QCOMPARE(engine::baselineNumber({failed}), 0);
    }
};

QTEST_GUILESS_MAIN(TestFinalists)
#include "tst_finalists.moc"
