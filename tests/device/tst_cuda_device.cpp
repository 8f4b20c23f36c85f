// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>
#include <cstring>
#include <numeric>

#include "compile/compile.h"
#include "device/device.h"
#include "result_test.h"

using namespace ww;

namespace {

constexpr const char* kKernels = R"(
#ifndef N
#define N 1
#endif
extern "C" __global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
namespace deep { template <int SCALE> __global__ void scaled(float* y) { y[threadIdx.x] = SCALE; } }
extern "C" __global__ void reversed(const float* x, float* y, int n) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tile[n - 1 - i];
}
extern "C" __global__ void wild(float* y) { y[1ull << 40] = 1.0f; }
extern "C" __global__ void spin(float* y, long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {}
    y[0] = 1.0f;
}
)";

device::ScalarArgument scalar(const void* bytes, std::size_t size) {
    device::ScalarArgument argument;
    std::memcpy(argument.bytes.data(), bytes, size);
    argument.size = size;
    return argument;
}

}  // namespace

/// The driver API on a real GPU.
class TestCudaDevice : public QObject {
    Q_OBJECT

    std::unique_ptr<compile::Compiler> m_compiler;
    std::unique_ptr<device::Device> m_device;

    Result<device::Device::Loaded> load(const std::string& entry, const device::LaunchShape& shape, std::vector<std::string> templateArguments = {}) {
        compile::CompileRequest request;
        request.target = compile::Target::Cuda;
        request.architecture = m_device->facts().architecture;
        request.source = kKernels;
        request.fileName = "kernels.cu";
        request.entry = entry;
        request.templateArguments = std::move(templateArguments);
        WW_TRY(result, m_compiler->compile(request));
        if (result.status != TrialStatus::Ok) return fail(ErrorCode::Internal, result.log);
        return m_device->load({result.object, result.entry}, shape);
    }

private Q_SLOTS:
    void init() {
        auto compiler = compile::makeNvrtcCompiler();
        VERIFY_OK(compiler);
        m_compiler = std::move(*compiler);
        auto made = device::makeCudaDevice(0);
        VERIFY_OK(made);
        m_device = std::move(*made);
    }
    void cleanup() { m_device.reset(); }

    void factsAreThere() {
        const auto& facts = m_device->facts();
        QVERIFY(facts.uuid.starts_with("GPU-"));
        QVERIFY(facts.processors > 0);
        QVERIFY(facts.sharedPerBlockOptin >= facts.sharedPerBlock);
        QVERIFY(facts.l2Bytes > 0);
    }

    void runsAndTimes() {
        constexpr int n = 100'003;
        const device::LaunchShape shape{{(n + 255) / 256, 1, 1}, {256, 1, 1}, 0};
        auto loaded = load("twice", shape);
        VERIFY_OK(loaded);
        QVERIFY(loaded->outcome.status == TrialStatus::Ok);
        QVERIFY(loaded->facts.registers > 0);
        QVERIFY(loaded->facts.activeBlocksPerProcessor > 0);
        std::vector<float> x(n), y(n);
        std::iota(x.begin(), x.end(), 0.0f);
        auto from = m_device->allocate(n * sizeof(float));
        auto to = m_device->allocate(n * sizeof(float));
        VERIFY_OK(from);
        VERIFY_OK(to);
        VERIFY_OK(m_device->upload(*from, 0, std::as_bytes(std::span(x))));
        const device::Launch launch{loaded->id, shape, {device::BufferArgument{*from, 0}, device::BufferArgument{*to, 0}, scalar(&n, sizeof n)}};
        QVERIFY(m_device->run(launch).status == TrialStatus::Ok);
        VERIFY_OK(m_device->download(*to, 0, std::as_writable_bytes(std::span(y))));
        for (int i = 0; i < n; ++i) QCOMPARE(y[static_cast<std::size_t>(i)], 2.0f * static_cast<float>(i));
        for (const bool cold : {false, true}) {
            const auto timed = m_device->time(launch, cold, 4);
            QVERIFY(timed.status == TrialStatus::Ok);
            QVERIFY(timed.timeNs > 0);
        }
    }

