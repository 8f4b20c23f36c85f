// SPDX-License-Identifier: Apache-2.0
// The whole of PPO over LibTorch: that it learns, that it beats chance, and that it goes on after a checkpoint.
#include "policy/torch_module.h"
#include "policy_fixture.h"

using namespace policy_test;

namespace {

/// Separable: every value of every parameter adds its own part to log s; some values always fail.
class Landscape {
public:
    Landscape(const space::SearchSpace& space, std::uint64_t seed, double failing) {
        SplitMix64 rng(deriveSeed(seed, 99));
        for (const space::Parameter& parameter : space.parameters()) {
            std::vector<double>& row = m_parts.emplace_back();
            for (std::size_t v = 0; v < parameter.values.size(); ++v)
                row.push_back(rng.uniform() < failing ? std::nan("") : 0.4 * rng.uniform());
            // One value of each works.
            row[rng.below(row.size())] = 0.4 * rng.uniform();
        }
    }
    double operator()(const Configuration& configuration) const {
        double sum = -0.5;
        for (std::size_t p = 0; p < m_parts.size(); ++p)
            sum += m_parts[p][configuration.index[p]];
        return sum;
    }

private:
    std::vector<std::vector<double>> m_parts;
};

double bestAfter(std::string_view strategy, const space::SearchSpace& space, const Landscape& landscape, std::uint64_t seed, int trials) {
    const auto made = strategyOf(strategy, space, {seed, 20, 0.7});
    Loop loop(space, trials);
    loop.run(*made, trials, landscape);
    return loop.best;
}

} // namespace

class TestPpoLearning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { SKIP_WITHOUT_TORCH(); }
    void probabilityMovesToTheBestValue_data();
    void probabilityMovesToTheBestValue();
    void probabilityLeavesWhatFails();
    void logProbabilitiesAreThoseShown();
    void figuresAreFinite();
    void constantRewardsDoNoHarm();
    void extremeRewardsDoNoHarm();
    void checkpointsGoOnAsBefore();
    void refusesWeightsOfAnotherNetwork();
    void beatsRandom_data();
    void beatsRandom();
    void opensOnce();
};

void TestPpoLearning::probabilityMovesToTheBestValue_data() {
    QTest::addColumn<int>("parameter");
    QTest::addColumn<int>("best");
    for (const int p : {0, 2, 4})
        for (const int v : {0, 1, 3})
            QTest::addRow("parameter %d, value %d", p, v) << p << v;
}

void TestPpoLearning::probabilityMovesToTheBestValue() {
    QFETCH(int, parameter);
    QFETCH(int, best);
    const auto p = static_cast<std::size_t>(parameter);
    const auto v = static_cast<std::size_t>(best);
    const auto space = freeSpace(5, 4);
    const auto strategy = strategyOf("ppo", space, {static_cast<std::uint64_t>(7 * parameter + best), 20, 0.7});
    Loop loop(space);
    const auto before = strategy->probabilities(loop.context());
    QVERIFY(before);
    loop.run(*strategy, 80, [&](const Configuration& configuration) { return configuration.index[p] == v ? 0.7 : 0.0; });
    const auto after = strategy->probabilities(loop.context());
    QVERIFY(after);
    const std::vector<float>& row = (*after)[p];
    QVERIFY2(row[v] > 0.6f && row[v] > (*before)[p][v] + 0.2f,
             qPrintable(QString("%1 before, %2 after").arg(static_cast<double>((*before)[p][v])).arg(static_cast<double>(row[v]))));
    QCOMPARE(std::ranges::max_element(row) - row.begin(), static_cast<std::ptrdiff_t>(v));
}

