// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "result_test.h"

#include "memory_device.h"
#include "verify/checked_run.h"

using namespace ww;
using namespace ww::verify;
using test::MemoryDevice;

namespace {

constexpr device::ModuleId kModule = 1;
constexpr std::size_t kCount = 64;

spec::ResolvedArgument vectorOf(const char* name, spec::Access access, std::uint64_t elements = kCount, DType type = DType::Float32) {
    spec::ResolvedArgument argument;
    argument.name = name;
    argument.type = type;
    argument.access = access;
    argument.output = access != spec::Access::ReadOnly;
    argument.elements = elements;
    argument.fill = spec::Fill::Random;
    argument.fillValue = 1;
    return argument;
}

/// y = f(x) with a scalar n between them.
spec::ResolvedLaunch launchOf(spec::Access outputAccess = spec::Access::WriteOnly) {
    spec::ResolvedLaunch launch;
    spec::ResolvedArgument n;
    n.name = "n";
    n.type = DType::Int32;
    n.memory = spec::MemoryKind::Scalar;
    n.scalar = expr::Value(static_cast<int>(kCount));
    launch.arguments = {vectorOf("x", spec::Access::ReadOnly), n, vectorOf("y", outputAccess)};
    return launch;
}

device::Outcome doubled(const std::vector<std::byte*>& buffers, std::size_t count = kCount) {
    for (std::size_t i = 0; i < count; ++i)
        storeFromDouble(DType::Float32, 2 * loadAsDouble(DType::Float32, buffers[0] + 4 * i), buffers[1] + 4 * i);
    return {};
}

} // namespace

class TestCheckedRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goodKernelIsClean();
    void damagesAreFound_data();
    void damagesAreFound();
    void mutatedInputsAreNamed();
    void unwrittenElementsAreCounted();
    void emptyBodyLeavesThePoison();
    void bothPoisonsDiffer();
    void faultsEndTheRun();
    void emptyLaunchIsNotLaunched();
    void emptyBuffers();
    void inOutIsRestored();
    void repeatedRunsDoNotAllocate();
    void changedSizesReallocate();
    void memoryThatIsNotThere();
    void dataFilesComeFromTheSource();
    void symbolsGoBesideTheArguments();
    void repeatsTellWhatChanges_data();
    void repeatsTellWhatChanges();
    void leastAlignmentIsKept();
};

void TestCheckedRun::goodKernelIsClean() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) { return doubled(buffers); };
    LaunchBuffers buffers(device);
    auto run = checkedRun(device, buffers, kModule, launchOf(), {5, 0});
    VERIFY_OK(run);
    QVERIFY(run->outcome.status == TrialStatus::Ok);
    QVERIFY(run->guardViolations.empty() && run->changedInputs.empty() && run->unwrittenOutputs.empty());
    QCOMPARE(run->outputs.size(), std::size_t{1});
    QCOMPARE(run->outputs[0].size(), 4 * kCount);
    const device::Launch launch = buffers.launch(kModule);
    QCOMPARE(launch.arguments.size(), std::size_t{3});
    const auto* scalar = std::get_if<device::ScalarArgument>(&launch.arguments[1]);
    QVERIFY(scalar != nullptr && scalar->size == 4);
    QVERIFY(std::get<device::BufferArgument>(launch.arguments[0]).byteOffset % 256 == 0);
}

void TestCheckedRun::damagesAreFound_data() {
    QTest::addColumn<int>("buffer");
    QTest::addColumn<int>("offset");
    QTest::addColumn<int>("bytes");
    QTest::addColumn<QString>("sentence");
    const int end = 4 * static_cast<int>(kCount);
    QTest::newRow("one element past the end") << 1 << end << 4 << "y: 4 bytes after the end were overwritten, first at +0";
    QTest::newRow("a row further") << 1 << end + 100 << 12 << "y: 12 bytes after the end were overwritten, first at +100";
    QTest::newRow("before the start") << 1 << -8 << 8 << "y: 8 bytes before the start were overwritten, nearest at -1";
    QTest::newRow("behind an input") << 0 << end << 1 << "x: 1 byte after the end was overwritten, first at +0";
    QTest::newRow("last guarded byte") << 1 << end + 1023 << 1 << "y: 1 byte after the end was overwritten, first at +1023";
}

