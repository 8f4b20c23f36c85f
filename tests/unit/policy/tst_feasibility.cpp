// SPDX-License-Identifier: Apache-2.0
// What is learned of failures, on spaces whose limits are known; and that the order stays fair where nothing can be learned.
#include "policy/random_strategy.h"
#include "policy/screened_strategy.h"
#include "policy_fixture.h"

using namespace policy_test;

namespace {

/// 64 x 6 x 4 x 8 combinations: threads of a block, work per thread, a flag that costs registers, bytes of a tile.
space::SearchSpace kernelSpace() {
    Value::Tuple blocks, tiles;
    for (int threads = 16; threads <= 1024; threads += 16) blocks.emplace_back(threads);
    for (int tile = 1; tile <= 8; ++tile) tiles.emplace_back(tile);
    return makeSpace({parameter("BLOCK", blocks), parameter("WORK", {1, 2, 3, 4, 6, 8}), parameter("STYLE", {"plain", "tma", "async", "ldg"}, space::Scale::Categorical),
                      parameter("TILE", tiles)});
}

double valueOf(const space::SearchSpace& space, const Configuration& configuration, std::size_t parameter) {
    return space.valueOf(configuration, parameter).asDouble();
}

double registersOf(const space::SearchSpace& space, const Configuration& configuration) {
    return 24 + 12 * valueOf(space, configuration, 1) + (configuration.index[2] == 1 ? 32 : 0);
}

double sharedOf(const space::SearchSpace& space, const Configuration& configuration) {
    return valueOf(space, configuration, 0) * valueOf(space, configuration, 3) * 8;
}

using Outcome = std::function<TrialStatus(const space::SearchSpace&, const Configuration&)>;

TrialStatus registerLimit(const space::SearchSpace& space, const Configuration& configuration) {
    return registersOf(space, configuration) * valueOf(space, configuration, 0) > 65536 ? TrialStatus::LaunchError : TrialStatus::Ok;
}

TrialStatus sharedLimit(const space::SearchSpace& space, const Configuration& configuration) {
    return sharedOf(space, configuration) > 24576 ? TrialStatus::CompileError : TrialStatus::Ok;
}

/// Three in ten fail, for reasons that the configuration does not show.
TrialStatus chance(const space::SearchSpace&, const Configuration& configuration) {
    return SplitMix64::at(space::ConfigurationHash{}(configuration), 7) % 10 < 3 ? TrialStatus::RuntimeError : TrialStatus::Ok;
}

Observation observationOf(const space::SearchSpace& space, const Configuration& configuration, const Outcome& outcome) {
    Observation seen;
    seen.configuration = configuration;
    seen.status = outcome(space, configuration);
    if (seen.status == TrialStatus::Ok) seen.timeNs = 1e6 / (1 + valueOf(space, configuration, 0) / 256);
    seen.registers = registersOf(space, configuration);
    seen.sharedBytes = sharedOf(space, configuration);
    return seen;
}

std::vector<Configuration> draw(const space::SearchSpace& space, int count, std::uint64_t seed) {
    SplitMix64 rng(seed);
    TriedSet seen;
    std::vector<Configuration> drawn;
    while (static_cast<int>(drawn.size()) < count) {
        const auto one = space.sample(rng);
        if (seen.insert(*one).second) drawn.push_back(*one);
    }
    return drawn;
}

FeasibilityModel taught(const space::SearchSpace& space, const Outcome& outcome, int trials, std::uint64_t seed = 1) {
    FeasibilityModel model(space, {seed, 50, {}});
    for (const auto& configuration : draw(space, trials, seed)) model.observe(observationOf(space, configuration, outcome));
    return model;
}

std::unique_ptr<ScreenedStrategy> screened(const space::SearchSpace& space, std::uint64_t seed) {
    return std::make_unique<ScreenedStrategy>(std::make_unique<RandomStrategy>(space, StrategyOptions{seed, 20, 0.7}), FeasibilityModel(space, {seed, 50, {}}));
}

/// Failures among the trials `from` to `to` of a session.
int failuresOf(Strategy& strategy, const space::SearchSpace& space, const Outcome& outcome, int from, int to) {
    Loop loop(space, to);
    int failures = 0;
    for (int number = 1; number <= to; ++number) {
        const auto proposals = strategy.propose(1, loop.context());
        if (!proposals || proposals->empty()) qFatal("no proposal at trial %d", number);
        auto seen = observationOf(space, proposals->front().configuration, outcome);
        seen.proposalId = proposals->front().id;
        loop.tried.insert(seen.configuration);
        if (!strategy.observe(seen)) qFatal("cannot learn");
        failures += number > from && seen.status != TrialStatus::Ok ? 1 : 0;
    }
    return failures;
}

}  // namespace