void TestPpoLearning::probabilityLeavesWhatFails() {
    const auto space = freeSpace(5, 4);
    const auto strategy = strategyOf("ppo", space, {4, 20, 0.7});
    Loop loop(space);
    loop.run(*strategy, 80, [](const Configuration& configuration) { return configuration.index[1] == 2 ? std::nan("") : 0.0; });
    const auto after = strategy->probabilities(loop.context());
    QVERIFY(after);
    QVERIFY2((*after)[1][2] < 0.1f, qPrintable(QString::number(static_cast<double>((*after)[1][2]))));
}

void TestPpoLearning::logProbabilitiesAreThoseShown() {
    // Without constraints the marginals that the window shows are the factors of the joint probability.
    const auto space = freeSpace(4, 4);
    for (const double temperature : {0.4, 0.7, 1.5}) {
        const auto strategy = strategyOf("ppo", space, {3, 10, temperature});
        Loop loop(space);
        int compared = 0;
        for (int i = 0; i < 60; ++i) {
            if (i == 30) loop.mask[2] = {true, false, true, false};
            const auto shown = strategy->probabilities(loop.context());
            const auto proposals = strategy->propose(1, loop.context());
            VERIFY_OK(proposals);
            const Proposal& proposal = proposals->front();
            if (proposal.origin == "policy") {
                double expected = 0;
                for (std::size_t p = 0; p < 4; ++p)
                    expected += std::log(static_cast<double>((*shown)[p][proposal.configuration.index[p]]));
                QVERIFY(std::abs(expected - proposal.note["log_prob"].get<double>()) < 1e-4);
                ++compared;
            }
            loop.finish(*strategy, proposal, 0.1 * proposal.configuration.index[0]);
        }
        QVERIFY2(compared >= 20, qPrintable(QString::number(compared)));
    }
}

void TestPpoLearning::figuresAreFinite() {
    const auto space = constrainedSpace();
    const auto strategy = strategyOf("ppo", space, {1, 10, 0.7});
    Loop loop(space);
    loop.run(*strategy, 64, Landscape(space, 5, 0.2));
    const Json figures = strategy->diagnostics();
    QCOMPARE(figures["charts/updates"].get<int>(), 8);
    for (const char* name : {"policy_loss", "value_loss", "entropy", "approx_kl", "clipfrac", "explained_variance", "grad_norm"}) {
        const Json& figure = figures[std::string("losses/") + name];
        QVERIFY2(figure.is_number() && std::isfinite(figure.get<double>()), name);
    }
    QVERIFY(figures["losses/entropy"].get<double>() > 0 && figures["losses/entropy"].get<double>() <= 1.0001);
    QVERIFY(figures["losses/clipfrac"].get<double>() >= 0 && figures["losses/clipfrac"].get<double>() <= 1);
    QVERIFY(figures["losses/epochs"].get<int>() >= 1);
}

void TestPpoLearning::constantRewardsDoNoHarm() {
    const auto space = constrainedSpace();
    const auto strategy = strategyOf("ppo", space, {1, 0, 0.7});
    Loop loop(space);
    loop.run(*strategy, 100, [](const Configuration&) { return 0.0; });
    QCOMPARE(loop.tried.size(), std::size_t{100});
    const auto chances = strategy->probabilities(loop.context());
    QVERIFY(chances);
    for (const auto& row : *chances)
        for (const float chance : row)
            QVERIFY(chance > 0.001f && chance < 0.99f);
}

void TestPpoLearning::extremeRewardsDoNoHarm() {
    const auto space = constrainedSpace();
    const auto strategy = strategyOf("ppo", space, {1, 0, 0.7});
    Loop loop(space);
    int i = 0;
    loop.run(*strategy, 60, [&](const Configuration&) { return ++i % 2 == 0 ? 1e30 : -1e30; });
    QCOMPARE(loop.tried.size(), std::size_t{60});
    const auto chances = strategy->probabilities(loop.context());
    QVERIFY(chances);
    for (const auto& row : *chances)
        for (const float chance : row)
            QVERIFY(std::isfinite(chance) && chance >= 0 && chance <= 1);
}

