// SPDX-License-Identifier: Apache-2.0
#include "policy/ppo/descriptors.h"
#include "policy/ppo/gae.h"
#include "policy/ppo/transition.h"
#include "policy_fixture.h"

using namespace policy_test;

namespace {

/// The definition itself: discounted sum of errors from t to the end of its trajectory.
std::vector<double> advantagesByDefinition(const std::vector<GaeStep>& steps, double gamma, double lambda) {
    std::vector<double> advantages;
    for (std::size_t t = 0; t < steps.size(); ++t) {
        double sum = 0, weight = 1;
        for (std::size_t k = t; k < steps.size(); ++k) {
            sum += weight * (steps[k].reward + gamma * steps[k].nextValue - steps[k].value);
            weight *= gamma * lambda;
            if (steps[k].last) break;
        }
        advantages.push_back(sum);
    }
    return advantages;
}

std::vector<GaeStep> randomSteps(std::size_t count, std::size_t episode, std::uint64_t seed) {
    SplitMix64 rng(seed);
    std::vector<GaeStep> steps;
    for (std::size_t i = 0; i < count; ++i)
        steps.push_back({2 * rng.uniform() - 1, rng.uniform(), rng.uniform(), (i + 1) % episode == 0 || i + 1 == count});
    return steps;
}

Transition transitionOf(double reward, std::uint64_t episode, bool onPolicy) {
    Transition made;
    made.reward = reward;
    made.episode = episode;
    made.onPolicy = onPolicy;
    made.logProb = -0.5 * reward;
    made.segmentSizes = {3, 2};
    made.chosen = {2, 0};
    for (std::size_t i = 0; i < 5 * kDescriptorSize; ++i)
        made.descriptors.push_back(static_cast<float>(i) / 200);
    return made;
}

} // namespace

class TestAdvantages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithItsDefinition_data();
    void agreesWithItsDefinition();
    void bootstrapsAtTheLimitOfAnEpisode();
    void nothingInNothingOut();
    void batchesFollowEpisodes();
    void batchesStandardiseWhatThePolicyChose();
    void batchOfOneIsFinite();
    void transitionsTravelThroughBytes();
    void statisticsAddUp();
    void statisticsStandardise();
    void statisticsIgnoreNonsense();
    void smoothingReachesNeighbours();
    void descriptorsStayInRange_data();
    void descriptorsStayInRange();
    void descriptorsTellValuesApart();
    void descriptorNamesAreUniqueAndDocumented();
};

void TestAdvantages::agreesWithItsDefinition_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("episode");
    QTest::addColumn<double>("gamma");
    QTest::addColumn<double>("lambda");
    QTest::newRow("one step") << 1 << 8 << 0.6 << 0.9;
    QTest::newRow("one episode") << 8 << 8 << 0.6 << 0.9;
    QTest::newRow("several") << 32 << 8 << 0.6 << 0.9;
    QTest::newRow("a started one at the end") << 29 << 8 << 0.99 << 0.95;
    QTest::newRow("one-step errors") << 20 << 5 << 0.9 << 0.0;
    QTest::newRow("undiscounted") << 20 << 5 << 1.0 << 1.0;
    QTest::newRow("no future") << 20 << 5 << 0.0 << 1.0;
    QTest::newRow("episodes of one") << 9 << 1 << 0.6 << 0.9;
}

void TestAdvantages::agreesWithItsDefinition() {
    QFETCH(int, count);
    QFETCH(int, episode);
    QFETCH(double, gamma);
    QFETCH(double, lambda);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto steps = randomSteps(static_cast<std::size_t>(count), static_cast<std::size_t>(episode), seed);
        const auto expected = advantagesByDefinition(steps, gamma, lambda);
        const auto got = gae(steps, gamma, lambda);
        QCOMPARE(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            QVERIFY2(std::abs(got[i] - expected[i]) < 1e-12, qPrintable(QString("step %1: %2, %3").arg(i).arg(got[i]).arg(expected[i])));
    }
}

void TestAdvantages::bootstrapsAtTheLimitOfAnEpisode() {
    // Eight trials with reward 0 and V = 1 everywhere: a cut-off that counted as the end would give -1 at the last step.
    std::vector<GaeStep> steps(8, GaeStep{0, 1, 1, false});
    steps.back().last = true;
    QCOMPARE(gae(steps, 1.0, 1.0), std::vector<double>(8, 0.0));
    // The last step knows only its own error, and what follows in the next episode does not reach it.
    steps.push_back({100, 0, 0, true});
    QCOMPARE(gae(steps, 1.0, 1.0)[7], 0.0);
    QCOMPARE(gae(steps, 1.0, 1.0)[8], 100.0);
}

