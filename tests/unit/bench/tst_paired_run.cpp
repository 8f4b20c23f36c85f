// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "bench/paired_run.h"
#include "fake_device.h"
#include "result_test.h"

using namespace ww;
using namespace ww::bench;
using test::FakeDevice;

namespace {

constexpr device::ModuleId kReference = 1, kCandidate = 2;

/// Log-normal times around `ns`.
std::function<double()> noisy(double ns, double cv, std::uint64_t seed) {
    return [random = SplitMix64(seed), ns, cv]() mutable {
        const double u = 1.0 - random.uniform();
        return ns * std::exp(cv * std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * random.uniform()));
    };
}

device::Launch launchOf(device::ModuleId module) {
    device::Launch launch;
    launch.module = module;
    return launch;
}

RunHooks hooksFor(FakeDevice& device) {
    RunHooks hooks;
    hooks.nowNs = device.clock();
    return hooks;
}

Result<PairedRun> pair(FakeDevice& device, const BenchOptions& options, std::uint64_t seed = 1) {
    return runPaired(device, launchOf(kReference), launchOf(kCandidate), options, seed, hooksFor(device));
}

Verdict verdictOf(const PairedSamples& samples) { return judge(bootstrapRatio(samples.referenceNs, samples.candidateNs, 1).ci, 0.0); }

} // namespace

class TestPairedRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void steadyKernelStopsAtOnce();
    void slowdownOfTwoPercentIsFound();
    void identicalCandidatesAreNotFaster();
    void noisyKernelUsesItsBudget();
    void hopelessSpreadIsUnstable();
    void clearlyWorseIsRejectedEarly();
    void slowKernelKeepsToTheWallBudget();
    void shortLaunchesAreBatched();
    void batchesNeedBuffersOfTheirOwn_data();
    void batchesNeedBuffersOfTheirOwn();
    void failedPreparationIsAnError();
    void preparationSeesEveryLaunch();
    void skippedWorkEndsTheRun();
    void throttledPairsAreTakenAgain();
    void lastingThrottleIsUnstableAndEnds();
    void warmupNeedsTimeOrLaunches();
    void hopelessCandidatesSkipTheWarmUp();
    void oneOfManyThrottlesTheRound();
    void orderIsBalancedAndRandom();
    void faultOfACandidateIsAnOutcome_data();
    void faultOfACandidateIsAnOutcome();
    void manyAreInterleaved();
    void manyStopAtAFault();
    void manyOfNoneAndOne();
};

void TestPairedRun::steadyKernelStopsAtOnce() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 200000.0; }}, {kCandidate, [] { return 100000.0; }}};
    auto run = pair(device, {});
    VERIFY_OK(run);
    QCOMPARE(static_cast<int>(run->samples.candidateNs.size()), BenchOptions().minSamples);
    QCOMPARE(run->samples.launchesPerSample, 1);
    QVERIFY(!run->samples.unstable && !run->samples.rejectedEarly);
    QCOMPARE(bootstrapRatio(run->samples.referenceNs, run->samples.candidateNs, 1).value, 2.0);
    QVERIFY(verdictOf(run->samples) == Verdict::Faster);
    // Warm-up is not charged: 30 pairs of 300 us.
    QVERIFY(std::fabs(run->samples.deviceSeconds - 0.009) < 1e-9);
    QVERIFY(std::all_of(device.colds.begin(), device.colds.end(), [](bool cold) { return cold; }));
}

void TestPairedRun::slowdownOfTwoPercentIsFound() {
    int slower = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        FakeDevice device;
        device.launchNs = {{kReference, noisy(1e6, 0.01, 2 * seed)}, {kCandidate, noisy(1.02e6, 0.01, 2 * seed + 1)}};
        auto run = pair(device, {}, seed);
        VERIFY_OK(run);
        slower += verdictOf(run->samples) == Verdict::Slower ? 1 : 0;
    }
    QVERIFY2(slower >= 18, qPrintable(QString::number(slower)));
}