void TestPpoLearning::checkpointsGoOnAsBefore() {
    const auto space = constrainedSpace();
    const Landscape landscape(space, 8, 0.1);
    const auto first = strategyOf("ppo", space, {21, 10, 0.7});
    Loop loop(space);
    loop.run(*first, 45, landscape);
    const auto bytes = first->checkpoint();
    VERIFY_OK(bytes);
    const auto second = strategyOf("ppo", space, {22, 10, 0.7});
    Loop other = loop;
    QVERIFY(second->probabilities(loop.context()) != first->probabilities(loop.context()));
    VERIFY_OK(second->restore(*bytes));
    QVERIFY(second->probabilities(loop.context()) == first->probabilities(loop.context()));
    for (int i = 0; i < 30; ++i) {
        const auto a = first->propose(1, loop.context());
        const auto b = second->propose(1, other.context());
        VERIFY_OK(a);
        VERIFY_OK(b);
        QVERIFY(a->front().configuration == b->front().configuration);
        QVERIFY(a->front().note == b->front().note);
        loop.finish(*first, a->front(), landscape(a->front().configuration));
        other.finish(*second, b->front(), landscape(b->front().configuration));
    }
    QCOMPARE(*first->checkpoint(), *second->checkpoint());
    QCOMPARE(first->diagnostics()["charts/updates"].get<int>(), 9);
}

void TestPpoLearning::refusesWeightsOfAnotherNetwork() {
    // Truncated, damaged and of another space; the other cases are in tst_ppo_strategy.
    const auto space = constrainedSpace();
    const auto strategy = strategyOf("ppo", space, {21, 10, 0.7});
    const std::string good = *strategy->checkpoint();
    const Loop loop(space);
    const auto before = strategy->probabilities(loop.context());
    COMPARE_ERR(strategy->restore(std::string_view(good).substr(0, good.size() / 2)), ErrorCode::ParseError);
    std::string damaged = good;
    damaged[good.size() - 9] = static_cast<char>(damaged[good.size() - 9] + 1);
    COMPARE_ERR(strategy->restore(damaged), ErrorCode::ParseError);
    COMPARE_ERR(strategy->restore("not a checkpoint"), ErrorCode::ParseError);
    const auto foreign = strategyOf("ppo", freeSpace(2, 3))->checkpoint();
    VERIFY_OK(foreign);
    COMPARE_ERR(strategy->restore(*foreign), ErrorCode::InvalidArgument);
    QVERIFY(strategy->probabilities(loop.context()) == before);
    VERIFY_OK(strategy->restore(good));
}

void TestPpoLearning::beatsRandom_data() {
    QTest::addColumn<double>("failing");
    QTest::newRow("nothing fails") << 0.0;
    QTest::newRow("a fifth of the values fails") << 0.2;
}

void TestPpoLearning::beatsRandom() {
    QFETCH(double, failing);
    const auto space = freeSpace(6, 6);
    double learned = 0, random = 0;
    int wins = 0;
    constexpr int kSeeds = 12;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Landscape landscape(space, seed, failing);
        const double mine = bestAfter("ppo", space, landscape, seed, 100);
        const double theirs = bestAfter("random", space, landscape, seed, 100);
        learned += mine / kSeeds;
        random += theirs / kSeeds;
        wins += mine >= theirs ? 1 : 0;
    }
    qInfo("mean best log s after 100 trials: ppo %.3f, random %.3f; ppo ahead on %d of %d seeds", learned, random, wins, kSeeds);
    QVERIFY(learned >= random);
    QVERIFY(wins > kSeeds / 2);
}

void TestPpoLearning::opensOnce() {
    const auto first = torchModule();
    const auto second = torchModule();
    VERIFY_OK(first);
    VERIFY_OK(second);
    QCOMPARE(*first, *second);
    QVERIFY((*first)->version().starts_with("LibTorch "));
}

QTEST_APPLESS_MAIN(TestPpoLearning)
#include "tst_ppo_learning.moc"