void TestAdvantages::nothingInNothingOut() {
    QVERIFY(gae({}, 0.6, 0.9).empty());
    const UpdateBatch batch = makeBatch({}, {}, {}, {}, 0.7);
    QVERIFY(batch.states.empty() && batch.rowSegment.empty() && batch.advantage.empty());
}

void TestAdvantages::batchesFollowEpisodes() {
    PpoParameters parameters;
    std::vector<Transition> made;
    std::vector<double> values, nextValues;
    SplitMix64 rng(3);
    for (int i = 0; i < 20; ++i) {
        made.push_back(transitionOf(rng.uniform(), i < 8 ? 1 : i < 11 ? 2 : 3, true));
        values.push_back(rng.uniform());
        nextValues.push_back(rng.uniform());
    }
    std::vector<const Transition*> pointers;
    std::vector<GaeStep> steps;
    for (std::size_t i = 0; i < made.size(); ++i) {
        pointers.push_back(&made[i]);
        steps.push_back({made[i].reward, values[i], nextValues[i], i == 7 || i == 10 || i == 19});
    }
    const UpdateBatch batch = makeBatch(pointers, values, nextValues, parameters, 0.7);
    const auto expected = advantagesByDefinition(steps, parameters.gamma, parameters.gaeLambda);
    for (std::size_t i = 0; i < made.size(); ++i) {
        QVERIFY(std::abs(batch.returns[i] - static_cast<float>(expected[i] + values[i])) < 1e-6f);
        QCOMPARE(batch.logProb[i], static_cast<float>(made[i].logProb));
    }
    QCOMPARE(batch.temperature, 0.7f);
    QCOMPARE(batch.descriptors.size(), 20 * 5 * kDescriptorSize);
    QCOMPARE(batch.rowTransition.size(), std::size_t{100});
    QCOMPARE(batch.chosenRow.size(), std::size_t{40});
    for (std::size_t s = 0; s < batch.chosenRow.size(); ++s) {
        // Rows 0-2 are the first parameter's, 3-4 the second's; the third and the first were chosen.
        QCOMPARE(batch.chosenRow[s], static_cast<std::int64_t>(5 * (s / 2) + (s % 2 == 0 ? 2 : 3)));
        QCOMPARE(batch.segmentTransition[s], static_cast<std::int64_t>(s / 2));
        QCOMPARE(batch.rowSegment[static_cast<std::size_t>(batch.chosenRow[s])], static_cast<std::int64_t>(s));
        QCOMPARE(batch.segmentMaxEntropy[s], std::log(s % 2 == 0 ? 3.0f : 2.0f));
    }
}

void TestAdvantages::batchesStandardiseWhatThePolicyChose() {
    std::vector<Transition> made;
    for (int i = 0; i < 16; ++i)
        made.push_back(transitionOf(std::sin(i), static_cast<std::uint64_t>(i), i >= 6));
    made.push_back(transitionOf(50, 99, true));
    made.back().segmentSizes.clear();
    made.back().chosen.clear();
    made.back().descriptors.clear();
    std::vector<const Transition*> pointers;
    for (const Transition& transition : made)
        pointers.push_back(&transition);
    const std::vector<double> zeros(made.size(), 0.0);
    const UpdateBatch batch = makeBatch(pointers, zeros, zeros, {}, 1);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const bool chosen = i >= 6 && i < 16;
        QCOMPARE(batch.policyWeight[i], chosen ? 1.0f : 0.0f);
        if (!chosen) QCOMPARE(batch.advantage[i], 0.0f);
        sum += static_cast<double>(batch.advantage[i]);
        squares += static_cast<double>(batch.advantage[i]) * static_cast<double>(batch.advantage[i]);
    }
    QVERIFY(std::abs(sum) < 1e-5);
    QVERIFY(std::abs(squares / 10 - 1) < 1e-5);
}

void TestAdvantages::batchOfOneIsFinite() {
    const Transition one = transitionOf(0.3, 1, true);
    const UpdateBatch batch = makeBatch({&one}, {0.1}, {0.2}, {}, 0.7);
    QCOMPARE(batch.advantage.size(), std::size_t{1});
    QCOMPARE(batch.advantage[0], 0.0f);
    QVERIFY(std::isfinite(batch.returns[0]));
}

