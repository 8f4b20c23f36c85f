// SPDX-License-Identifier: Apache-2.0
// PpoStrategy around a network that does not learn, so that all it stores can be recomputed.
#include "plain_actor_critic.h"
#include "policy/ppo/ppo_strategy.h"
#include "policy_fixture.h"

using namespace policy_test;

namespace {

struct Plain {
    std::shared_ptr<PlainActorCritic::Record> record = std::make_shared<PlainActorCritic::Record>();
    std::unique_ptr<PpoStrategy> strategy;

    explicit Plain(const space::SearchSpace& space, StrategyOptions options = {1, 0, 0.7}) {
        strategy = std::make_unique<PpoStrategy>("ppo", space, options, PpoParameters{}, std::make_unique<PlainActorCritic>(record));
    }
};

/// Which values of parameter p lead to a valid, allowed configuration that agrees with `taken` before p: by looking at all.
std::vector<std::size_t> openValues(const std::vector<Configuration>& all, const Configuration& taken, std::size_t p) {
    std::set<std::size_t> open;
    for (const Configuration& one : all)
        if (std::equal(one.index.begin(), one.index.begin() + static_cast<std::ptrdiff_t>(p), taken.index.begin()))
            open.insert(one.index[p]);
    return {open.begin(), open.end()};
}

/// The log-probability of drawing `taken` parameter by parameter from these scores.
double logProbOf(const space::SearchSpace& space, const ValueMask& mask, const std::vector<float>& scores, const Configuration& taken,
                 double temperature) {
    const std::vector<Configuration> all = validOf(space, &mask);
    double sum = 0;
    std::size_t firstRow = 0;
    for (std::size_t p = 0; p < taken.index.size(); ++p) {
        double normaliser = 0;
        for (const std::size_t v : openValues(all, taken, p))
            normaliser += std::exp(static_cast<double>(scores[firstRow + v]) / temperature);
        sum += static_cast<double>(scores[firstRow + taken.index[p]]) / temperature - std::log(normaliser);
        firstRow += space.parameters()[p].values.size();
    }
    return sum;
}

} // namespace

class TestPpoStrategy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void storesTheLogProbabilityOfWhatItSampled_data();
    void storesTheLogProbabilityOfWhatItSampled();
    void samplesAsItSays();
    void probabilitiesAreMaskedAndSumToOne();
    void updatesSeeWhatWasSampled();
    void firstTrialsAreUniform();
    void episodesEndAfterEightTrialsOrWithANewIncumbent();
    void learnsNothingFromNoReward();
    void learnsFromTrialsOfOthers();
    void fallsBackWhenThePolicyRepeatsItself();
    void checkpointsGoOnAsBefore();
    void refusesForeignCheckpoints_data();
    void refusesForeignCheckpoints();
    void refusesDamagedCheckpoints();
};

void TestPpoStrategy::storesTheLogProbabilityOfWhatItSampled_data() {
    QTest::addColumn<double>("temperature");
    QTest::newRow("cold") << 0.2;
    QTest::newRow("default") << 0.7;
    QTest::newRow("one") << 1.0;
    QTest::newRow("hot") << 3.0;
}

void TestPpoStrategy::storesTheLogProbabilityOfWhatItSampled() {
    QFETCH(double, temperature);
    const auto space = constrainedSpace();
    Plain plain(space, {9, 0, temperature});
    Loop loop(space);
    SplitMix64 rng(4);
    int compared = 0;
    for (int round = 0; round < 60; ++round) {
        loop.mask = round % 3 == 0 ? space.fullMask() : randomMask(space, 0.7, rng);
        if (round % 20 == 0) loop.tried.clear();
        const auto proposals = plain.strategy->propose(3, loop.context());
        VERIFY_OK(proposals);
        for (const Proposal& proposal : *proposals) {
            if (proposal.origin == "policy") {
                const double expected = logProbOf(space, loop.mask, plain.record->lastScores, proposal.configuration, temperature);
                const double stored = proposal.note["log_prob"].get<double>();
                QVERIFY2(std::abs(stored - expected) < 1e-9, qPrintable(QString("%1 stored, %2 expected").arg(stored).arg(expected)));
                ++compared;
            }
            loop.finish(*plain.strategy, proposal, rng.uniform());
        }
    }
    QVERIFY2(compared > 60, qPrintable(QString::number(compared)));
}