class TestFeasibility : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStatusIsJudged();
    void silentUntilItKnows();
    void learnsLimits_data();
    void learnsLimits();
    void predictsFacts();
    void staysFairWhereNothingCanBeLearned();
    void isAFunctionOfTheTrials();
    void comparedSidesBecomeFeatures();
    void failsLessOften_data();
    void failsLessOften();
    void neverRefuses();
    void obeysPins();
    void takesBackAWrongModel();
    void resumesFromTrials();
    void forgetsWhatItPutsLast();
};

void TestFeasibility::everyStatusIsJudged() {
    int failed = 0, ran = 0, silent = 0;
    for (const auto status : kAllTrialStatuses) {
        const auto judged = failedToRun(status);
        (judged ? *judged ? failed : ran : silent) += 1;
    }
    QCOMPARE(failed, 7);
    QCOMPARE(ran, 5);
    QCOMPARE(silent, 2);
    // It compiled and launched, though its result is wrong.
    QCOMPARE(failedToRun(TrialStatus::WrongResult), std::optional(false));
}

void TestFeasibility::silentUntilItKnows() {
    const auto space = kernelSpace();
    const auto any = space.defaultConfiguration();
    auto early = taught(space, registerLimit, 49);
    QVERIFY(!early.forecast(any));
    QCOMPARE(early.fittedTrials(), std::size_t{0});
    auto alike = taught(space, [](const auto&, const auto&) { return TrialStatus::Ok; }, 200);
    QVERIFY(!alike.forecast(any));
    auto lost = taught(space, [](const auto&, const auto&) { return TrialStatus::WorkerLost; }, 200);
    QVERIFY(!lost.forecast(any));
    auto ready = taught(space, registerLimit, 50);
    QVERIFY(ready.forecast(any));
    QCOMPARE(ready.fittedTrials(), std::size_t{50});
    // A space with one configuration has nothing to tell apart.
    const auto single = makeSpace({parameter("A", {1})});
    FeasibilityModel none(single, {});
    for (int i = 0; i < 60; ++i) none.observe(observationOf(space, any, registerLimit));
    QVERIFY(!none.forecast(single.defaultConfiguration()));
}

void TestFeasibility::learnsLimits_data() {
    QTest::addColumn<bool>("registers");
    QTest::newRow("registers x threads") << true;
    QTest::newRow("shared memory") << false;
}

void TestFeasibility::learnsLimits() {
    QFETCH(bool, registers);
    const Outcome outcome = registers ? registerLimit : sharedLimit;
    const auto space = kernelSpace();
    auto model = taught(space, outcome, 150);
    int failing = 0, caught = 0, running = 0, wronged = 0;
    for (const auto& configuration : draw(space, 1000, 99)) {
        const bool last = ScreenedStrategy::likelyFails(*model.forecast(configuration));
        const bool fails = outcome(space, configuration) != TrialStatus::Ok;
        (fails ? failing : running) += 1;
        caught += fails && last;
        wronged += !fails && last;
    }
    QVERIFY2(failing > 100, qPrintable(QString::number(failing)));
    QVERIFY2(caught > 0.7 * failing, qPrintable(QString("%1 of %2 caught").arg(caught).arg(failing)));
    QVERIFY2(wronged < 0.1 * running, qPrintable(QString("%1 of %2 wronged").arg(wronged).arg(running)));
}