void TestPairedRun::identicalCandidatesAreNotFaster() {
    int faster = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        FakeDevice device;
        device.launchNs = {{kReference, noisy(1e6, 0.02, 2 * seed)}, {kCandidate, noisy(1e6, 0.02, 2 * seed + 1)}};
        auto run = pair(device, {}, seed);
        VERIFY_OK(run);
        faster += verdictOf(run->samples) == Verdict::Faster ? 1 : 0;
    }
    // Stopping when the interval happens to be narrow must not turn noise into wins.
    QVERIFY2(faster <= 2, qPrintable(QString::number(faster)));
}

void TestPairedRun::noisyKernelUsesItsBudget() {
    FakeDevice device;
    device.launchNs = {{kReference, noisy(1e6, 0.10, 1)}, {kCandidate, noisy(1e6, 0.10, 2)}};
    auto run = pair(device, {});
    VERIFY_OK(run);
    QCOMPARE(static_cast<int>(run->samples.candidateNs.size()), BenchOptions().maxSamples);
    QVERIFY(!run->samples.unstable);
    FakeDevice slower;
    slower.launchNs = {{kReference, noisy(2e7, 0.10, 1)}, {kCandidate, noisy(2e7, 0.10, 2)}};
    auto limited = pair(slower, {});
    VERIFY_OK(limited);
    QVERIFY(limited->samples.candidateNs.size() < 40);
    QVERIFY(limited->samples.deviceSeconds >= 1.0 && limited->samples.deviceSeconds < 1.2);
}

void TestPairedRun::hopelessSpreadIsUnstable() {
    FakeDevice device;
    device.launchNs = {{kReference, noisy(1e6, 2.0, 1)}, {kCandidate, noisy(1e6, 2.0, 2)}};
    BenchOptions options;
    options.maxSamples = 40;
    auto run = pair(device, options);
    VERIFY_OK(run);
    QVERIFY(run->samples.unstable);
}

void TestPairedRun::clearlyWorseIsRejectedEarly() {
    FakeDevice device;
    device.launchNs = {{kReference, noisy(1e6, 0.01, 1)}, {kCandidate, noisy(2e6, 0.01, 2)}};
    BenchOptions options;
    options.rejectAboveNs = 1e6;
    auto run = pair(device, options);
    VERIFY_OK(run);
    QVERIFY(run->samples.rejectedEarly);
    QCOMPARE(static_cast<int>(run->samples.candidateNs.size()), 5);
    options.rejectFactor = 2.5;
    auto kept = pair(device, options);
    VERIFY_OK(kept);
    QVERIFY(!kept->samples.rejectedEarly);
}

void TestPairedRun::slowKernelKeepsToTheWallBudget() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 3e9; }}, {kCandidate, [] { return 3e9; }}};
    auto run = pair(device, {});
    VERIFY_OK(run);
    QVERIFY(!run->samples.candidateNs.empty());
    // Two warm-up launches of each, then pairs until 10 s have passed.
    QVERIFY(device.clockNs <= 40'000'000'000);
}

void TestPairedRun::shortLaunchesAreBatched() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 5000.0; }}, {kCandidate, [] { return 2000.0; }}};
    BenchOptions options;
    options.warmupSeconds = 0.0001;
    auto run = pair(device, options);
    VERIFY_OK(run);
    QCOMPARE(run->samples.launchesPerSample, 10);
    QCOMPARE(device.batches.front(), 1);
    QCOMPARE(device.batches.back(), 10);
    // Times stay per launch.
    QCOMPARE(run->samples.candidateNs.front(), 2000.0);
}

void TestPairedRun::batchesNeedBuffersOfTheirOwn_data() {
    QTest::addColumn<bool>("prepares");
    QTest::addColumn<int>("room");
    QTest::addColumn<int>("batch");
    QTest::newRow("one set of buffers") << true << 0 << 1;
    QTest::newRow("some sets") << true << 4 << 4;
    QTest::newRow("enough sets") << true << 64 << 10;
    QTest::newRow("nothing to prepare") << false << 0 << 10;
}

void TestPairedRun::batchesNeedBuffersOfTheirOwn() {
    QFETCH(bool, prepares);
    QFETCH(int, room);
    QFETCH(int, batch);
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 5000.0; }}, {kCandidate, [] { return 2000.0; }}};
    RunHooks hooks = hooksFor(device);
    if (prepares) hooks.prepare = [](std::size_t, int, device::Launch&) -> Result<void> { return {}; };
    if (room > 0) hooks.reserve = [&](int wanted) -> Result<int> { return std::min(wanted, room); };
    auto run = runPaired(device, launchOf(kReference), launchOf(kCandidate), {}, 1, hooks);
    VERIFY_OK(run);
    QCOMPARE(run->samples.launchesPerSample, batch);
    QCOMPARE(device.batches.back(), batch);
}