void TestPpoStrategy::samplesAsItSays() {
    const auto space = makeSpace({parameter("A", {1, 2, 4}), parameter("B", {1, 2, 4})}, {"A * B <= 8"});
    Plain plain(space);
    const Loop loop(space);
    const auto all = validOf(space);
    std::unordered_map<Configuration, int, space::ConfigurationHash> counts;
    constexpr int kDraws = 6000;
    for (int i = 0; i < kDraws; ++i) {
        const auto proposals = plain.strategy->propose(1, loop.context());
        VERIFY_OK(proposals);
        QCOMPARE(proposals->front().origin, std::string("policy"));
        ++counts[proposals->front().configuration];
        plain.strategy->forget(proposals->front().id);
    }
    double total = 0;
    for (const Configuration& configuration : all) {
        const double chance = std::exp(logProbOf(space, loop.mask, plain.record->lastScores, configuration, 0.7));
        total += chance;
        const double slack = 6 * std::sqrt(kDraws * chance * (1 - chance)) + 1;
        QVERIFY2(std::abs(counts[configuration] - kDraws * chance) < slack,
                 qPrintable(QString("%1 of %2 expected").arg(counts[configuration]).arg(kDraws * chance)));
    }
    QVERIFY(std::abs(total - 1) < 1e-9);
}

void TestPpoStrategy::probabilitiesAreMaskedAndSumToOne() {
    const auto space = constrainedSpace();
    Plain plain(space);
    Loop loop(space);
    SplitMix64 rng(8);
    for (int round = 0; round < 100; ++round) {
        loop.mask = randomMask(space, 0.6, rng);
        const auto all = validOf(space, &loop.mask);
        const auto chances = plain.strategy->probabilities(loop.context());
        QCOMPARE(chances.has_value(), !all.empty());
        if (!chances) continue;
        QCOMPARE(chances->size(), space.parameters().size());
        for (std::size_t p = 0; p < chances->size(); ++p) {
            double sum = 0;
            for (std::size_t v = 0; v < (*chances)[p].size(); ++v) {
                const bool reachable = std::ranges::any_of(all, [&](const Configuration& one) { return one.index[p] == v; });
                QCOMPARE((*chances)[p][v] > 0, reachable);
                sum += static_cast<double>((*chances)[p][v]);
            }
            QVERIFY(std::abs(sum - 1) < 1e-5);
        }
    }
}

void TestPpoStrategy::updatesSeeWhatWasSampled() {
    const auto space = constrainedSpace();
    Plain plain(space, {3, 5, 0.5});
    Loop loop(space);
    SplitMix64 rng(2);
    loop.run(*plain.strategy, 48, [&](const Configuration&) { return rng.uniform(); });
    QCOMPARE(plain.record->batches.size(), std::size_t{6});
    PlainActorCritic scorer(plain.record);
    for (std::size_t number = 0; number < plain.record->batches.size(); ++number) {
        const UpdateBatch& batch = plain.record->batches[number];
        // 8 more with each update, up to the window of 24.
        QCOMPARE(batch.states.size(), std::min<std::size_t>(24, 8 * (number + 1)));
        QCOMPARE(batch.temperature, 0.5f);
        std::vector<double> sums(batch.segmentTransition.size()), logProbs(batch.states.size());
        for (std::size_t row = 0; row < batch.rowSegment.size(); ++row)
            sums[static_cast<std::size_t>(batch.rowSegment[row])] += std::exp(
                static_cast<double>(scorer.scoreOf(std::span(batch.descriptors).subspan(row * kDescriptorSize, kDescriptorSize))) / 0.5);
        for (std::size_t s = 0; s < sums.size(); ++s) {
            const auto row = static_cast<std::size_t>(batch.chosenRow[s]);
            const double score =
                static_cast<double>(scorer.scoreOf(std::span(batch.descriptors).subspan(row * kDescriptorSize, kDescriptorSize)));
            logProbs[static_cast<std::size_t>(batch.segmentTransition[s])] += score / 0.5 - std::log(sums[s]);
        }
        for (std::size_t t = 0; t < logProbs.size(); ++t) {
            const bool initial = number < 3 && t < 5;
            QCOMPARE(batch.policyWeight[t], initial ? 0.0f : 1.0f);
            QVERIFY(std::abs(logProbs[t] - static_cast<double>(batch.logProb[t])) < 1e-4);
        }
    }
}

