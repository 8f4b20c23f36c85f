// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <cmath>
#include <cstring>
#include <optional>

#include "compile/compile.h"
#include "device/device.h"
#include "result_test.h"

using namespace ww;

namespace {

constexpr const char* kSource = R"cuda(
__global__ void uninitialised(float* o) { __shared__ float a[8]; __shared__ int b; if (threadIdx.x > 8) { a[0] = 1; b = 1; } o[0] = a[threadIdx.x]; o[1] = b; }
__global__ void left_behind(float* o) {
    extern __shared__ float d[];
    o[blockIdx.x] = d[threadIdx.x];
    d[threadIdx.x] = 7;
}
__global__ void static_overrun(float* o, int at) { __shared__ float a[64]; a[threadIdx.x + at] = 1; __syncthreads(); o[threadIdx.x] = a[63 - threadIdx.x]; }
__global__ void dynamic_overrun(float* o, int at) { extern __shared__ float d[]; d[threadIdx.x + at] = 1; __syncthreads(); o[threadIdx.x] = d[0]; }
__global__ void plain_overrun(float* o, int at) { extern __shared__ float d[]; d[threadIdx.x + at] = 1; o[threadIdx.x] = 1; }
)cuda";

/// The same with a pointer at namespace scope, whose initialisation must survive.
constexpr const char* kAtNamespaceScope = R"cuda(
extern __shared__ float d[];
__global__ void pointer(float* o) { __shared__ float a[4]; d[threadIdx.x] = threadIdx.x; a[0] = 5; __syncthreads(); o[threadIdx.x] = d[threadIdx.x] + a[0]; }
)cuda";

}  // namespace

/// Shared memory in checked runs: nothing of the past is in it, and nobody writes behind it.
class TestCpuShared : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<compile::Compiler> m_compiler;
    std::unique_ptr<device::Device> m_device;
    device::BufferId m_out = 0;
    device::Launch m_launch;

    /// Loads `entry` and makes the launch of it; `at` for kernels that take a second argument.
    void prepare(const char* source, const std::string& entry, const device::LaunchShape& shape, std::optional<int> at = {}) {
        compile::CompileRequest request;
        request.source = source;
        request.fileName = "shared.cu";
        request.entry = entry;
        const auto result = m_compiler->compile(request);
        if (!result || result->status != TrialStatus::Ok) qFatal("%s", result ? result->log.c_str() : result.error().message.c_str());
        const auto loaded = m_device->load({result->object, result->entry, {}}, shape);
        if (!loaded || loaded->outcome.status != TrialStatus::Ok) qFatal("not loaded");
        m_launch = {loaded->id, shape, {device::BufferArgument{m_out, 0}}};
        if (!at) return;
        device::ScalarArgument scalar;
        std::memcpy(scalar.bytes.data(), &*at, sizeof *at);
        scalar.size = sizeof *at;
        m_launch.arguments.emplace_back(scalar);
    }
    std::vector<float> out(std::size_t count) {
        std::vector<float> values(count);
        if (!m_device->download(m_out, 0, std::as_writable_bytes(std::span(values)))) qFatal("no download");
        return values;
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = compile::makeHostCompiler(m_folder.path().toStdString());
        VERIFY_OK(compiler);
        m_compiler = std::move(*compiler);
        auto made = device::makeCpuDevice(2);
        VERIFY_OK(made);
        m_device = std::move(*made);
        const auto buffer = m_device->allocate(4096);
        VERIFY_OK(buffer);
        m_out = *buffer;
    }

    void poisoned() {
        prepare(kSource, "uninitialised", {});
        QVERIFY(m_device->run(m_launch).status == TrialStatus::Ok);
        QVERIFY(std::isnan(out(2)[0]));
        QCOMPARE(out(2)[1], -1.0f);

        prepare(kSource, "left_behind", {{100, 1, 1}, {1, 1, 1}, 64});
        QVERIFY(m_device->run(m_launch).status == TrialStatus::Ok);
        for (const float value : out(100)) QVERIFY(std::isnan(value));  // also where another block was before
    }

    void overruns_data() {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<int>("at");
        QTest::addColumn<QString>("message");
        QTest::newRow("inside") << "static_overrun" << 0 << "";
        QTest::newRow("static by one") << "static_overrun" << 1 << "static shared memory: 4 bytes after the end were overwritten, first at +";
        QTest::newRow("dynamic inside") << "dynamic_overrun" << 0 << "";
        QTest::newRow("dynamic by one") << "dynamic_overrun" << 1 << "dynamic shared memory: 4 bytes after the end were overwritten, first at +0, in block (";
        QTest::newRow("dynamic by many") << "dynamic_overrun" << 64 << "dynamic shared memory: 256 bytes after the end were overwritten, first at +0";
        QTest::newRow("without barriers") << "plain_overrun" << 2 << "dynamic shared memory: 8 bytes after the end were overwritten, first at +0";
    }
    void overruns() {
        QFETCH(QString, entry);
        QFETCH(int, at);
        QFETCH(QString, message);
        prepare(kSource, entry.toStdString(), {{3, 1, 1}, {64, 1, 1}, 256}, at);
        const auto outcome = m_device->run(m_launch);
        if (message.isEmpty()) {
            QVERIFY2(outcome.status == TrialStatus::Ok, outcome.message.c_str());
            QCOMPARE(out(64)[63], 1.0f);
            return;
        }
        QVERIFY(outcome.status == TrialStatus::RuntimeError);
        QVERIFY2(QString::fromStdString(outcome.message).contains(message), outcome.message.c_str());
        QVERIFY(m_device->time(m_launch, false, 1).status == TrialStatus::Ok);  // timing pays for no checks
    }

    void pointersAtNamespaceScopeSurvive() {
        for (const std::size_t bytes : {std::size_t{256}, std::size_t{512}}) {
            prepare(kAtNamespaceScope, "pointer", {{5, 1, 1}, {64, 1, 1}, bytes});
            for (int i = 0; i < 2; ++i) QVERIFY(m_device->run(m_launch).status == TrialStatus::Ok);
            QCOMPARE(out(64)[63], 68.0f);
        }
    }
};

QTEST_GUILESS_MAIN(TestCpuShared)
#include "tst_cpu_shared.moc"