void TestFeasibility::predictsFacts() {
    const auto space = kernelSpace();
    auto model = taught(space, registerLimit, 200);
    std::vector<double> registerErrors, sharedErrors;
    for (const auto& configuration : draw(space, 300, 5)) {
        const auto forecast = *model.forecast(configuration);
        QVERIFY(forecast.registers && forecast.sharedBytes);
        registerErrors.push_back(std::abs(*forecast.registers / registersOf(space, configuration) - 1));
        sharedErrors.push_back(std::abs(*forecast.sharedBytes / sharedOf(space, configuration) - 1));
    }
    std::ranges::sort(registerErrors);
    std::ranges::sort(sharedErrors);
    QVERIFY2(registerErrors[150] < 0.15, qPrintable(QString::number(registerErrors[150])));
    QVERIFY2(sharedErrors[150] < 0.3, qPrintable(QString::number(sharedErrors[150])));
    // Without facts there is no figure, rather than a wrong one.
    FeasibilityModel plain(space, {1, 50, {}});
    for (const auto& configuration : draw(space, 100, 1)) {
        auto seen = observationOf(space, configuration, registerLimit);
        seen.registers.reset();
        seen.sharedBytes.reset();
        plain.observe(seen);
    }
    const auto forecast = plain.forecast(space.defaultConfiguration());
    QVERIFY(forecast && !forecast->registers && !forecast->sharedBytes);
    QVERIFY(!forecast->toJson().contains("registers"));
}

void TestFeasibility::staysFairWhereNothingCanBeLearned() {
    const auto space = kernelSpace();
    auto model = taught(space, chance, 200);
    // What is put last by mistake does not depend on whether it fails.
    double failing = 0, failingLast = 0, running = 0, runningLast = 0;
    for (const auto& configuration : draw(space, 2000, 3)) {
        const double last = ScreenedStrategy::likelyFails(*model.forecast(configuration)) ? 1 : 0;
        const bool fails = chance(space, configuration) != TrialStatus::Ok;
        (fails ? failing : running) += 1;
        (fails ? failingLast : runningLast) += last;
    }
    QVERIFY2(std::abs(failingLast / failing - runningLast / running) < 0.1,
             qPrintable(QString("%1 and %2").arg(failingLast / failing).arg(runningLast / running)));
    // And a session still proposes every time.
    const auto strategy = screened(space, 11);
    const int failures = failuresOf(*strategy, space, chance, 50, 200);
    QVERIFY2(failures > 20 && failures < 75, qPrintable(QString::number(failures)));
}

void TestFeasibility::isAFunctionOfTheTrials() {
    const auto space = kernelSpace();
    auto once = taught(space, registerLimit, 137);
    // Asked after each trial, or only at the end: the same.
    FeasibilityModel often(space, {1, 50, {}});
    for (const auto& configuration : draw(space, 137, 1)) {
        often.observe(observationOf(space, configuration, registerLimit));
        (void)often.forecast(configuration);
    }
    QCOMPARE(often.fittedTrials(), once.fittedTrials());
    auto otherSeed = FeasibilityModel(space, {2, 50, {}});
    for (const auto& configuration : draw(space, 137, 1)) otherSeed.observe(observationOf(space, configuration, registerLimit));
    int differ = 0;
    for (const auto& configuration : draw(space, 200, 8)) {
        QVERIFY(once.forecast(configuration)->toJson() == often.forecast(configuration)->toJson());
        differ += once.forecast(configuration)->failure != otherSeed.forecast(configuration)->failure;
    }
    QVERIFY(differ > 0);
}

