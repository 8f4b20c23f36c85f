// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/rng.h"
#include "encode/encode.h"
#include "result_test.h"

using namespace ww;
using namespace ww::encode;

namespace {

source::SourceModel kernel(const char* name) {
    const QString path = qEnvironmentVariable("WARPWRIGHT_ROOT") + QString("/kernels/%1/%1.cu").arg(name);
    auto model = source::loadCuda(path.toStdString());
    if (!model) qFatal("%s", model.error().toString().c_str());
    return *model;
}

std::size_t indexOf(std::string_view name) {
    for (const Element& element : elements())
        if (element.name == name) return element.index;
    qFatal("no element %s", std::string(name).c_str());
}

device::DeviceFacts hopper() {
    device::DeviceFacts facts;
    facts.kind = device::DeviceKind::Cuda;
    facts.ccMajor = 9;
    facts.processors = 132;
    facts.sharedPerBlockOptin = 232448;
    facts.sharedPerProcessor = 233472;
    facts.l2Bytes = 50 << 20;
    facts.memoryBytes = std::int64_t{140} << 30;
    facts.clockKHz = 1980000;
    facts.memoryClockKHz = 3201000;
    facts.memoryBusBits = 6144;
    return facts;
}

std::size_t nonZero(const StateVector& state) {
    return static_cast<std::size_t>(std::ranges::count_if(state, [](float x) { return x > 0; }));
}

/// Every number of the inputs set to x, every count of the source to `count`.
struct Extreme {
    source::SourceModel source = kernel("gemm");
    device::DeviceFacts device = hopper();
    Inputs inputs;

    Extreme(double x, std::int64_t whole, int count) {
        for (auto& [name, value] : source.counts.byName)
            value = count;
        for (std::int64_t* field : {&device.maxThreadsPerBlock,
                                    &device.maxThreadsPerProcessor,
                                    &device.maxBlocksPerProcessor,
                                    &device.maxBlockX,
                                    &device.maxBlockY,
                                    &device.maxBlockZ,
                                    &device.maxGridX,
                                    &device.maxGridY,
                                    &device.maxGridZ,
                                    &device.warpSize,
                                    &device.sharedPerBlock,
                                    &device.sharedPerBlockOptin,
                                    &device.sharedPerProcessor,
                                    &device.registersPerBlock,
                                    &device.registersPerProcessor,
                                    &device.l2Bytes,
                                    &device.memoryBytes,
                                    &device.clockKHz,
                                    &device.memoryClockKHz,
                                    &device.memoryBusBits})
            *field = whole;
        device.ccMajor = device.ccMinor = device.processors = count;
        inputs.source = &source;
        inputs.device = &device;
        inputs.compile = compile::CompileFacts{whole, whole, whole, whole, whole, whole};
        inputs.launch = Launch{whole, whole, whole};
        inputs.profile = {x, x, x, x, x, x, x, x};
        inputs.progress = {count, count, x, x, count, count, count, count, count, count, x, x, x, x, TrialStatus::Ok};
        inputs.space = {count, count, count, count, x, x};
    }
};

} // namespace

class TestEncode : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableIsWhole();
    void tableAgreesWithItsPage();
    void extremesStayInRange_data();
    void extremesStayInRange();
    void randomInputsStayInRange();
    void nothingGivesZeros();
    void isDeterministic();
    void tellsKernelsApart();
    void values_data();
    void values();
    void followsTheEntry();
    void progressMovesOnlyItsElements();
};

void TestEncode::tableIsWhole() {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kStateSize; ++i) {
        const Element& element = elements()[i];
        QCOMPARE(element.index, i);
        QVERIFY(!element.source.empty() && !element.normaliser.empty());
        QVERIFY2(names.insert(element.name).second, std::string(element.name).c_str());
        // 32 of the syntax tree, 64 continuous, 32 of the device.
        QCOMPARE(element.name.starts_with("ast."), i < 32);
        QCOMPARE(element.name.starts_with("device."), i >= 96);
    }
}

void TestEncode::tableAgreesWithItsPage() {
    QFile page(qEnvironmentVariable("WARPWRIGHT_ROOT") + "/docs/state-vector.md");
    QVERIFY2(page.open(QIODevice::ReadOnly), qPrintable(page.fileName()));
    std::size_t rows = 0;
    while (!page.atEnd()) {
        const QString line = QString::fromUtf8(page.readLine()).trimmed();
        if (!line.startsWith("| ") || !line.at(2).isDigit()) continue;
        QVERIFY(rows < kStateSize);
        const Element& element = elements()[rows];
        const auto text = [](std::string_view words) { return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size())); };
        QCOMPARE(line, QString("| %1 | `%2` | %3 | %4 |")
                           .arg(QString::number(rows), text(element.name), text(element.source), text(element.normaliser)));
        ++rows;
    }
    QCOMPARE(rows, kStateSize);
}

