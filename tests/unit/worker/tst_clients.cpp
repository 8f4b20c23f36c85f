// SPDX-License-Identifier: Apache-2.0
#include "result_test.h"
#include "worker/clients.h"

using namespace ww;
using namespace ww::worker;
using namespace std::chrono_literals;

namespace {

std::string word(TrialStatus status) { return std::string(toString(status)); }

sandbox::WorkerOptions options() {
    sandbox::WorkerOptions worker;
    worker.program = WORKER;
    worker.level = sandbox::availability().level;
    worker.memoryBytes = std::uint64_t{4} << 30;
    return worker;
}

/// A kernel `k(float* y, const float* x, int n)` with this body.
compile::CompileRequest kernel(const std::string& body) {
    compile::CompileRequest request;
    request.source = "#include <cstdlib>\n__global__ void k(float* y, const float* x, int n) {\n" + body + "\n}\n";
    request.fileName = "k.cu";
    request.entry = "k";
    request.argumentTypes = {"float*", "const float*", "int"};
    request.deadlineSeconds = 120;
    return request;
}

const std::string kTwice = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i];";

spec::ResolvedLaunch launch() {
    spec::ResolvedLaunch launch;
    launch.grid = {4, 1, 1};
    launch.block = {32, 1, 1};
    spec::ResolvedArgument y, x, n;
    y.name = "y";
    y.access = spec::Access::WriteOnly;
    y.output = true;
    x.name = "x";
    x.fillValue = 3;
    y.elements = x.elements = 100;
    n.name = "n";
    n.type = DType::Int32;
    n.memory = spec::MemoryKind::Scalar;
    n.scalar = expr::Value(100);
    launch.arguments = {y, x, n};
    return launch;
}

device::LaunchShape shape() { return {launch().grid, launch().block, 0}; }

}  // namespace

/// The real worker, on the CPU device, in the sandbox where there is one.
class TestClients : public QObject {
    Q_OBJECT

    std::unique_ptr<CompilePool> m_pool;
    std::unique_ptr<DeviceClient> m_device;

    compile::CompileResult compiled(const compile::CompileRequest& request) {
        auto job = m_pool->waitFor(m_pool->submit(request));
        return job ? std::move(job->result) : compile::CompileResult{};
    }

private Q_SLOTS:
    void initTestCase() {
        CompilePool::Options pool;
        pool.worker = options();
        pool.cacheFolder.clear();
        auto started = CompilePool::start(pool);
        VERIFY_OK(started);
        m_pool = std::move(*started);
        if (m_pool->compilerVersion(compile::Target::Cpu).empty()) QSKIP("no C++ compiler");
        DeviceClient::Options device;
        device.worker = options();
        auto client = DeviceClient::start(device);
        VERIFY_OK(client);
        m_device = std::move(*client);
    }

    void compilesOnceAndRuns() {
        const auto job = m_pool->submit(kernel(kTwice));
        m_pool->suspend();
        COMPARE_ERR(m_pool->waitFor(job), ErrorCode::Internal);
        m_pool->resume();
        auto done = m_pool->waitFor(job);
        VERIFY_OK(done);
        QVERIFY2(done->result.status == TrialStatus::Ok, done->result.log.c_str());
        QVERIFY(!done->result.cached && compiled(kernel(kTwice)).cached);

        auto loaded = m_device->load(done->result, shape());
        VERIFY_OK(loaded);
        QVERIFY2(loaded->first.status == TrialStatus::Ok, loaded->first.message.c_str());
        auto run = m_device->run(loaded->second.id, launch(), {.seed = 1}, 60s);
        VERIFY_OK(run);
        QVERIFY2(run->outcome.status == TrialStatus::Ok, run->outcome.message.c_str());
        QCOMPARE(run->outputs.size(), std::size_t{1});
        QCOMPARE(loadAsDouble(DType::Float32, run->outputs[0].data()), 6.0);
        QVERIFY(run->guardViolations.empty() && run->changedInputs.empty());

        bench::BenchOptions options;
        options.maxSamples = 10;
        options.maxWallSeconds = 1;
        options.warmupSeconds = options.maxWarmupSeconds = 0.01;
        const auto timed = m_device->bench(loaded->second.id, launch(), loaded->second.id, launch(), 1, options, 60s);
        VERIFY_OK(timed);
        QVERIFY2(timed->first.status == TrialStatus::Ok && !timed->second.candidateNs.empty(), timed->first.message.c_str());
        m_device->unload(loaded->second.id);
    }

    void errorsAreTold() {
        const auto result = compiled(kernel("no such thing"));
        QCOMPARE(word(result.status), word(TrialStatus::CompileError));
        QVERIFY2(result.log.find("k.cu") != std::string::npos, result.log.c_str());
    }

    void timeoutIsToldAndTheWorkerReplaced() {
        auto request = kernel(kTwice + "// another text");
        request.deadlineSeconds = 1e-6;
        QCOMPARE(word(compiled(request).status), word(TrialStatus::CompileTimeout));
        QCOMPARE(word(compiled(kernel(kTwice + "// a third text")).status), word(TrialStatus::Ok));
    }

    void badCandidates_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("status");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("endless") << QByteArray("volatile float* p = y; while (p[0] != 12345.0f) {}") << QByteArray("timeout") << QByteArray("killed");
        QTest::newRow("exit") << QByteArray("exit(3);") << QByteArray("runtime_error") << QByteArray("exit code 3");
        QTest::newRow("far outside") << QByteArray("y[1L << 40] = 1;") << QByteArray("runtime_error") << QByteArray("");
    }
    void badCandidates() {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, status);
        QFETCH(QByteArray, says);
        const auto object = compiled(kernel(body.toStdString()));
        QVERIFY2(object.status == TrialStatus::Ok, object.log.c_str());
        auto loaded = m_device->load(object, shape());
        VERIFY_OK(loaded);
        QVERIFY2(loaded->first.status == TrialStatus::Ok, loaded->first.message.c_str());
        auto run = m_device->run(loaded->second.id, launch(), {.seed = 1}, 2s);
        VERIFY_OK(run);
        QCOMPARE(word(run->outcome.status), status.toStdString());
        QVERIFY2(run->outcome.message.find(says.toStdString()) != std::string::npos, run->outcome.message.c_str());
        QVERIFY(run->outcome.workerReplaced);
    }

    void stopEndsAWait() {
        std::stop_source source;
        CompilePool::Options pool;
        pool.worker = options();
        pool.cacheFolder.clear();
        pool.stop = source.get_token();
        auto started = CompilePool::start(pool);
        VERIFY_OK(started);
        const auto job = (*started)->submit(kernel(kTwice + "// for the stop"));
        source.request_stop();
        COMPARE_ERR((*started)->waitFor(job), ErrorCode::Cancelled);
        QCOMPARE((*started)->inFlight(), std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestClients)
#include "tst_clients.moc"