void TestCheckedRun::damagesAreFound() {
    QFETCH(int, buffer);
    QFETCH(int, offset);
    QFETCH(int, bytes);
    QFETCH(QString, sentence);
    MemoryDevice device;
    device.kernels[kModule] = [&](const auto& buffers) {
        std::byte* target = buffers[static_cast<std::size_t>(buffer)] + offset;
        for (int i = 0; i < bytes; ++i)
            target[i] = ~target[i];
        return doubled(buffers);
    };
    LaunchBuffers buffers(device);
    auto run = checkedRun(device, buffers, kModule, launchOf(), {5, 0});
    VERIFY_OK(run);
    QCOMPARE(run->guardViolations.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(run->guardViolations.front()), sentence);
    // The next run starts with whole guards.
    device.kernels[kModule] = [](const auto& good) { return doubled(good); };
    QVERIFY(checkedRun(device, buffers, kModule, launchOf(), {5, 0})->guardViolations.empty());
}

void TestCheckedRun::mutatedInputsAreNamed() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) {
        const device::Outcome outcome = doubled(buffers);
        buffers[0][4 * kCount - 1] ^= std::byte{1};
        return outcome;
    };
    LaunchBuffers buffers(device);
    auto run = checkedRun(device, buffers, kModule, launchOf(), {5, 0});
    VERIFY_OK(run);
    QVERIFY((run->changedInputs == std::vector<std::string>{"x"}));
}

void TestCheckedRun::unwrittenElementsAreCounted() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) { return doubled(buffers, kCount - 3); };
    LaunchBuffers buffers(device);
    for (const int poison : {0, 1}) {
        auto run = checkedRun(device, buffers, kModule, launchOf(), {5, poison});
        VERIFY_OK(run);
        QCOMPARE(run->unwrittenOutputs.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(run->unwrittenOutputs.front()),
                 QString("y: 3 of 64 elements still hold the poison, first at [61]"));
    }
}

void TestCheckedRun::emptyBodyLeavesThePoison() {
    // The result of an earlier, correct run must not be found in the buffer.
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) { return doubled(buffers); };
    device.kernels[2] = [](const auto&) { return device::Outcome{}; };
    LaunchBuffers buffers(device);
    VERIFY_OK(checkedRun(device, buffers, kModule, launchOf(), {5, 0}));
    auto run = checkedRun(device, buffers, 2, launchOf(), {5, 0});
    VERIFY_OK(run);
    QVERIFY(run->unwrittenOutputs.front().find("64 of 64") != std::string::npos);
    QVERIFY(std::isnan(loadAsDouble(DType::Float32, run->outputs[0].data())));
}

void TestCheckedRun::bothPoisonsDiffer() {
    QVERIFY(poisonByte(0) != poisonByte(1));
    for (const DType type : {DType::Half, DType::BFloat16, DType::Float32, DType::Float64}) {
        const std::array<std::byte, 8> first = [] {
            std::array<std::byte, 8> bytes;
            bytes.fill(poisonByte(0));
            return bytes;
        }();
        const std::array<std::byte, 8> second = [] {
            std::array<std::byte, 8> bytes;
            bytes.fill(poisonByte(1));
            return bytes;
        }();
        QVERIFY(std::isnan(loadAsDouble(type, first.data())));
        QVERIFY(loadAsDouble(type, second.data()) < -10);
    }
}

void TestCheckedRun::faultsEndTheRun() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto&) { return device::Outcome{TrialStatus::RuntimeError, "illegal address", true, 0}; };
    LaunchBuffers buffers(device);
    auto run = checkedRun(device, buffers, kModule, launchOf(), {5, 0});
    VERIFY_OK(run);
    QVERIFY(run->outcome.status == TrialStatus::RuntimeError && run->outcome.sticky);
    QVERIFY(run->outputs.empty());
}