void TestFeasibility::comparedSidesBecomeFeatures() {
    const auto plain = makeSpace({parameter("A", {1, 2, 4}), parameter("B", {1, 2, 4}), parameter("ONE", {7})});
    const auto bounded = makeSpace({parameter("A", {1, 2, 4}), parameter("B", {1, 2, 4}), parameter("ONE", {7})}, {"A * B * 4 <= 64 and A < 8"});
    QCOMPARE(ConfigurationFeatures(plain, {}).width(), std::size_t{2});
    ConfigurationFeatures features(bounded, {*expr::Expression::parse("A + B"), *expr::Expression::parse("UNKNOWN * 2")});
    QCOMPARE(features.width(), std::size_t{4});
    std::vector<float> row(4);
    features.write(*bounded.parse("A=4,B=2", bounded.defaultConfiguration()), row);
    QCOMPARE(row[0], 2.0f);
    QCOMPARE(row[1], 1.0f);
    QCOMPARE(row[2], static_cast<float>(std::log2(33.0)));
    QCOMPARE(row[3], static_cast<float>(std::log2(7.0)));
}

void TestFeasibility::failsLessOften_data() {
    learnsLimits_data();
}

void TestFeasibility::failsLessOften() {
    QFETCH(bool, registers);
    const Outcome outcome = registers ? registerLimit : sharedLimit;
    const auto space = kernelSpace();
    int without = 0, with = 0;
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        RandomStrategy plain(space, {seed, 20, 0.7});
        without += failuresOf(plain, space, outcome, 50, 200);
        with += failuresOf(*screened(space, seed), space, outcome, 50, 200);
    }
    QVERIFY2(with * 3 < without, qPrintable(QString("%1 against %2").arg(with).arg(without)));
}

void TestFeasibility::neverRefuses() {
    const auto space = makeSpace({parameter("A", {1, 2, 4, 8, 16, 32, 64, 128}), parameter("B", {1, 2, 4, 8, 16, 32, 64, 128})});
    const auto strategy = screened(space, 3);
    Loop loop(space, 64);
    int lastFailures = 0;
    for (int number = 1; number <= 64; ++number) {
        const auto proposals = strategy->propose(1, loop.context());
        VERIFY_OK(proposals);
        QVERIFY2(proposals->size() == 1, qPrintable(QString::number(number)));
        Observation seen;
        seen.configuration = proposals->front().configuration;
        seen.proposalId = proposals->front().id;
        seen.status = seen.configuration.index[0] + seen.configuration.index[1] > 8 ? TrialStatus::CompileError : TrialStatus::Ok;
        QVERIFY(loop.tried.insert(seen.configuration).second);
        VERIFY_OK(strategy->observe(seen));
        if (number > 58) lastFailures += seen.status == TrialStatus::CompileError;
    }
    QCOMPARE(loop.tried.size(), std::size_t{64});
    // All were tried, the failing ones last.
    QVERIFY2(lastFailures >= 4, qPrintable(QString::number(lastFailures)));
    const auto none = strategy->propose(1, loop.context());
    VERIFY_OK(none);
    QVERIFY(none->empty());
}

void TestFeasibility::obeysPins() {
    const auto space = kernelSpace();
    const auto strategy = screened(space, 5);
    (void)failuresOf(*strategy, space, registerLimit, 0, 120);
    // Pinned into the corner where nothing runs: proposed all the same, and only from there.
    Loop loop(space);
    loop.mask[0].assign(loop.mask[0].size(), false);
    loop.mask[0].back() = true;
    loop.mask[1].assign(loop.mask[1].size(), false);
    loop.mask[1].back() = true;
    for (int call = 0; call < 3; ++call) {
        const auto proposals = strategy->propose(4, loop.context());
        VERIFY_OK(proposals);
        QCOMPARE(proposals->size(), std::size_t{4});
        for (const auto& proposal : *proposals) {
            QVERIFY(allowedBy(loop.mask, proposal.configuration));
            QVERIFY(loop.tried.insert(proposal.configuration).second);
            QVERIFY(proposal.note.contains("forecast"));
        }
    }
}

