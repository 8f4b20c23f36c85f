// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"
#include "result_test.h"

using ww::device::DeviceFacts;

class TestDeviceFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void survivesJson() {
        DeviceFacts facts;
        facts.kind = ww::device::DeviceKind::Cuda;
        facts.name = "NVIDIA Test";
        facts.ccMajor = 9;
        facts.l2Bytes = std::int64_t{50} << 20;
        facts.laptop = true;
        const auto back = DeviceFacts::fromJson(facts.toJson());
        VERIFY_OK(back);
        QCOMPARE(back->toJson().dump(), facts.toJson().dump());
        QCOMPARE(back->l2Bytes, facts.l2Bytes);
    }

    void brokenJsonIsAnError() {
        COMPARE_ERR(DeviceFacts::fromJson(ww::Json::object()), ww::ErrorCode::InvalidArgument);
        COMPARE_ERR(DeviceFacts::fromJson(ww::Json{{"kind", "cpu"}, {"processors", "two"}}), ww::ErrorCode::InvalidArgument);
    }

    void everyNamedFactIsAnInteger() {
        DeviceFacts facts;
        facts.ccMajor = 8;
        facts.ccMinor = 6;
        ww::expr::Scope scope;
        facts.addTo(scope);
        for (const std::string& name : DeviceFacts::factNames()) {
            const auto* value = scope.find(name);
            QVERIFY2(value != nullptr && value->isInt(), name.c_str());
        }
        QCOMPARE(scope.names().size(), DeviceFacts::factNames().size());
        QVERIFY(*scope.find("cc") == ww::expr::Value(86));
        QVERIFY(*scope.find("is_cpu") == ww::expr::Value(1));
    }

    void cpuIsDescribed() {
        const DeviceFacts facts = ww::device::cpuFacts();
        QVERIFY(facts.kind == ww::device::DeviceKind::Cpu);
        QVERIFY(QByteArray::fromStdString(facts.uuid).startsWith("CPU-"));
        QCOMPARE(facts.uuid, ww::device::cpuFacts().uuid);
        QVERIFY(facts.name.find("core") != std::string::npos);
        QVERIFY(facts.processors >= 1);
        QVERIFY(facts.memoryBytes > 0);
        QVERIFY(facts.sharedPerBlockOptin >= facts.sharedPerBlock);
    }
};

QTEST_GUILESS_MAIN(TestDeviceFacts)
#include "tst_device_facts.moc"