void TestCheckedRun::emptyLaunchIsNotLaunched() {
    MemoryDevice device;
    bool launched = false;
    device.kernels[kModule] = [&](const auto&) {
        launched = true;
        return device::Outcome{};
    };
    LaunchBuffers buffers(device);
    spec::ResolvedLaunch launch = launchOf();
    launch.empty = true;
    auto run = checkedRun(device, buffers, kModule, launch, {5, 0});
    VERIFY_OK(run);
    QVERIFY(!launched);
    QVERIFY(run->unwrittenOutputs.empty() && run->guardViolations.empty());
}

void TestCheckedRun::emptyBuffers() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) {
        buffers[1][0] = std::byte{0};
        return device::Outcome{};
    };
    LaunchBuffers buffers(device);
    spec::ResolvedLaunch launch = launchOf();
    launch.arguments[0].elements = launch.arguments[2].elements = 0;
    auto run = checkedRun(device, buffers, kModule, launch, {5, 0});
    VERIFY_OK(run);
    QCOMPARE(run->guardViolations.size(), std::size_t{1});
    QVERIFY(run->outputs[0].empty());
}

void TestCheckedRun::inOutIsRestored() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) {
        for (std::size_t i = 0; i < 4 * kCount; ++i)
            buffers[1][i] ^= std::byte{0x5a};
        return device::Outcome{};
    };
    LaunchBuffers buffers(device);
    const spec::ResolvedLaunch launch = launchOf(spec::Access::ReadWrite);
    VERIFY_OK(buffers.prepare(launch, 5, 0));
    QVERIFY(buffers.hasInOut());
    auto before = buffers.outputs();
    VERIFY_OK(before);
    const std::vector<std::byte> original(before->front().begin(), before->front().end());
    for (int i = 0; i < 3; ++i) {
        device.run(buffers.launch(kModule));
        VERIFY_OK(buffers.restore());
    }
    auto after = buffers.outputs();
    VERIFY_OK(after);
    QVERIFY(std::equal(original.begin(), original.end(), after->front().begin()));
    VERIFY_OK(buffers.prepare(launchOf(), 5, 0));
    QVERIFY(!buffers.hasInOut());
}

void TestCheckedRun::repeatedRunsDoNotAllocate() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) { return doubled(buffers); };
    LaunchBuffers buffers(device);
    auto first = checkedRun(device, buffers, kModule, launchOf(), {5, 0});
    VERIFY_OK(first);
    const std::vector<std::byte> result(first->outputs[0].begin(), first->outputs[0].end());
    const int allocations = device.allocations;
    for (std::uint64_t seed = 6; seed < 10; ++seed)
        VERIFY_OK(checkedRun(device, buffers, kModule, launchOf(), {seed, 1}));
    QCOMPARE(device.allocations, allocations);
    auto again = checkedRun(device, buffers, kModule, launchOf(), {5, 0});
    QVERIFY(std::equal(result.begin(), result.end(), again->outputs[0].begin()));
}

void TestCheckedRun::changedSizesReallocate() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto&) { return device::Outcome{}; };
    {
        LaunchBuffers buffers(device);
        VERIFY_OK(checkedRun(device, buffers, kModule, launchOf(), {5, 0}));
        spec::ResolvedLaunch larger = launchOf();
        larger.arguments[0].elements = 1000;
        VERIFY_OK(checkedRun(device, buffers, kModule, larger, {5, 0}));
        larger.arguments.pop_back();
        VERIFY_OK(checkedRun(device, buffers, kModule, larger, {5, 0}));
        QCOMPARE(device.memory.size(), std::size_t{2});
    }
    QVERIFY(device.memory.empty());
}

void TestCheckedRun::memoryThatIsNotThere() {
    MemoryDevice device;
    device.capacity = 1000;
    LaunchBuffers buffers(device);
    COMPARE_ERR(checkedRun(device, buffers, kModule, launchOf(), {5, 0}), ErrorCode::WorkerFailed);
}