void TestFeasibility::takesBackAWrongModel() {
    // The first 60 trials fail above 512 threads for a passing reason; from then on all run.
    const auto space = kernelSpace();
    const auto strategy = screened(space, 9);
    Loop loop(space, 600);
    int wide = 0;
    for (int number = 1; number <= 600; ++number) {
        const auto proposals = strategy->propose(1, loop.context());
        VERIFY_OK(proposals);
        const bool isWide = valueOf(space, proposals->front().configuration, 0) > 512;
        auto seen = observationOf(space, proposals->front().configuration, [&](const auto&, const auto&) {
            return isWide && number <= 60 ? TrialStatus::RuntimeError : TrialStatus::Ok;
        });
        seen.proposalId = proposals->front().id;
        loop.tried.insert(seen.configuration);
        VERIFY_OK(strategy->observe(seen));
        wide += number > 400 && isWide;
    }
    QVERIFY2(wide > 20, qPrintable(QString::number(wide)));
}

void TestFeasibility::resumesFromTrials() {
    const auto space = kernelSpace();
    const auto first = screened(space, 21), resumed = screened(space, 21);
    const auto trials = draw(space, 130, 4);
    Loop loop(space);
    for (const auto& configuration : trials) {
        const auto seen = observationOf(space, configuration, registerLimit);
        loop.tried.insert(configuration);
        VERIFY_OK(first->observe(seen));
        resumed->recall(seen);
    }
    for (int call = 0; call < 20; ++call) {
        const auto one = first->propose(2, loop.context());
        const auto two = resumed->propose(2, loop.context());
        VERIFY_OK(one);
        VERIFY_OK(two);
        QCOMPARE(one->size(), std::size_t{2});
        for (std::size_t i = 0; i < one->size(); ++i) {
            QVERIFY((*one)[i].configuration == (*two)[i].configuration);
            QVERIFY((*one)[i].note == (*two)[i].note);
            loop.tried.insert((*one)[i].configuration);
        }
    }
}

/// Counts what it is told to forget.
class CountingStrategy final : public Strategy {
public:
    explicit CountingStrategy(const space::SearchSpace& space) : m_inner(space, {1, 20, 0.7}) {}
    std::string_view name() const noexcept override { return "counting"; }
    Result<std::vector<Proposal>> propose(int n, const ProposalContext& context) override {
        auto proposals = m_inner.propose(n, context);
        if (proposals) {
            for (const auto& proposal : *proposals) open.insert(proposal.id);
        }
        return proposals;
    }
    Result<void> observe(const Observation& observation) override {
        open.erase(observation.proposalId);
        return {};
    }
    void forget(std::uint64_t proposalId) override { forgotten += static_cast<int>(open.erase(proposalId)); }

    std::set<std::uint64_t> open;
    int forgotten = 0;

private:
    RandomStrategy m_inner;
};

void TestFeasibility::forgetsWhatItPutsLast() {
    const auto space = kernelSpace();
    auto counting = std::make_unique<CountingStrategy>(space);
    const auto& inner = *counting;
    ScreenedStrategy strategy(std::move(counting), FeasibilityModel(space, {1, 50, {}}));
    (void)failuresOf(strategy, space, registerLimit, 0, 200);
    QVERIFY(inner.forgotten > 10);
    // Nothing is left pending in the strategy for a trial that never comes.
    QVERIFY(inner.open.empty());
    QCOMPARE(strategy.diagnostics()["screen/put_last"].get<int>(), inner.forgotten);
    QCOMPARE(std::string(strategy.name()), std::string("counting"));
}

QTEST_GUILESS_MAIN(TestFeasibility)
#include "tst_feasibility.moc"