void TestPpoStrategy::firstTrialsAreUniform() {
    const auto space = constrainedSpace();
    Plain plain(space, {3, 20, 0.7});
    Loop loop(space);
    for (int i = 0; i < 30; ++i) {
        const auto proposals = plain.strategy->propose(1, loop.context());
        VERIFY_OK(proposals);
        QCOMPARE(proposals->front().origin, std::string(i < 20 ? "init" : "policy"));
        QCOMPARE(proposals->front().note.contains("log_prob"), i >= 20);
        loop.finish(*plain.strategy, proposals->front(), 0.5);
    }
}

void TestPpoStrategy::episodesEndAfterEightTrialsOrWithANewIncumbent() {
    const auto space = freeSpace(5, 4);
    Plain plain(space);
    Loop loop(space);
    std::vector<int> lengths;
    std::uint64_t current = 0;
    const auto one = [&] {
        const auto proposals = plain.strategy->propose(1, loop.context());
        if (!proposals || proposals->empty()) qFatal("no proposal");
        const auto episode = proposals->front().note["episode"].get<std::uint64_t>();
        if (lengths.empty() || episode != current) lengths.push_back(0);
        current = episode;
        ++lengths.back();
        return proposals->front();
    };
    // The first trial becomes the incumbent and nothing beats it; after 11 more something does.
    for (int i = 0; i < 12; ++i)
        loop.finish(*plain.strategy, one(), i == 0 ? 1.0 : 0.0);
    loop.finish(*plain.strategy, one(), 2.0);
    for (int i = 0; i < 10; ++i)
        loop.finish(*plain.strategy, one(), 0.0);
    QCOMPARE(lengths, (std::vector<int>{1, 8, 4, 8, 2}));
}

void TestPpoStrategy::learnsNothingFromNoReward() {
    const auto space = constrainedSpace();
    Plain plain(space);
    Loop loop(space);
    const auto before = plain.strategy->probabilities(loop.context());
    for (int i = 0; i < 40; ++i) {
        const auto proposals = plain.strategy->propose(1, loop.context());
        VERIFY_OK(proposals);
        Observation seen;
        seen.proposalId = proposals->front().id;
        seen.configuration = proposals->front().configuration;
        seen.status = i % 2 == 0 ? TrialStatus::Unstable : TrialStatus::WorkerLost;
        if (i % 3 == 0) seen.learningReward = std::nan("");
        VERIFY_OK(plain.strategy->observe(seen));
    }
    QVERIFY(plain.record->batches.empty());
    QCOMPARE(plain.strategy->diagnostics()["charts/updates"].get<int>(), 0);
    QVERIFY(!plain.strategy->diagnostics().contains("losses/entropy"));
    QVERIFY(plain.strategy->probabilities(loop.context()) == before);
}

void TestPpoStrategy::learnsFromTrialsOfOthers() {
    const auto space = constrainedSpace();
    Plain plain(space);
    const Loop loop(space);
    const auto before = plain.strategy->probabilities(loop.context());
    SplitMix64 rng(6);
    for (int i = 0; i < 20; ++i) {
        // The baseline, the user's own configuration, the history of a resumed session.
        Observation seen;
        seen.configuration = *space.sample(rng);
        seen.learningReward = rng.uniform();
        VERIFY_OK(plain.strategy->observe(seen));
    }
    QVERIFY(plain.record->batches.empty());
    QVERIFY(plain.strategy->probabilities(loop.context()) != before);
}

void TestPpoStrategy::fallsBackWhenThePolicyRepeatsItself() {
    // At a low temperature the policy names the same few again and again; the proposal must still be new.
    const auto space = freeSpace(3, 4);
    Plain plain(space, {1, 0, 0.05});
    Loop loop(space);
    int random = 0;
    for (int i = 0; i < 64; ++i) {
        const auto proposals = plain.strategy->propose(1, loop.context());
        VERIFY_OK(proposals);
        QCOMPARE(proposals->size(), std::size_t{1});
        QVERIFY(!loop.tried.contains(proposals->front().configuration));
        random += proposals->front().origin == "random" ? 1 : 0;
        // What did not come from the policy has no log-probability that it could be credited with.
        QCOMPARE(proposals->front().note.contains("log_prob"), proposals->front().origin == "policy");
        loop.finish(*plain.strategy, proposals->front(), 0.5);
    }
    QVERIFY(random > 0);
    QCOMPARE(plain.strategy->diagnostics()["charts/random_fallbacks"].get<int>(), random);
    QVERIFY(plain.strategy->propose(1, loop.context())->empty());
}

