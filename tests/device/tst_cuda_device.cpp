// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtCore/QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
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
__constant__ float weights[3];
namespace deep { __device__ int counter; }
extern "C" __global__ void weighted(float* y) {
    y[0] = weights[0] + 10 * weights[2];
    deep::counter += 1;
}
extern "C" __global__ void sampled(cudaTextureObject_t t, const float* at, float* y, int n, int dimensions) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* p = at + 3 * i;
    y[i] = dimensions == 0 ? tex1Dfetch<float>(t, (int)p[0]) : dimensions == 1 ? tex1D<float>(t, p[0])
         : dimensions == 2 ? tex2D<float>(t, p[0], p[1]) : tex3D<float>(t, p[0], p[1], p[2]);
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

    Result<device::Device::Loaded> load(const std::string& entry, const device::LaunchShape& shape, std::vector<std::string> templateArguments = {},
                                        std::vector<std::string> symbols = {}) {
        compile::CompileRequest request;
        request.target = compile::Target::Cuda;
        request.architecture = m_device->facts().architecture;
        request.source = kKernels;
        request.fileName = "kernels.cu";
        request.entry = entry;
        request.templateArguments = std::move(templateArguments);
        request.symbols = std::move(symbols);
        WW_TRY(result, m_compiler->compile(request));
        if (result.status != TrialStatus::Ok) return fail(ErrorCode::Internal, result.log);
        return m_device->load({result.object, result.entry, result.symbols}, shape);
    }

    /// What `sampled` gives at `at` (three coordinates each) on a device; the CPU device's answer is the expectation.
    static Result<std::vector<float>> sample(device::Device& device, device::ModuleId module, device::TextureArgument texture, const std::vector<float>& texels,
                                             const std::vector<float>& at, int dimensions) {
        const int n = static_cast<int>(at.size() / 3);
        std::vector<float> y(static_cast<std::size_t>(n));
        WW_TRY(content, device.allocate(texels.size() * sizeof(float)));
        WW_TRY(from, device.allocate(at.size() * sizeof(float)));
        WW_TRY(to, device.allocate(y.size() * sizeof(float)));
        WW_CHECK(device.upload(content, 0, std::as_bytes(std::span(texels))));
        WW_CHECK(device.upload(from, 0, std::as_bytes(std::span(at))));
        texture.buffer = content;
        const auto outcome = device.run({module, {{static_cast<std::uint32_t>(n + 255) / 256, 1, 1}, {256, 1, 1}, 0},
                                         {texture, device::BufferArgument{from, 0}, device::BufferArgument{to, 0}, scalar(&n, sizeof n), scalar(&dimensions, sizeof dimensions)}});
        if (outcome.status != TrialStatus::Ok) return fail(ErrorCode::Internal, outcome.message);
        WW_CHECK(device.download(to, 0, std::as_writable_bytes(std::span(y))));
        for (const auto buffer : {content, from, to}) device.release(buffer);
        return y;
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

    void symbolsAreFilledAndReadBack() {
        auto loaded = load("weighted", {}, {}, {"weights", "deep::counter"});
        VERIFY_OK(loaded);
        auto out = m_device->allocate(4), weights = m_device->allocate(12), counter = m_device->allocate(4);
        const std::vector<float> values{1, 2, 3};
        int count = 41;
        VERIFY_OK(m_device->upload(*weights, 0, std::as_bytes(std::span(values))));
        VERIFY_OK(m_device->upload(*counter, 0, std::as_bytes(std::span(&count, 1))));
        const device::Launch launch{loaded->id, {}, {device::BufferArgument{*out, 0}}, {{"weights", *weights, 0, 12}, {"deep::counter", *counter, 0, 4}}};
        const auto outcome = m_device->run(launch);
        QVERIFY2(outcome.status == TrialStatus::Ok, outcome.message.c_str());
        float y = 0;
        VERIFY_OK(m_device->download(*out, 0, std::as_writable_bytes(std::span(&y, 1))));
        VERIFY_OK(m_device->download(*counter, 0, std::as_writable_bytes(std::span(&count, 1))));
        QCOMPARE(y, 31.0f);
        QCOMPARE(count, 42);
    }

    void texturesAreThoseOfTheCpuDevice() {
        QTemporaryDir folder;
        auto host = compile::makeHostCompiler(folder.path().toStdString());
        VERIFY_OK(host);
        auto cpu = device::makeCpuDevice(1);
        VERIFY_OK(cpu);
        compile::CompileRequest request;
        request.source = kKernels;
        request.fileName = "kernels.cu";
        request.entry = "sampled";
        auto object = (*host)->compile(request);
        VERIFY_OK(object);
        QVERIFY2(object->status == TrialStatus::Ok, object->log.c_str());
        auto onCpu = (*cpu)->load({object->object, object->entry}, {});
        auto onGpu = load("sampled", {});
        VERIFY_OK(onCpu);
        VERIFY_OK(onGpu);

        std::vector<float> texels(16 * 8 * 4);
        for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * 37 % 101);
        for (const auto& extents : {TextureExtents{0, 0, 0}, TextureExtents{512, 0, 0}, TextureExtents{32, 16, 0}, TextureExtents{16, 8, 4}}) {
            const int dimensions = (extents[0] > 0) + (extents[1] > 0) + (extents[2] > 0);
            for (int way = 0; way < (dimensions == 0 ? 1 : 12); ++way) {
                device::TextureArgument texture{0, 0, texels.size(), DType::Float32, 1, extents, {}};
                const bool normalized = way % 6 >= 2;
                texture.sampling = {way >= 6 ? TextureFilter::Linear : TextureFilter::Point,
                                    std::array{TextureAddress::Clamp, TextureAddress::Border, TextureAddress::Clamp, TextureAddress::Border,
                                               TextureAddress::Wrap, TextureAddress::Mirror}[static_cast<std::size_t>(way % 6)],
                                    TextureRead::Element, normalized};
                std::vector<float> at(3 * 4096);
                for (std::size_t i = 0; i < at.size(); ++i) {
                    // Off the places where a texel or a weight changes: rounding there is the chip's own.
                    const float extent = dimensions == 0 ? 512.0f : static_cast<float>(std::max(1U, extents[i % 3]));
                    const float place = (static_cast<float>((i * 2654435761U >> 7) % 4096) / 4096.0f * 1.5f - 0.25f) * extent;
                    const float texel = (std::floor(place * 256.0f) + 0.25f) / 256.0f;
                    at[i] = normalized ? texel / extent : texel;
                }
                const auto expected = sample(**cpu, onCpu->id, texture, texels, at, dimensions);
                const auto got = sample(*m_device, onGpu->id, texture, texels, at, dimensions);
                VERIFY_OK(expected);
                VERIFY_OK(got);
                for (std::size_t i = 0; i < got->size(); ++i) {
                    // Chips round the products of two or three weights too (an H200: 0.4 of 101 at most).
                    const float allowed = texture.sampling.filter == TextureFilter::Linear && dimensions > 1 ? 101.0f / 128 : 1e-4f;
                    QVERIFY2(std::abs((*got)[i] - (*expected)[i]) <= allowed, qPrintable(QString("dimensions %1, way %2, at (%3, %4, %5): %6, not %7").arg(dimensions).arg(way)
                        .arg(double(at[3 * i])).arg(double(at[3 * i + 1])).arg(double(at[3 * i + 2])).arg(double((*got)[i])).arg(double((*expected)[i]))));
                }
            }
        }
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
