// SPDX-License-Identifier: Apache-2.0
// What every strategy promises, whatever it has learned.
#include "policy/exhaustive_strategy.h"
#include "policy/torch_module.h"
#include "policy_fixture.h"

using namespace policy_test;

class TestStrategies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesBadOptions_data();
    void refusesBadOptions();
    void namesWhatItKnows();
    void obeysMasks_data() { strategies(); }
    void obeysMasks();
    void findsEveryConfiguration_data() { strategies(); }
    void findsEveryConfiguration();
    void findsTheLastOne_data() { strategies(); }
    void findsTheLastOne();
    void nothingLeft_data() { strategies(); }
    void nothingLeft();
    void sameSeedSameProposals_data() { strategies(); }
    void sameSeedSameProposals();
    void exhaustiveIsInOrder();
    void exhaustiveTakesBackWhatWasForgotten();
    void exhaustiveReturnsToWhatAPinHid();
    void exhaustivePassesItsChunks();
    void randomIsUniform();
    void randomSeedsDiffer();

private:
    static void strategies() {
        QTest::addColumn<QString>("name");
        for (const std::string& name : strategyNames())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
};

#define FETCH_STRATEGY()                                                                                                                   \
    QFETCH(QString, name);                                                                                                                 \
    const std::string strategyName = name.toStdString();                                                                                   \
    if (name == "ppo" || name == "warp") SKIP_WITHOUT_TORCH()

void TestStrategies::refusesBadOptions_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("initBudget");
    QTest::addColumn<double>("temperature");
    QTest::addColumn<QString>("words");
    QTest::newRow("unknown") << "anneal" << 20 << 0.7 << "known strategies: random, exhaustive, ppo, warp";
    QTest::newRow("misspelt") << "randon" << 20 << 0.7 << "did you mean 'random'";
    QTest::newRow("empty") << "" << 20 << 0.7 << "no strategy ''";
    QTest::newRow("negative budget") << "random" << -1 << 0.7 << "0 or more";
    QTest::newRow("cold") << "random" << 20 << 0.0 << "temperature";
    QTest::newRow("hot") << "random" << 20 << 11.0 << "temperature";
    QTest::newRow("no number") << "exhaustive" << 20 << std::nan("") << "temperature";
}

void TestStrategies::refusesBadOptions() {
    QFETCH(QString, name);
    QFETCH(int, initBudget);
    QFETCH(double, temperature);
    QFETCH(QString, words);
    const auto made = makeStrategy(name.toStdString(), freeSpace(1, 2), {0, initBudget, temperature});
    COMPARE_ERR(made, ErrorCode::InvalidArgument);
    QVERIFY2(QString::fromStdString(made.error().message).contains(words), made.error().message.c_str());
}

void TestStrategies::namesWhatItKnows() {
    for (const std::string& name : strategyNames()) {
        if ((name == "ppo" || name == "warp") && !torchModulePresent()) {
            const auto made = makeStrategy(name, freeSpace(1, 2), {});
            COMPARE_ERR(made, ErrorCode::EnvironmentMissing);
            QVERIFY(made.error().message.find("--strategy random") != std::string::npos);
            continue;
        }
        QCOMPARE(std::string(strategyOf(name, freeSpace(1, 2))->name()), name);
    }
}