void TestPairedRun::failedPreparationIsAnError() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 2000.0; }}, {kCandidate, [] { return 2000.0; }}};
    RunHooks hooks = hooksFor(device);
    hooks.prepare = [](std::size_t, int, device::Launch&) -> Result<void> { return fail(ErrorCode::WorkerFailed, "no memory"); };
    auto run = runPaired(device, launchOf(kReference), launchOf(kCandidate), {}, 1, hooks);
    COMPARE_ERR(run, ErrorCode::WorkerFailed);
}

void TestPairedRun::preparationSeesEveryLaunch() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 5e3; }}, {kCandidate, [] { return 5e3; }}};
    std::vector<int> seen[2];
    std::vector<int> inspected[2];
    RunHooks hooks = hooksFor(device);
    hooks.reserve = [](int wanted) -> Result<int> { return wanted; };
    hooks.prepare = [&](std::size_t which, int serial, device::Launch& launch) -> Result<void> {
        if (launch.module != static_cast<device::ModuleId>(which + 1)) return fail(ErrorCode::Internal, "another launch");
        seen[which].push_back(serial);
        return {};
    };
    hooks.inspect = [&](std::size_t which, int first, int count) -> Result<std::optional<std::string>> {
        for (int i = 0; i < count; ++i) inspected[which].push_back(first + i);
        return std::optional<std::string>();
    };
    auto run = runPaired(device, launchOf(kReference), launchOf(kCandidate), {}, 1, hooks);
    VERIFY_OK(run);
    QCOMPARE(run->samples.launchesPerSample, 4);
    for (std::size_t which = 0; which < 2; ++which) {
        for (std::size_t i = 0; i < seen[which].size(); ++i) QCOMPARE(seen[which][i], static_cast<int>(i));
        QVERIFY(seen[which].size() > 4 * 30);
        QVERIFY(seen[which] == inspected[which]);
    }
}

void TestPairedRun::skippedWorkEndsTheRun() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 1e5; }}, {kCandidate, [] { return 1e5; }}};
    RunHooks hooks = hooksFor(device);
    hooks.inspect = [](std::size_t which, int first, int) -> Result<std::optional<std::string>> {
        if (which == 1 && first == 15) return std::optional<std::string>("the candidate did nothing");
        return std::optional<std::string>();
    };
    auto run = runPaired(device, launchOf(kReference), launchOf(kCandidate), {}, 1, hooks);
    VERIFY_OK(run);
    QVERIFY(run->outcome.status == TrialStatus::CheatSuspected);
    QCOMPARE(QString::fromStdString(run->outcome.message), QString("the candidate did nothing"));
    QCOMPARE(run->failed, std::size_t{1});
}

void TestPairedRun::throttledPairsAreTakenAgain() {
    FakeDevice device;
    // A slow clock makes slow launches: every 20th sample of the device.
    int sample = 0;
    device.clockMHz = [&] { return sample % 20 == 19 ? 1000.0 : 1980.0; };
    const auto time = [&] { return ++sample % 20 == 19 ? 2e5 : 1e5; };
    device.launchNs = {{kReference, time}, {kCandidate, time}};
    std::vector<double> pauses;
    RunHooks hooks = hooksFor(device);
    hooks.pause = [&](double seconds) { pauses.push_back(seconds); };
    BenchOptions options;
    options.sessionClockMHz = 1980;
    auto run = runPaired(device, launchOf(kReference), launchOf(kCandidate), options, 1, hooks);
    VERIFY_OK(run);
    QVERIFY(!run->samples.unstable);
    QCOMPARE(run->samples.candidateNs.size(), std::size_t{30});
    QVERIFY(std::all_of(run->samples.candidateNs.begin(), run->samples.candidateNs.end(), [](double ns) { return ns == 1e5; }));
    // Nothing is thrown away: what was discarded is kept apart.
    QVERIFY(!pauses.empty());
    QCOMPARE(run->samples.discardedNs.size(), 2 * pauses.size());
    QVERIFY(std::is_sorted(pauses.begin(), pauses.end()));
    QCOMPARE(run->samples.candidateClockMHz.size(), run->samples.candidateNs.size());
    QCOMPARE(run->samples.medianClockMHz, 1980.0);
}

