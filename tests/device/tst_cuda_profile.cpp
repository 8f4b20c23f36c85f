// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>
#include <cstdio>
#include <cstring>

#include "compile/compile.h"
#include "device/device.h"
#include "profile/activity.h"
#include "profile/analysis.h"
#include "profile/cache_reader.h"
#include "profile/range_profiler.h"
#include "result_test.h"

using namespace ww;
using namespace ww::profile;

namespace {

constexpr const char* kKernels = R"(
extern "C" __global__ void copyAll(const float4* x, float4* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i];
}
extern "C" __global__ void strided(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[(i * 32) % n];
}
extern "C" __global__ void conflicts(float* y) {
    __shared__ float tile[32 * 32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = i;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += tile[(threadIdx.x % 32) * 32 + i];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void multiply(float* y, int rounds) {
    float a = threadIdx.x, b = 0.5f, c = 1.0f, d = 3.0f + blockIdx.x;
    for (int i = 0; i < rounds; ++i) { a = a * b + c; d = d * b + c; }
    y[blockIdx.x * blockDim.x + threadIdx.x] = a + d;
}
extern "C" __global__ void increment(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }
)";

template <typename T> device::ScalarArgument scalar(T value) {
    device::ScalarArgument argument;
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    argument.size = sizeof value;
    return argument;
}

}  // namespace

/// Counters of small kernels whose figures are known beforehand. Without permission the counter tests are skipped with CUPTI's reason.
class TestCudaProfile : public QObject {
    Q_OBJECT

    std::unique_ptr<compile::Compiler> m_compiler;
    std::unique_ptr<device::Device> m_device;
    std::unique_ptr<CacheReader> m_cache;
    std::unique_ptr<RangeProfiler> m_profiler;

    Result<device::Launch> launchOf(const char* entry, unsigned blocks, std::vector<device::Argument> arguments) {
        compile::CompileRequest request;
        request.target = compile::Target::Cuda;
        request.architecture = m_device->facts().architecture;
        request.source = kKernels;
        request.fileName = "kernels.cu";
        request.entry = entry;
        WW_TRY(compiled, m_compiler->compile(request));
        if (compiled.status != TrialStatus::Ok) return fail(ErrorCode::Internal, compiled.log);
        const device::LaunchShape shape{{blocks, 1, 1}, {256, 1, 1}, 0};
        WW_TRY(loaded, m_device->load({compiled.object, compiled.entry}, shape));
        if (loaded.outcome.status != TrialStatus::Ok) return fail(ErrorCode::Internal, loaded.outcome.message);
        device::Launch launch{loaded.id, shape, std::move(arguments)};
        if (auto first = m_device->run(launch); first.status != TrialStatus::Ok) return fail(ErrorCode::Internal, first.message);
        return launch;
    }
    device::BufferArgument buffer(std::size_t bytes) {
        auto made = m_device->allocate(bytes);
        if (made) (void)m_device->fill(*made, 0, bytes, std::byte{0});
        return {made ? *made : 0, 0};
    }
    Result<Measurements> count(const device::Launch& launch, MetricSet set) {
        WW_TRY(collected, m_profiler->collect(set, [this] { return m_cache->flush(); }, [&] { return m_device->time(launch, false, 1); }));
        if (collected.outcome.status != TrialStatus::Ok) return fail(ErrorCode::Internal, collected.outcome.message);
        std::printf("%s on %s: %zu passes, %.3f s\n%s\n", std::string(toString(set)).c_str(), m_profiler->chip().c_str(), collected.passes, collected.seconds,
                    collected.values.toJson().dump(1).c_str());
        return std::move(collected.values);
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = compile::makeNvrtcCompiler();
        VERIFY_OK(compiler);
        m_compiler = std::move(*compiler);
        auto made = device::makeCudaDevice(0);
        VERIFY_OK(made);
        m_device = std::move(*made);
        auto cache = CacheReader::make(m_device->facts());
        VERIFY_OK(cache);
        m_cache = std::move(*cache);
        if (auto profiler = RangeProfiler::open(0)) m_profiler = std::move(*profiler);
        else std::printf("no counters: %s\n", profiler.error().toString().c_str());
    }
    void cleanupTestCase() {
        m_profiler.reset();
        m_cache.reset();
        m_device.reset();
    }
    void init() {
        const bool needsCounters = QByteArray(QTest::currentTestFunction()) != "activity";
        if (needsCounters && !m_profiler) QSKIP("this machine gives no counters; the reason is printed above");
    }