    void dynamicSharedMemoryIsOptedIn() {
        const int n = static_cast<int>(m_device->facts().sharedPerBlockOptin / 4);
        const device::LaunchShape shape{{1, 1, 1}, {256, 1, 1}, static_cast<std::size_t>(n) * 4};
        auto loaded = load("reversed", shape);
        VERIFY_OK(loaded);
        QVERIFY2(loaded->outcome.status == TrialStatus::Ok, loaded->outcome.message.c_str());
        std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
        std::iota(x.begin(), x.end(), 0.0f);
        auto from = m_device->allocate(x.size() * 4);
        auto to = m_device->allocate(x.size() * 4);
        VERIFY_OK(m_device->upload(*from, 0, std::as_bytes(std::span(x))));
        const auto outcome = m_device->run({loaded->id, shape, {device::BufferArgument{*from, 0}, device::BufferArgument{*to, 0}, scalar(&n, sizeof n)}});
        QVERIFY2(outcome.status == TrialStatus::Ok, outcome.message.c_str());
        VERIFY_OK(m_device->download(*to, 0, std::as_writable_bytes(std::span(y))));
        QCOMPARE(y.front(), x.back());
        QCOMPARE(y.back(), x.front());

        auto refused = load("reversed", {{1, 1, 1}, {256, 1, 1}, static_cast<std::size_t>(n) * 4 + 4});
        VERIFY_OK(refused);
        QVERIFY(refused->outcome.status == TrialStatus::ResourceError);
    }

    void templatesAreFoundByTheirLoweredName() {
        const device::LaunchShape shape{{1, 1, 1}, {32, 1, 1}, 0};
        auto loaded = load("deep::scaled", shape, {"7"});
        VERIFY_OK(loaded);
        auto to = m_device->allocate(32 * 4);
        QVERIFY(m_device->run({loaded->id, shape, {device::BufferArgument{*to, 0}}}).status == TrialStatus::Ok);
        std::vector<float> y(32);
        VERIFY_OK(m_device->download(*to, 0, std::as_writable_bytes(std::span(y))));
        QCOMPARE(y[31], 7.0f);
    }

    void tooManyThreadsAreNoFault() {
        auto loaded = load("twice", {{1, 1, 1}, {2048, 1, 1}, 0});
        VERIFY_OK(loaded);
        QVERIFY(loaded->outcome.status == TrialStatus::ResourceError);
        QVERIFY(!loaded->outcome.sticky);
    }

    void timesAreThoseOfTheClock() {
        // A kernel that spins for a known number of cycles takes about cycles / clock.
        const device::LaunchShape shape{{1, 1, 1}, {1, 1, 1}, 0};
        auto loaded = load("spin", shape);
        VERIFY_OK(loaded);
        auto to = m_device->allocate(4);
        const long long cycles = 2'000'000;
        const auto timed = m_device->time({loaded->id, shape, {device::BufferArgument{*to, 0}, scalar(&cycles, sizeof cycles)}}, true, 1);
        QVERIFY(timed.status == TrialStatus::Ok);
        const double fastest = static_cast<double>(cycles) / static_cast<double>(m_device->facts().clockKHz) * 1e6;
        QVERIFY2(static_cast<double>(timed.timeNs) > 0.9 * fastest, qPrintable(QString::number(timed.timeNs)));
    }

    void zIllegalAddressIsSticky() {  // poisons the context: keep it last
        const device::LaunchShape shape{{1, 1, 1}, {1, 1, 1}, 0};
        auto loaded = load("wild", shape);
        VERIFY_OK(loaded);
        auto to = m_device->allocate(4);
        const auto outcome = m_device->run({loaded->id, shape, {device::BufferArgument{*to, 0}}});
        QVERIFY(outcome.status == TrialStatus::RuntimeError);
        QVERIFY(outcome.sticky);
        QVERIFY(outcome.message.find("ILLEGAL_ADDRESS") != std::string::npos);
    }
};

int main(int argc, char** argv) {
    if (device::listCudaDevices().empty()) {
        std::puts("no CUDA device: not run");
        return 77;
    }
    QCoreApplication application(argc, argv);
    TestCudaDevice test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_cuda_device.moc"