void TestCheckedRun::dataFilesComeFromTheSource() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) { return doubled(buffers); };
    LaunchBuffers buffers(device);
    spec::ResolvedLaunch launch = launchOf();
    launch.arguments[0].fill = spec::Fill::BinaryRaw;
    launch.arguments[0].dataFile = "/spec/x.bin";
    COMPARE_ERR(checkedRun(device, buffers, kModule, launch, {5, 0}), ErrorCode::Internal);
    const std::vector<std::byte> zeros(4 * kCount);
    std::string asked;
    auto run = checkedRun(device, buffers, kModule, launch, {5, 0},
                          [&](const spec::ResolvedArgument& argument) -> Result<std::span<const std::byte>> {
                              asked = argument.dataFile;
                              return std::span<const std::byte>(zeros);
                          });
    VERIFY_OK(run);
    QCOMPARE(asked, std::string("/spec/x.bin"));
    QCOMPARE(loadAsDouble(DType::Float32, run->outputs[0].data()), 0.0);
}

void TestCheckedRun::symbolsGoBesideTheArguments() {
    MemoryDevice device;
    LaunchBuffers buffers(device);
    spec::ResolvedLaunch launch = launchOf();
    launch.arguments[0].memory = spec::MemoryKind::Symbol;
    VERIFY_OK(buffers.prepare(launch, 5, 0));
    const device::Launch prepared = buffers.launch(kModule);
    QCOMPARE(prepared.arguments.size(), std::size_t{2});
    QCOMPARE(prepared.symbols.size(), std::size_t{1});
    QCOMPARE(prepared.symbols[0].name, launch.arguments[0].name);
    QCOMPARE(prepared.symbols[0].bytes, static_cast<std::size_t>(launch.arguments[0].bytes()));
}

void TestCheckedRun::repeatsTellWhatChanges_data() {
    QTest::addColumn<int>("written"); // elements that launches after the first write
    QTest::addColumn<int>("always");  // elements that every launch writes
    QTest::addColumn<int>("differing");
    QTest::addColumn<int>("unwritten");
    const int all = static_cast<int>(kCount);
    QTest::newRow("the same each time") << all << all << 0 << 0;
    QTest::newRow("skips its work later") << 0 << all << 2 << all;
    QTest::newRow("skips a part later") << all - 3 << all << 2 << 3;
    // Poison of two patterns differs, but what was never written is told by the first launch.
    QTest::newRow("never writes the tail") << all - 3 << all - 3 << 1 << 0;
}

void TestCheckedRun::repeatsTellWhatChanges() {
    QFETCH(int, written);
    QFETCH(int, always);
    QFETCH(int, differing);
    QFETCH(int, unwritten);
    MemoryDevice device;
    int launches = 0;
    device.kernels[kModule] = [&](const auto& buffers) { return doubled(buffers, static_cast<std::size_t>(launches++ == 0 ? always : written)); };
    LaunchBuffers buffers(device);
    RunOptions options{5, 0, 3};
    auto run = checkedRun(device, buffers, kModule, launchOf(), options);
    VERIFY_OK(run);
    QCOMPARE(run->repeats.launches, 3);
    QCOMPARE(run->repeats.differing, differing);
    QCOMPARE(static_cast<int>(run->repeats.unwritten), unwritten);
    const auto copy = Repeats::fromJson(Json::parse(run->repeats.toJson().dump()));
    QCOMPARE(copy.differing, differing);
    QCOMPARE(static_cast<int>(copy.unwritten), unwritten);
}

void TestCheckedRun::leastAlignmentIsKept() {
    MemoryDevice device;
    device.kernels[kModule] = [](const auto& buffers) { return doubled(buffers); };
    LaunchBuffers buffers(device);
    auto launch = launchOf();
    launch.arguments[0].alignment = 4;
    auto run = checkedRun(device, buffers, kModule, launch, {5});
    VERIFY_OK(run);
    QVERIFY(run->guardViolations.empty() && run->changedInputs.empty() && run->unwrittenOutputs.empty());
    const auto prepared = buffers.launch(kModule);
    QCOMPARE(std::get<device::BufferArgument>(prepared.arguments[0]).byteOffset % 8, std::size_t{4});
}

QTEST_APPLESS_MAIN(TestCheckedRun)
#include "tst_checked_run.moc"