void TestEncode::extremesStayInRange_data() {
    QTest::addColumn<double>("real");
    QTest::addColumn<qint64>("whole");
    QTest::addColumn<int>("count");
    constexpr qint64 big = std::numeric_limits<qint64>::max(), small = std::numeric_limits<qint64>::min();
    constexpr int bigCount = std::numeric_limits<int>::max(), smallCount = std::numeric_limits<int>::min();
    QTest::newRow("zero") << 0.0 << qint64{0} << 0;
    QTest::newRow("one") << 1.0 << qint64{1} << 1;
    QTest::newRow("minus one") << -1.0 << qint64{-1} << -1;
    QTest::newRow("not a number") << std::nan("") << qint64{7} << 7;
    QTest::newRow("infinite") << HUGE_VAL << big << bigCount;
    QTest::newRow("minus infinite") << -HUGE_VAL << small << smallCount;
    QTest::newRow("huge") << 1e308 << big << bigCount;
    QTest::newRow("hugely negative") << -1e308 << small << smallCount;
    QTest::newRow("tiny") << 1e-308 << qint64{1} << 1;
    QTest::newRow("mixed") << 1e308 << qint64{0} << 3;
}

void TestEncode::extremesStayInRange() {
    QFETCH(double, real);
    QFETCH(qint64, whole);
    QFETCH(int, count);
    const Extreme extreme(real, whole, count);
    const StateVector state = encode::encode(extreme.inputs);
    for (std::size_t i = 0; i < kStateSize; ++i)
        QVERIFY2(state[i] >= 0 && state[i] <= 1, std::string(elements()[i].name).c_str());
}

void TestEncode::randomInputsStayInRange() {
    SplitMix64 rng(31);
    for (int round = 0; round < 300; ++round) {
        const int shift = static_cast<int>(rng.below(62));
        const auto whole = static_cast<std::int64_t>(rng()) >> shift;
        const Extreme extreme(std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.below(200)) - 100), whole,
                              static_cast<int>(static_cast<std::int32_t>(rng())));
        for (const float x : encode::encode(extreme.inputs))
            QVERIFY(x >= 0 && x <= 1);
    }
}

void TestEncode::nothingGivesZeros() {
    const StateVector nothing = encode::encode({});
    QCOMPARE(nonZero(nothing), std::size_t{0});
    Inputs inputs;
    inputs.entry = "there is none";
    const source::SourceModel empty;
    inputs.source = &empty;
    QCOMPARE(nonZero(encode::encode(inputs)), std::size_t{0});
    // The figures of a compiler that reports nothing are -1.
    inputs.compile = compile::CompileFacts{};
    QCOMPARE(nonZero(encode::encode(inputs)), std::size_t{0});
}

void TestEncode::isDeterministic() {
    const Extreme a(0.3, 1000, 5), b(0.3, 1000, 5);
    QVERIFY(encode::encode(a.inputs) == encode::encode(b.inputs));
    const auto parsedTwice = [] {
        const source::SourceModel model = kernel("softmax");
        Inputs inputs;
        inputs.source = &model;
        return encode::encode(inputs);
    };
    QVERIFY(parsedTwice() == parsedTwice());
}

void TestEncode::tellsKernelsApart() {
    // With static facts alone, as `warpwright-cli encode` does: the source and the device.
    const device::DeviceFacts facts = hopper();
    const auto stateOf = [&](const char* name) {
        const source::SourceModel model = kernel(name);
        Inputs inputs;
        inputs.source = &model;
        inputs.device = &facts;
        return encode::encode(inputs);
    };
    const StateVector gemm = stateOf("gemm"), softmax = stateOf("softmax");
    std::size_t different = 0;
    for (std::size_t i = 0; i < kStateSize; ++i)
        different += gemm[i] != softmax[i] ? 1 : 0;
    QVERIFY2(nonZero(gemm) >= 40, qPrintable(QString::number(nonZero(gemm))));
    QVERIFY2(different >= 10, qPrintable(QString::number(different)));
    QVERIFY(gemm[indexOf("ast.barriers")] > 0);
    QVERIFY(gemm[indexOf("access.shared_share")] > 0);
}