void TestStrategies::obeysMasks() {
    FETCH_STRATEGY();
    const auto space = constrainedSpace();
    const auto strategy = strategyOf(strategyName, space, {5, 20, 0.7});
    Loop loop(space, 1000);
    SplitMix64 rng(17);
    std::uint64_t lastId = 0;
    int proposed = 0;
    for (int round = 0; round < 250; ++round) {
        // A pin (one value), bans, or nothing; `tried` starts afresh now and then so that the space does not run out.
        loop.mask = round % 5 == 0 ? space.fullMask() : randomMask(space, round % 5 == 1 ? 0.15 : 0.8, rng);
        if (round % 25 == 0) {
            loop.tried.clear();
            loop.incumbent.reset();
        }
        std::size_t left = 0;
        for (const Configuration& configuration : validOf(space, &loop.mask))
            left += loop.tried.contains(configuration) ? 0 : 1;
        const auto proposals = strategy->propose(16, loop.context());
        VERIFY_OK(proposals);
        QCOMPARE(proposals->size(), std::min<std::size_t>(16, left));
        TriedSet seen;
        for (const Proposal& proposal : *proposals) {
            QVERIFY(space.isValid(proposal.configuration));
            QVERIFY(allowedBy(loop.mask, proposal.configuration));
            QVERIFY(!loop.tried.contains(proposal.configuration));
            QVERIFY2(seen.insert(proposal.configuration).second, "proposed twice in one call");
            QVERIFY(proposal.id > lastId);
            QVERIFY(!proposal.origin.empty());
            lastId = proposal.id;
        }
        for (std::size_t i = 0; i < proposals->size(); ++i) {
            // Some are dropped and never run, some fail, the rest have a reward.
            if (i % 7 == 6) strategy->forget((*proposals)[i].id);
            else loop.finish(*strategy, (*proposals)[i], i % 5 == 4 ? std::nan("") : rng.uniform());
        }
        proposed += static_cast<int>(proposals->size());
    }
    QVERIFY2(proposed > 1500, qPrintable(QString::number(proposed)));
}

void TestStrategies::findsEveryConfiguration() {
    FETCH_STRATEGY();
    const auto space = constrainedSpace();
    const auto all = validOf(space);
    const auto strategy = strategyOf(strategyName, space, {1, 20, 0.7});
    Loop loop(space, static_cast<int>(all.size()));
    for (;;) {
        const auto proposals = strategy->propose(7, loop.context());
        VERIFY_OK(proposals);
        if (proposals->empty()) break;
        for (const Proposal& proposal : *proposals) {
            QVERIFY(!loop.tried.contains(proposal.configuration));
            loop.finish(*strategy, proposal, 0.1 * proposal.configuration.index[0]);
        }
        QVERIFY(loop.tried.size() <= all.size());
    }
    QCOMPARE(loop.tried.size(), all.size());
}

void TestStrategies::findsTheLastOne() {
    FETCH_STRATEGY();
    const auto space = freeSpace(4, 6);
    const auto all = validOf(space);
    for (const std::size_t left : {std::size_t{0}, std::size_t{777}, all.size() - 1}) {
        const auto strategy = strategyOf(strategyName, space, {left, 20, 0.7});
        Loop loop(space);
        loop.tried.insert(all.begin(), all.end());
        loop.tried.erase(all[left]);
        const auto proposals = strategy->propose(3, loop.context());
        VERIFY_OK(proposals);
        QCOMPARE(proposals->size(), std::size_t{1});
        QVERIFY(proposals->front().configuration == all[left]);
    }
}

void TestStrategies::nothingLeft() {
    FETCH_STRATEGY();
    const auto strategy = strategyOf(strategyName, freeSpace(1, 3));
    Loop loop(freeSpace(1, 3));
    const auto three = strategy->propose(10, loop.context());
    VERIFY_OK(three);
    QCOMPARE(three->size(), std::size_t{3});
    for (const Proposal& proposal : *three)
        loop.finish(*strategy, proposal, 0.5);
    for (const int n : {1, 5, 0, -1}) {
        const auto none = strategy->propose(n, loop.context());
        VERIFY_OK(none);
        QVERIFY(none->empty());
    }
    // Pins and bans alone can rule everything out, too.
    const auto empty = makeSpace({parameter("A", {1, 2}), parameter("B", {1, 2})}, {"A == B"});
    const auto other = strategyOf(strategyName, empty, {0, 0, 0.7});
    Loop banned(empty);
    banned.mask = {{true, false}, {false, true}};
    const auto nothing = other->propose(2, banned.context());
    VERIFY_OK(nothing);
    QVERIFY(nothing->empty());
    QVERIFY(!other->probabilities(banned.context()));
}

void TestStrategies::sameSeedSameProposals() {
    FETCH_STRATEGY();
    const auto space = constrainedSpace();
    std::vector<std::vector<Configuration>> runs;
    for (int run = 0; run < 2; ++run) {
        const auto strategy = strategyOf(strategyName, space, {42, 10, 0.7});
        Loop loop(space);
        std::vector<Configuration> order;
        loop.run(*strategy, 40, [&](const Configuration& configuration) {
            order.push_back(configuration);
            return 0.1 * configuration.index[1];
        });
        runs.push_back(order);
    }
    QCOMPARE(runs[0].size(), std::size_t{40});
    QVERIFY(runs[0] == runs[1]);
}