void TestPpoStrategy::checkpointsGoOnAsBefore() {
    const auto space = constrainedSpace();
    Plain first(space, {77, 10, 0.7});
    Loop loop(space);
    const auto reward = [](const Configuration& configuration) { return 0.1 * configuration.index[2] - 0.05 * configuration.index[0]; };
    loop.run(*first.strategy, 30, reward);
    // In flight at the moment of the checkpoint.
    const auto flying = first.strategy->propose(3, loop.context());
    VERIFY_OK(flying);
    const auto bytes = first.strategy->checkpoint();
    VERIFY_OK(bytes);
    Plain second(space, {1234, 10, 0.7});
    VERIFY_OK(second.strategy->restore(*bytes));
    QCOMPARE(*second.strategy->checkpoint(), *bytes);
    Loop other = loop;
    for (const Proposal& proposal : *flying) {
        loop.finish(*first.strategy, proposal, 0.7);
        other.finish(*second.strategy, proposal, 0.7);
    }
    for (int i = 0; i < 25; ++i) {
        const auto a = first.strategy->propose(2, loop.context());
        const auto b = second.strategy->propose(2, other.context());
        VERIFY_OK(a);
        VERIFY_OK(b);
        QCOMPARE(a->size(), b->size());
        for (std::size_t k = 0; k < a->size(); ++k) {
            QVERIFY((*a)[k].configuration == (*b)[k].configuration);
            QCOMPARE((*a)[k].id, (*b)[k].id);
            QVERIFY((*a)[k].note == (*b)[k].note);
            loop.finish(*first.strategy, (*a)[k], reward((*a)[k].configuration));
            other.finish(*second.strategy, (*b)[k], reward((*b)[k].configuration));
        }
    }
    QCOMPARE(*first.strategy->checkpoint(), *second.strategy->checkpoint());
}

void TestPpoStrategy::refusesForeignCheckpoints_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("words");
    Plain plain(constrainedSpace());
    const QByteArray good = QByteArray::fromStdString(*plain.strategy->checkpoint());
    const int parse = static_cast<int>(ErrorCode::ParseError);
    QTest::newRow("nothing") << QByteArray() << parse << "no policy checkpoint";
    QTest::newRow("a few bytes") << good.left(7) << parse << "no policy checkpoint";
    QTest::newRow("text") << QByteArray(200, 'x') << parse << "no policy checkpoint";
    QTest::newRow("a database") << QByteArray("SQLite format 3\0", 16) + QByteArray(500, '\0') << parse << "no policy checkpoint";
    QByteArray newer = good;
    newer[8] = 2;
    QTest::newRow("newer version") << newer << static_cast<int>(ErrorCode::DatabaseVersion) << "version 2";
    QTest::newRow("more at the end") << good + "x" << parse << "damaged";
    Plain other(freeSpace(3, 4));
    QTest::newRow("another space") << QByteArray::fromStdString(*other.strategy->checkpoint())
                                   << static_cast<int>(ErrorCode::InvalidArgument) << "another search space";
}

void TestPpoStrategy::refusesForeignCheckpoints() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, code);
    QFETCH(QString, words);
    Plain plain(constrainedSpace());
    const auto before = *plain.strategy->checkpoint();
    const auto result = plain.strategy->restore(bytes.toStdString());
    COMPARE_ERR(result, static_cast<ErrorCode>(code));
    QVERIFY2(QString::fromStdString(result.error().message).contains(words), result.error().message.c_str());
    QCOMPARE(*plain.strategy->checkpoint(), before);
}

void TestPpoStrategy::refusesDamagedCheckpoints() {
    const auto space = constrainedSpace();
    Plain plain(space, {5, 3, 0.7});
    Loop loop(space);
    loop.run(*plain.strategy, 12, [](const Configuration& configuration) { return 0.1 * configuration.index[0]; });
    const std::string good = *plain.strategy->checkpoint();
    Plain target(space);
    const auto before = *target.strategy->checkpoint();
    for (std::size_t length = 0; length < good.size(); length += 1 + good.size() / 200)
        QVERIFY(!target.strategy->restore(std::string_view(good).substr(0, length)));
    for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 500) {
        std::string damaged = good;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        QVERIFY2(!target.strategy->restore(damaged), qPrintable(QString::number(at)));
    }
    QCOMPARE(*target.strategy->checkpoint(), before);
    VERIFY_OK(target.strategy->restore(good));
}

QTEST_APPLESS_MAIN(TestPpoStrategy)
#include "tst_ppo_strategy.moc"