    void copyMovesWhatItMust() {
        constexpr std::size_t kBytes = std::size_t{1} << 28;
        constexpr int n = kBytes / 16;
        const auto launch = launchOf("copyAll", static_cast<unsigned>(m_device->facts().processors) * 8, {buffer(kBytes), buffer(kBytes), scalar(n)});
        VERIFY_OK(launch);
        const auto counted = count(*launch, MetricSet::Trial);
        VERIFY_OK(counted);
        // What is still in the L2 at the end has not been written: twice the bytes less the L2 at most.
        const double bytes = *counted->get("dram_bytes");
        QVERIFY2(bytes > 2.0 * kBytes - 1.1 * static_cast<double>(m_device->facts().l2Bytes) && bytes < 2.05 * kBytes, qPrintable(QString::number(bytes)));
        const auto timed = m_device->time(*launch, true, 1);
        const double ratio = *counted->get("time_ns") / static_cast<double>(timed.timeNs);
        QVERIFY2(ratio > 0.8 && ratio < 1.2, qPrintable(QString::number(ratio)));
        QVERIFY(*counted->get("dram_pct") > 50 && *counted->get("dram_pct") <= 101);
        QVERIFY(*counted->get("occupancy_pct") > 20 && *counted->get("occupancy_pct") <= 100);
    }

    void theWholeSet() {
        const auto launch = launchOf("multiply", static_cast<unsigned>(m_device->facts().processors) * 8, {buffer(std::size_t{4} << 20), scalar(1000)});
        VERIFY_OK(launch);
        const auto counted = count(*launch, MetricSet::Full);
        VERIFY_OK(counted);
        const double threads = 256.0 * 8 * m_device->facts().processors;
        const double fma = *counted->get("inst_ffma");
        QVERIFY2(std::abs(fma / (threads * 2000) - 1) < 0.01, qPrintable(QString::number(fma)));
        Observation observation;
        observation.measured = *counted;
        observation.device = m_device->facts();
        observation.shape = launch->shape;
        const auto profile = analyse(observation);
        QVERIFY(profile.nearness().has_value());
        QVERIFY(profile.roofline.has_value());
        QCOMPARE(QString::fromStdString(profile.roofline->precision), QString("fp32"));
        QVERIFY(!profile.roofline->underMemoryRoof());
        QVERIFY2(profile.roofline->ofRoof() > 0.2 && profile.roofline->ofRoof() <= 1.05, qPrintable(QString::number(profile.roofline->ofRoof())));
        for (const auto& value : profile.values.all()) QVERIFY2(value.value || !value.reason.empty(), value.id.c_str());
    }

    void faultsOfAccessAreSeen() {
        constexpr int n = 1 << 24;
        const unsigned blocks = n / 256;
        const auto far = launchOf("strided", blocks, {buffer(std::size_t{n} * 4), buffer(std::size_t{n} * 4), scalar(n)});
        VERIFY_OK(far);
        auto counted = count(*far, MetricSet::Full);
        VERIFY_OK(counted);
        QVERIFY2(*counted->get("load_bytes_per_sector") < 8, qPrintable(QString::number(*counted->get("load_bytes_per_sector"))));
        const auto banks = launchOf("conflicts", blocks, {buffer(std::size_t{n} * 4)});
        VERIFY_OK(banks);
        counted = count(*banks, MetricSet::Full);
        VERIFY_OK(counted);
        QVERIFY(*counted->get("bank_conflicts") / *counted->get("shared_wavefronts") > 0.5);
    }

    void replayPutsMemoryBack() {
        const auto y = buffer(1024 * 4);
        const auto launch = launchOf("increment", 4, {y});
        VERIFY_OK(launch);
        VERIFY_OK(m_device->fill(y.buffer, 0, 1024 * 4, std::byte{0}));
        VERIFY_OK(count(*launch, MetricSet::Full));
        std::vector<float> after(1024);
        VERIFY_OK(m_device->download(y.buffer, 0, std::as_writable_bytes(std::span(after))));
        // Two goes, the trial's and the rest: each leaves the effect of one launch, however many passes it took.
        for (const float value : after) QCOMPARE(value, 2.0f);
    }

    void activity() {
        const auto launch = launchOf("increment", 4, {buffer(1024 * 4)});
        VERIFY_OK(launch);
        device::Outcome outcome;
        const auto recorded = recordActivity([&] { return m_device->time(*launch, false, 1); }, outcome);
        VERIFY_OK(recorded);
        QVERIFY(outcome.status == TrialStatus::Ok);
        QVERIFY(*recorded->get("time_ns") > 0);
        QVERIFY(*recorded->get("registers") > 0);
        QVERIFY(recorded->find("time_ns")->rung == Rung::Activity);
    }
};

int main(int argc, char** argv) {
    if (device::listCudaDevices().empty()) {
        std::puts("no CUDA device: not run");
        return 77;
    }
    QCoreApplication application(argc, argv);
    TestCudaProfile test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_cuda_profile.moc"