void TestAdvantages::transitionsTravelThroughBytes() {
    Transition made = transitionOf(0.4, 7, true);
    made.state[3] = 0.5f;
    made.nextState[4] = 0.25f;
    ByteWriter out;
    write(out, made);
    const std::string bytes = out.take();
    Transition back;
    ByteReader in(bytes);
    QVERIFY(read(in, back) && in.atEnd());
    QVERIFY(back.state == made.state && back.nextState == made.nextState && back.descriptors == made.descriptors);
    QVERIFY(back.segmentSizes == made.segmentSizes && back.chosen == made.chosen && back.episode == made.episode);
    QVERIFY(back.logProb == made.logProb && back.reward == made.reward && back.onPolicy);
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
        ByteReader cut(std::string_view(bytes).substr(0, length));
        Transition target;
        QVERIFY(!read(cut, target));
    }
    // A row outside its segment would later index past the scores.
    made.chosen[1] = 2;
    ByteWriter wrong;
    write(wrong, made);
    const std::string wrongBytes = wrong.take();
    ByteReader again(wrongBytes);
    QVERIFY(!read(again, back));
}

void TestAdvantages::statisticsAddUp() {
    const auto space = freeSpace(3, 4);
    ValueStatistics statistics(space);
    statistics.add({{0, 1, 2}}, 1.0, false);
    statistics.add({{0, 3, 2}}, -2.0, true);
    statistics.add({{1, 1, 2}}, 0.5, false);
    QCOMPARE(statistics.total(), 3.0);
    QCOMPARE(statistics.rewardSum(), -0.5);
    QCOMPARE(statistics.squareSum(), 5.25);
    QCOMPARE(statistics.cell(0, 0).tried, 2.0);
    QCOMPARE(statistics.cell(0, 0).failed, 1.0);
    QCOMPARE(statistics.cell(0, 0).rewardSum, -1.0);
    QCOMPARE(statistics.cell(0, 0).best, 1.0);
    QCOMPARE(statistics.cell(1, 3).best, -2.0);
    QCOMPARE(statistics.cell(2, 2).tried, 3.0);
    QCOMPARE(statistics.cell(2, 0).tried, 0.0);
    QCOMPARE(statistics.shrunkMean(2, 0), 0.0);
}

void TestAdvantages::statisticsStandardise() {
    const auto space = freeSpace(1, 4);
    ValueStatistics statistics(space);
    QCOMPARE(statistics.standardise(5), 0.0);
    statistics.add({{0}}, 1, false);
    QCOMPARE(statistics.standardise(5), 0.0);
    statistics.add({{1}}, 3, false);
    // Mean 2, deviation 1.
    QCOMPARE(statistics.standardise(3), 1.0);
    QCOMPARE(statistics.standardise(1.5), -0.5);
    QCOMPARE(statistics.standardise(1e9), 3.0);
    QCOMPARE(statistics.standardise(-1e9), -3.0);
    QCOMPARE(statistics.shrunkMean(0, 1), 0.5);
    statistics.add({{1}}, 2, false);
    QVERIFY(statistics.shrunkMean(0, 1) > 0 && statistics.shrunkMean(0, 0) < 0);
}

void TestAdvantages::statisticsIgnoreNonsense() {
    const auto space = freeSpace(2, 3);
    ValueStatistics statistics(space);
    statistics.add({{0, 0}}, std::nan(""), false);
    statistics.add({{0, 0}}, HUGE_VAL, true);
    QCOMPARE(statistics.total(), 0.0);
    // A configuration of another space (an older session's row) touches nothing outside the table.
    statistics.add({{0, 9, 4}}, 1, false);
    QCOMPARE(statistics.total(), 1.0);
    QCOMPARE(statistics.cell(0, 0).tried, 1.0);
    QCOMPARE(statistics.cell(1, 2).tried, 0.0);
}

void TestAdvantages::smoothingReachesNeighbours() {
    const auto space = freeSpace(1, 12);
    ValueStatistics statistics(space);
    statistics.add({{2}}, 0, false);
    statistics.add({{8}}, 1, false);
    QVERIFY(statistics.smoothedMean(0, 8) > 0);
    QVERIFY(statistics.smoothedMean(0, 7) > 0);
    QVERIFY(statistics.smoothedMean(0, 8) > statistics.smoothedMean(0, 7));
    QVERIFY(statistics.smoothedMean(0, 3) < 0);
    QCOMPARE(statistics.shrunkMean(0, 7), 0.0);
}