void TestStrategies::exhaustiveIsInOrder() {
    const auto space = constrainedSpace();
    const auto all = validOf(space);
    const auto strategy = strategyOf("exhaustive", space);
    Loop loop(space);
    std::vector<Configuration> order;
    loop.run(*strategy, static_cast<int>(all.size()) + 1, [&](const Configuration& configuration) {
        order.push_back(configuration);
        return 1.0;
    });
    QVERIFY(std::ranges::is_sorted(order));
    QVERIFY(order == all);
}

void TestStrategies::exhaustiveTakesBackWhatWasForgotten() {
    const auto space = freeSpace(1, 5);
    const auto strategy = strategyOf("exhaustive", space);
    Loop loop(space);
    const auto first = strategy->propose(3, loop.context());
    VERIFY_OK(first);
    loop.finish(*strategy, (*first)[0], 1);
    loop.finish(*strategy, (*first)[2], 1);
    strategy->forget((*first)[1].id);
    const auto second = strategy->propose(10, loop.context());
    VERIFY_OK(second);
    QCOMPARE(second->size(), std::size_t{3});
    QVERIFY((*second)[0].configuration == (*first)[1].configuration);
}

void TestStrategies::exhaustiveReturnsToWhatAPinHid() {
    const auto space = freeSpace(2, 3);
    const auto strategy = strategyOf("exhaustive", space);
    Loop loop(space);
    loop.mask[0] = {false, false, true};
    loop.run(*strategy, 2, [](const Configuration& configuration) { return configuration.index[0] == 2 ? 1.0 : -1.0; });
    QCOMPARE(loop.best, 1.0);
    loop.mask = space.fullMask();
    std::vector<Configuration> order;
    loop.run(*strategy, 100, [&](const Configuration& configuration) { return order.push_back(configuration), 0.0; });
    QCOMPARE(order.size(), std::size_t{7});
    QVERIFY(std::ranges::is_sorted(order));
    QVERIFY(order.front() == (Configuration{{0, 0}}));
}

void TestStrategies::exhaustivePassesItsChunks() {
    // More than one chunk of what it enumerates ahead.
    const auto space = freeSpace(4, 12);
    ExhaustiveStrategy strategy(space);
    Loop loop(space);
    std::size_t got = 0;
    Configuration last;
    for (;;) {
        const auto proposals = strategy.propose(1000, loop.context());
        VERIFY_OK(proposals);
        if (proposals->empty()) break;
        for (const Proposal& proposal : *proposals) {
            QVERIFY(got == 0 || last < proposal.configuration);
            last = proposal.configuration;
            ++got;
        }
    }
    QCOMPARE(got, std::size_t{20736});
}

void TestStrategies::randomIsUniform() {
    const auto space = makeSpace({parameter("A", {1, 2, 4}), parameter("B", {1, 2, 4, 8})}, {"A * B <= 4", "not (A == 1 and B == 1)"});
    const auto all = validOf(space);
    QCOMPARE(all.size(), std::size_t{5});
    std::unordered_map<Configuration, int, space::ConfigurationHash> counts;
    constexpr int kDraws = 5000;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
        const auto proposals = strategyOf("random", space, {seed, 0, 0.7})->propose(1, Loop(space).context());
        VERIFY_OK(proposals);
        ++counts[proposals->front().configuration];
    }
    // Six deviations of a binomial with p = 1/5.
    for (const Configuration& configuration : all)
        QVERIFY2(std::abs(counts[configuration] - kDraws / 5) < 170, qPrintable(QString::number(counts[configuration])));
}

void TestStrategies::randomSeedsDiffer() {
    const auto space = freeSpace(5, 8);
    Loop loop(space);
    const auto one = strategyOf("random", space, {1, 20, 0.7})->propose(10, loop.context());
    const auto two = strategyOf("random", space, {2, 20, 0.7})->propose(10, loop.context());
    VERIFY_OK(one);
    VERIFY_OK(two);
    QVERIFY(one->front().configuration != two->front().configuration);
}

QTEST_APPLESS_MAIN(TestStrategies)
#include "tst_strategies.moc"