void TestPairedRun::lastingThrottleIsUnstableAndEnds() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 1e5; }}, {kCandidate, [] { return 1e5; }}};
    device.clockMHz = [] { return 900.0; };
    RunHooks hooks = hooksFor(device);
    hooks.pause = [](double) {};
    BenchOptions options;
    options.sessionClockMHz = 1980;
    auto run = runPaired(device, launchOf(kReference), launchOf(kCandidate), options, 1, hooks);
    VERIFY_OK(run);
    QVERIFY(run->outcome.status == TrialStatus::Ok);
    QVERIFY(run->samples.throttled && run->samples.unstable);
    QVERIFY(run->samples.candidateNs.empty());
    QCOMPARE(run->samples.discardedNs.size(), std::size_t{20});
    // What it has seen becomes the session's clock, so that a lower one that lasts is accepted in the end.
    QCOMPARE(run->samples.medianClockMHz, 900.0);
}

void TestPairedRun::warmupNeedsTimeOrLaunches() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 1e6; }}, {kCandidate, [] { return 1e6; }}};
    auto quick = pair(device, {});
    VERIFY_OK(quick);
    QCOMPARE(static_cast<int>(device.order.size()), 2 * (10 + 30));
    BenchOptions whole;
    whole.warmupLaunches = 1'000'000;
    device.order.clear();
    auto slow = pair(device, whole);
    VERIFY_OK(slow);
    QCOMPARE(static_cast<int>(device.order.size()), 200 + 2 * 30);
}

void TestPairedRun::hopelessCandidatesSkipTheWarmUp() {
    FakeDevice device;
    device.launchNs = {{kReference, [] { return 1e6; }}, {kCandidate, [] { return 1e8; }}};
    BenchOptions options;
    options.rejectAboveNs = 1e6;
    auto run = pair(device, options);
    VERIFY_OK(run);
    QVERIFY(run->samples.rejectedEarly);
    QCOMPARE(run->samples.candidateNs.size(), std::size_t{5});
    QCOMPARE(static_cast<int>(device.order.size()), 2 * (3 + 5));
}

void TestPairedRun::oneOfManyThrottlesTheRound() {
    FakeDevice device;
    int sample = 0;
    device.clockMHz = [&] { return ++sample == 70 ? 900.0 : 1980.0; };
    device.launchNs = {{1, [] { return 1e6; }}, {2, [] { return 1.1e6; }}, {3, [] { return 1.2e6; }}};
    RunHooks hooks = hooksFor(device);
    int pauses = 0;
    hooks.pause = [&](double) { ++pauses; };
    BenchOptions options;
    options.minSamples = options.maxSamples = 100;
    auto run = runMany(device, {launchOf(1), launchOf(2), launchOf(3)}, options, 5, hooks);
    VERIFY_OK(run);
    QCOMPARE(pauses, 1);
    QVERIFY(!run->unstable);
    for (const auto& samples : run->samplesNs) QCOMPARE(samples.size(), std::size_t{100});
}

void TestPairedRun::orderIsBalancedAndRandom() {
    FakeDevice device;
    device.launchNs = {{kReference, noisy(1e6, 0.1, 1)}, {kCandidate, noisy(1e6, 0.1, 2)}};
    BenchOptions options;
    options.warmupSeconds = 0;
    auto run = pair(device, options);
    VERIFY_OK(run);
    const std::size_t count = 2 * run->samples.candidateNs.size();
    const std::vector<device::ModuleId> order(device.order.end() - static_cast<std::ptrdiff_t>(count), device.order.end());
    int abba = 0, baab = 0;
    for (std::size_t i = 0; i + 4 <= order.size(); i += 4) {
        QVERIFY(order[i] == order[i + 3] && order[i + 1] == order[i + 2] && order[i] != order[i + 1]);
        (order[i] == kReference ? abba : baab) += 1;
    }
    QVERIFY2(abba > 25 && baab > 25, qPrintable(QString("%1 ABBA, %2 BAAB").arg(abba).arg(baab)));
}

