// SPDX-License-Identifier: Apache-2.0
// The whole procedure on simulated devices: what noise does to verdicts. Seeds are fixed; no wall clock is read.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "bench/comparison.h"
#include "bench/paired_run.h"
#include "fake_device.h"
#include "result_test.h"

using namespace ww;
using namespace ww::bench;
using test::FakeDevice;

namespace {

/// What a shared device does to its launches: clocks that wander for all alike, noise of each launch, and now and then something
/// else that runs on the device.
class NoisyMachine {
public:
    struct Noise {
        double drift = 0.03;        ///< standard deviation of the wandering
        double correlation = 0.98;  ///< from one launch to the next
        double launch = 0.01;
        double spikes = 0.02;       ///< share of launches that take up to three times as long
    };
    NoisyMachine(const Noise& noise, std::uint64_t seed) : m_noise(noise), m_random(seed) {}

    double launch(double ns) {
        m_drift = m_noise.correlation * m_drift + std::sqrt(1 - m_noise.correlation * m_noise.correlation) * m_noise.drift * normal();
        const double spike = m_random.uniform() < m_noise.spikes ? 1.2 + 1.8 * m_random.uniform() : 1.0;
        return ns * std::exp(m_drift + m_noise.launch * normal()) * spike;
    }

private:
    double normal() {
        const double u = 1.0 - m_random.uniform();
        return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * m_random.uniform());
    }
    Noise m_noise;
    SplitMix64 m_random;
    double m_drift = 0;
};

device::Launch launchOf(device::ModuleId module) {
    device::Launch launch;
    launch.module = module;
    return launch;
}

/// A session on such a machine: the A/A run first, then trials, as the engine does it.
class SimulatedSession {
public:
    SimulatedSession(const NoisyMachine::Noise& noise, std::uint64_t seed) : m_machine(noise, seed), m_seed(seed) {
        BenchOptions options;
        options.minSamples = 100;
        options.warmupLaunches = 200;
        m_floor = noiseFloor(measure(1.0, options).samples);
    }

    PairedRun measure(double slowdown, const BenchOptions& options) {
        FakeDevice device;
        device.launchNs = {{1, [&] { return m_machine.launch(kBaseNs); }}, {2, [&] { return m_machine.launch(kBaseNs * slowdown); }}};
        RunHooks hooks;
        hooks.nowNs = device.clock();
        auto run = runPaired(device, launchOf(1), launchOf(2), options, deriveSeed(m_seed, ++m_trial), hooks);
        return run ? *run : PairedRun{};
    }

    Verdict trial(double slowdown) {
        BenchOptions options;
        options.targetHalfWidth = std::max(0.003, m_floor / 2);
        const auto samples = measure(slowdown, options).samples;
        return judge(bootstrapRatio(samples.referenceNs, samples.candidateNs, deriveSeed(m_seed, 1000 + m_trial)).ci, m_floor);
    }

    std::vector<Compared> finalists(std::size_t count) {
        FakeDevice device;
        std::vector<device::Launch> launches;
        for (std::size_t i = 0; i <= count; ++i) {
            const auto module = static_cast<device::ModuleId>(i + 1);
            device.launchNs[module] = [&] { return m_machine.launch(kBaseNs); };
            launches.push_back(launchOf(module));
        }
        BenchOptions options;
        options.minSamples = options.maxSamples = 100;
        options.maxDeviceSeconds = 10;
        RunHooks hooks;
        hooks.nowNs = device.clock();
        auto run = runMany(device, launches, options, m_seed, hooks);
        return run ? compareTogether(run->samplesNs, m_floor, m_seed) : std::vector<Compared>{};
    }

    double floor() const { return m_floor; }

private:
    static constexpr double kBaseNs = 1e6;
    NoisyMachine m_machine;
    std::uint64_t m_seed;
    std::uint64_t m_trial = 0;
    double m_floor = 0;
};

