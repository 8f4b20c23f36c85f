// SPDX-License-Identifier: Apache-2.0
#include "result_test.h"
#include "worker/messages.h"

using namespace ww;
using namespace ww::worker;

namespace {

spec::ResolvedLaunch example() {
    spec::ResolvedLaunch launch;
    launch.grid = {7, 2, 1};
    launch.block = {32, 4, 2};
    launch.dynamicSharedBytes = 4096;
    spec::ResolvedArgument y;
    y.name = "y";
    y.type = DType::Half;
    y.access = spec::Access::WriteOnly;
    y.output = true;
    y.elements = 1000;
    spec::ResolvedArgument n;
    n.name = "n";
    n.type = DType::Int32;
    n.memory = spec::MemoryKind::Scalar;
    n.scalar = expr::Value(1000);
    spec::ResolvedArgument x;
    x.name = "x";
    x.elements = 5;
    x.fill = spec::Fill::Generator;
    x.fillValue = 0.1;
    x.generator = "i * 2";
    x.dataFile = "/data/x.bin";
    spec::ResolvedArgument texture;
    texture.name = "t";
    texture.memory = spec::MemoryKind::Texture;
    texture.elements = 24;
    texture.components = 2;
    texture.extents = {4, 3, 0};
    texture.sampling = {TextureFilter::Linear, TextureAddress::Border, TextureRead::NormalizedFloat, true};
    launch.arguments = {y, n, x, texture};
    return launch;
}

}  // namespace

class TestMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void launchComesBack() {
        const auto launch = example();
        const auto back = launchFromJson(Json::parse(toJson(launch).dump()));
        VERIFY_OK(back);
        QVERIFY(back->grid == launch.grid && back->block == launch.block);
        QCOMPARE(back->dynamicSharedBytes, launch.dynamicSharedBytes);
        QVERIFY(back->arguments == launch.arguments);
    }

    void outputsAreAligned() {
        QCOMPARE(arenaBytes(example()), std::size_t{2048});  // 1000 halves; inputs and scalars need no room
    }

    void outcomeComesBack() {
        const device::Outcome outcome{TrialStatus::LaunchError, "too many threads", true, 12};
        const auto back = outcomeFromJson(toJson(outcome));
        VERIFY_OK(back);
        QVERIFY(back->status == outcome.status && back->message == outcome.message && back->sticky && back->timeNs == 12);
    }

    void brokenLaunches_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("short grid") << QByteArray("/grid") << QByteArray("[1]");
        QTest::newRow("text for a number") << QByteArray("/shared") << QByteArray("\"much\"");
        QTest::newRow("no list") << QByteArray("/arguments") << QByteArray("7");
        QTest::newRow("unknown type") << QByteArray("/arguments/0/type") << QByteArray("\"int7\"");
        QTest::newRow("unknown kind") << QByteArray("/arguments/0/memory") << QByteArray("99");
    }
    void brokenLaunches() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        Json json = toJson(example());
        json[Json::json_pointer(key.toStdString())] = Json::parse(value.toStdString());
        COMPARE_ERR(launchFromJson(json), ErrorCode::WorkerFailed);
    }
};

QTEST_GUILESS_MAIN(TestMessages)
#include "tst_messages.moc"