void TestPairedRun::faultOfACandidateIsAnOutcome_data() {
    QTest::addColumn<int>("failing");
    QTest::addColumn<int>("after");
    QTest::newRow("candidate in warm-up") << 2 << 0;
    QTest::newRow("candidate in sampling") << 2 << 2003;
    QTest::newRow("reference") << 1 << 0;
}

void TestPairedRun::faultOfACandidateIsAnOutcome() {
    QFETCH(int, failing);
    QFETCH(int, after);
    FakeDevice device;
    device.launchNs = {{kReference, noisy(1e5, 0.05, 1)}, {kCandidate, noisy(1e5, 0.05, 2)}};
    device.failing = static_cast<device::ModuleId>(failing);
    device.failAfter = after;
    BenchOptions options;
    options.maxSamples = 3000;
    options.maxDeviceSeconds = 100;
    options.targetHalfWidth = 0;
    auto run = pair(device, options);
    VERIFY_OK(run);
    QVERIFY(run->outcome.status == TrialStatus::RuntimeError);
    QVERIFY(run->outcome.sticky);
    QCOMPARE(run->failed, static_cast<std::size_t>(failing - 1));
    QCOMPARE(run->samples.candidateNs.size(), run->samples.referenceNs.size());
    QCOMPARE(run->samples.candidateNs.empty(), after == 0);
}

void TestPairedRun::manyAreInterleaved() {
    FakeDevice device;
    for (device::ModuleId module = 1; module <= 4; ++module)
        device.launchNs[module] = noisy(1e6 * module, 0.005, module);
    BenchOptions options;
    options.warmupSeconds = 0;
    auto run = runMany(device, {launchOf(1), launchOf(2), launchOf(3), launchOf(4)}, options, 5, hooksFor(device));
    VERIFY_OK(run);
    QVERIFY(run->outcome.status == TrialStatus::Ok);
    const std::size_t rounds = run->samplesNs[0].size();
    QVERIFY(rounds >= 10);
    const auto start = device.order.end() - static_cast<std::ptrdiff_t>(4 * rounds);
    bool shuffled = false;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<device::ModuleId> modules(start + static_cast<std::ptrdiff_t>(4 * round),
                                              start + static_cast<std::ptrdiff_t>(4 * round + 4));
        shuffled = shuffled || !std::is_sorted(modules.begin(), modules.end());
        std::sort(modules.begin(), modules.end());
        QVERIFY((modules == std::vector<device::ModuleId>{1, 2, 3, 4}));
    }
    QVERIFY(shuffled);
    QVERIFY(std::fabs(bootstrapRatio(run->samplesNs[0], run->samplesNs[3], 1).value - 0.25) < 0.01);
}

void TestPairedRun::manyStopAtAFault() {
    FakeDevice device;
    device.launchNs = {{1, noisy(1e6, 0.05, 1)}, {2, noisy(1e6, 0.05, 2)}, {3, noisy(1e6, 0.05, 3)}};
    device.failing = 3;
    device.failAfter = 220;
    BenchOptions options;
    options.maxSamples = 500;
    options.maxDeviceSeconds = 100;
    options.targetHalfWidth = 0;
    auto run = runMany(device, {launchOf(1), launchOf(2), launchOf(3)}, options, 5, hooksFor(device));
    VERIFY_OK(run);
    QVERIFY(run->outcome.status == TrialStatus::RuntimeError);
    QCOMPARE(run->failed, std::size_t{2});
    QVERIFY(!run->samplesNs[0].empty());
    QCOMPARE(run->samplesNs[0].size(), run->samplesNs[2].size());
}

void TestPairedRun::manyOfNoneAndOne() {
    FakeDevice device;
    auto none = runMany(device, {}, {}, 1, hooksFor(device));
    VERIFY_OK(none);
    QVERIFY(none->samplesNs.empty());
    device.launchNs = {{1, noisy(1e6, 0.05, 1)}};
    auto one = runMany(device, {launchOf(1)}, {}, 1, hooksFor(device));
    VERIFY_OK(one);
    QCOMPARE(static_cast<int>(one->samplesNs[0].size()), BenchOptions().maxSamples);
}

QTEST_APPLESS_MAIN(TestPairedRun)
#include "tst_paired_run.moc"