constexpr NoisyMachine::Noise kQuiet{0.005, 0.98, 0.003, 0.01};
constexpr NoisyMachine::Noise kUsual{};
constexpr NoisyMachine::Noise kUnlocked{0.10, 0.98, 0.025, 0.03};

}  // namespace

class TestProcedure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void identicalCandidatesNeverWin_data();
    void identicalCandidatesNeverWin();
    void identicalFinalistsNeverWin_data() { identicalCandidatesNeverWin_data(); }
    void identicalFinalistsNeverWin();
    void twoPercentAreFound();
    void halfAPercentIsNoVerdict();
    void intervalsHoldUnderDrift();
};

void TestProcedure::identicalCandidatesNeverWin_data() {
    QTest::addColumn<double>("drift");
    QTest::addColumn<double>("launch");
    QTest::addColumn<double>("spikes");
    QTest::newRow("quiet") << kQuiet.drift << kQuiet.launch << kQuiet.spikes;
    QTest::newRow("usual") << kUsual.drift << kUsual.launch << kUsual.spikes;
    QTest::newRow("unlocked clocks, shared device") << kUnlocked.drift << kUnlocked.launch << kUnlocked.spikes;
}

void TestProcedure::identicalCandidatesNeverWin() {
    QFETCH(double, drift);
    QFETCH(double, launch);
    QFETCH(double, spikes);
    SimulatedSession session({drift, 0.98, launch, spikes}, 2024);
    int faster = 0, slower = 0;
    for (int candidate = 0; candidate < 200; ++candidate) {
        const Verdict verdict = session.trial(1.0);
        faster += verdict == Verdict::Faster ? 1 : 0;
        slower += verdict == Verdict::Slower ? 1 : 0;
    }
    QVERIFY2(faster == 0, qPrintable(QString("%1 of 200 copies FASTER at a floor of %2").arg(faster).arg(session.floor())));
    QVERIFY2(slower <= 2, qPrintable(QString::number(slower)));
}

void TestProcedure::identicalFinalistsNeverWin() {
    QFETCH(double, drift);
    QFETCH(double, launch);
    QFETCH(double, spikes);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SimulatedSession session({drift, 0.98, launch, spikes}, 500 + seed);
        const auto compared = session.finalists(8);
        QCOMPARE(compared.size(), std::size_t{9});
        for (const auto& one : compared) QVERIFY(one.verdict != Verdict::Faster);
    }
}

void TestProcedure::twoPercentAreFound() {
    SimulatedSession session(kQuiet, 7);
    int found = 0, faster = 0;
    for (int trial = 0; trial < 50; ++trial) {
        found += session.trial(1.02) == Verdict::Slower ? 1 : 0;
        faster += session.trial(1 / 1.02) == Verdict::Faster ? 1 : 0;
    }
    QVERIFY2(found >= 45 && faster >= 45, qPrintable(QString("%1 slower, %2 faster of 50").arg(found).arg(faster)));
}

void TestProcedure::halfAPercentIsNoVerdict() {
    SimulatedSession session(kQuiet, 8);
    int faster = 0;
    for (int trial = 0; trial < 50; ++trial) faster += session.trial(1 / 1.003) == Verdict::Faster ? 1 : 0;
    QCOMPARE(faster, 0);
}

void TestProcedure::intervalsHoldUnderDrift() {
    constexpr int kRuns = 200;
    int covered = 0;
    SimulatedSession session(kUsual, 31);
    BenchOptions options;
    options.minSamples = options.maxSamples = 60;
    for (int run = 0; run < kRuns; ++run) {
        const auto samples = session.measure(1.1, options).samples;
        const Interval ci = bootstrapRatio(samples.referenceNs, samples.candidateNs, static_cast<std::uint64_t>(run)).ci;
        covered += ci.low <= 1 / 1.1 && 1 / 1.1 <= ci.high ? 1 : 0;
    }
    QVERIFY2(covered >= kRuns * 90 / 100, qPrintable(QString("%1 of %2").arg(covered).arg(kRuns)));
}

QTEST_APPLESS_MAIN(TestProcedure)
#include "tst_procedure.moc"