void TestAdvantages::descriptorsStayInRange_data() {
    QTest::addColumn<double>("scale");
    QTest::newRow("ordinary rewards") << 1.0;
    QTest::newRow("tiny rewards") << 1e-9;
    QTest::newRow("huge rewards") << 1e12;
    QTest::newRow("equal rewards") << 0.0;
}

void TestAdvantages::descriptorsStayInRange() {
    QFETCH(double, scale);
    const auto space =
        makeSpace({parameter("EMPTY_CHOICE", {7}),
                   parameter("HUGE", {Value(std::int64_t{-4611686018427387904}), Value(0), Value(std::int64_t{4611686018427387904})}),
                   parameter("REAL", {-1.5, 0.0, 1e300}), parameter("WORD", {"a", "b"}, space::Scale::Categorical),
                   parameter("FLAG", {false, true}, space::Scale::Boolean),
                   parameter("PAIR", {Value(Value::Tuple{32, 8}), Value(Value::Tuple{64, 4})}, space::Scale::Categorical)});
    SplitMix64 rng(11);
    ValueStatistics statistics(space);
    std::optional<Configuration> incumbent;
    for (int trial = 0; trial < 60; ++trial) {
        const ValueMask mask = randomMask(space, 0.5, rng);
        const DescriptorTable table = describe(space, mask, statistics, incumbent);
        QCOMPARE(table.rows.size(), std::size_t{13} * kDescriptorSize);
        QCOMPARE(table.firstRow, (std::vector<std::size_t>{0, 1, 4, 7, 9, 11}));
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            QVERIFY2(table.rows[i] >= -1 && table.rows[i] <= 1,
                     qPrintable(QString("%1 = %2")
                                    .arg(QString::fromStdString(std::string(descriptorNames()[i % kDescriptorSize])))
                                    .arg(static_cast<double>(table.rows[i]))));
        const auto drawn = space.sample(rng);
        statistics.add(*drawn, scale * (rng.uniform() - 0.5), rng.uniform() < 0.3);
        if (trial % 5 == 0) incumbent = drawn;
    }
}

void TestAdvantages::descriptorsTellValuesApart() {
    const auto space = constrainedSpace();
    ValueStatistics statistics(space);
    const DescriptorTable table = describe(space, space.fullMask(), statistics, space.defaultConfiguration());
    std::set<std::vector<float>> distinct;
    std::size_t ordered = 0;
    for (std::size_t p = 0; p < space.parameters().size(); ++p)
        for (std::size_t v = 0; v < space.parameters()[p].values.size(); ++v, ++ordered) {
            const auto row = table.row(p, v);
            distinct.insert({row.begin(), row.end()});
            const auto feature = [&](ValueFeature which) { return row[kParameterFeatures + static_cast<std::size_t>(which)]; };
            QCOMPARE(feature(ValueFeature::IsIncumbent), v == 0 ? 1.0f : 0.0f);
            QCOMPARE(feature(ValueFeature::IsDefault), v == 0 ? 1.0f : 0.0f);
            QCOMPARE(feature(ValueFeature::Novelty), 1.0f);
        }
    QCOMPARE(distinct.size(), ordered);
}

void TestAdvantages::descriptorNamesAreUniqueAndDocumented() {
    const std::set<std::string_view> unique(descriptorNames().begin(), descriptorNames().end());
    QCOMPARE(unique.size(), kDescriptorSize);
    QFile page(qEnvironmentVariable("WARPWRIGHT_ROOT") + "/docs/policy.md");
    QVERIFY2(page.open(QIODevice::ReadOnly), qPrintable(page.fileName()));
    std::vector<std::string> documented;
    while (!page.atEnd()) {
        const QString line = QString::fromUtf8(page.readLine());
        const QRegularExpressionMatch row = QRegularExpression("^\\| (\\d+) \\| `((?:parameter|value)\\.\\w+)` \\|").match(line);
        if (!row.hasMatch()) continue;
        QCOMPARE(row.captured(1).toInt(), static_cast<int>(documented.size()));
        documented.push_back(row.captured(2).toStdString());
    }
    QCOMPARE(documented, std::vector<std::string>(descriptorNames().begin(), descriptorNames().end()));
}

QTEST_APPLESS_MAIN(TestAdvantages)
#include "tst_advantages.moc"