void TestEncode::values_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("expected");
    QTest::newRow("share of the budget") << "search.trials_of_budget" << 0.25;
    QTest::newRow("the baseline's speed is the middle") << "search.best_ratio" << 0.5 + 1.0 / 6;
    QTest::newRow("slower than it lies below") << "search.last_ratio" << 0.5 - 1.0 / 6;
    QTest::newRow("a gate's reward is the floor") << "search.last_reward" << 0.0;
    QTest::newRow("mean reward") << "search.mean_reward" << 0.525;
    QTest::newRow("failures") << "search.failed_share" << 0.2;
    QTest::newRow("failed checks") << "search.failed_check_share" << 0.04;
    QTest::newRow("improvements") << "search.improvements" << 0.5;
    QTest::newRow("age of the best") << "search.improvement_age" << 0.48;
    QTest::newRow("free parameters") << "space.free_share" << 0.75;
    QTest::newRow("threads") << "launch.threads_per_block" << 0.25;
    QTest::newRow("whole warps") << "launch.warp_fill" << 1.0;
    QTest::newRow("registers") << "registers.per_thread" << 64.0 / 255;
    QTest::newRow("occupancy: registers allow 4 blocks of 8") << "occupancy.theoretical" << 0.5;
    QTest::newRow("by shared memory: 7 blocks") << "occupancy.by_shared" << 7.0 / 8;
    QTest::newRow("DRAM") << "profile.dram_of_peak" << 0.8;
    QTest::newRow("not profiled") << "profile.l1_hit_rate" << 0.0;
    QTest::newRow("a GPU") << "device.is_cuda" << 1.0;
    QTest::newRow("is no CPU") << "device.is_cpu" << 0.0;
    QTest::newRow("capability") << "device.compute_capability" << 9.0 / 16;
    QTest::newRow("TMA") << "device.has_tma" << 1.0;
    QTest::newRow("not Blackwell") << "device.has_blackwell_tensor_cores" << 0.0;
    QTest::newRow("threads of a block") << "device.max_threads_per_block" << 1.0;
}

void TestEncode::values() {
    QFETCH(QString, name);
    QFETCH(double, expected);
    const device::DeviceFacts facts = hopper();
    Inputs inputs;
    inputs.device = &facts;
    inputs.launch = Launch{256, 4096, 32768 - 1024};
    inputs.compile = compile::CompileFacts{64, 0, 0, 0, 1024, 0};
    inputs.profile.dramOfPeak = 0.8;
    inputs.progress.trials = 25;
    inputs.progress.budget = 100;
    inputs.progress.failed = 5;
    inputs.progress.failedCheck = 1;
    inputs.progress.improvements = 5;
    inputs.progress.sinceImprovement = 12;
    inputs.progress.bestRatio = 2;
    inputs.progress.lastRatio = 0.5;
    inputs.progress.lastReward = -10;
    inputs.progress.meanReward = 0.5;
    inputs.space.parameters = 4;
    inputs.space.pinned = 1;
    const double got = static_cast<double>(encode::encode(inputs)[indexOf(name.toStdString())]);
    QVERIFY2(std::abs(got - expected) < 1e-6, qPrintable(QString("%1, expected %2").arg(got).arg(expected)));
}

void TestEncode::followsTheEntry() {
    const auto model = source::parseCuda("__global__ void first(float* a) { a[threadIdx.x] = 1; }\n"
                                         "__global__ void second(const float* a, const float* b) { }\n");
    VERIFY_OK(model);
    Inputs inputs;
    inputs.source = &*model;
    const std::size_t element = indexOf("access.read_only_pointers");
    QCOMPARE(encode::encode(inputs)[element], 0.0f);
    inputs.entry = "second";
    QCOMPARE(encode::encode(inputs)[element], 1.0f);
}

void TestEncode::progressMovesOnlyItsElements() {
    const source::SourceModel model = kernel("gemm");
    const device::DeviceFacts facts = hopper();
    Inputs inputs;
    inputs.source = &model;
    inputs.device = &facts;
    const StateVector before = encode::encode(inputs);
    inputs.progress.trials = 10;
    inputs.progress.budget = 20;
    inputs.progress.bestRatio = 1.5;
    const StateVector after = encode::encode(inputs);
    for (std::size_t i = 0; i < kStateSize; ++i)
        if (!elements()[i].name.starts_with("search.")) QCOMPARE(after[i], before[i]);
    QVERIFY(after[indexOf("search.best_ratio")] > before[indexOf("search.best_ratio")]);
}

QTEST_APPLESS_MAIN(TestEncode)
#include "tst_encode.moc"
