// SPDX-License-Identifier: Apache-2.0
#include <QtCore/QCoreApplication>
#include <algorithm>
#include <filesystem>

#include "device/device.h"
#include "result_test.h"
#include "sandbox/counter_permission.h"
#include "sandbox/launch_plan.h"
#include "worker/profile_client.h"

using namespace ww;
using namespace ww::worker;

namespace {

sandbox::WorkerOptions options(const std::string& device) {
    sandbox::WorkerOptions options;
    options.role = sandbox::Role::Profile;
    options.device = device;
    options.program = WORKER;
    return options;
}

}  // namespace

class TestProfileClient : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void takesCudaDevicesOnly() {
        for (const char* name : {"cpu", "cuda", "cuda:x", ""}) {
            ProfileClient::Options wanted;
            wanted.worker = options(name);
            const auto started = ProfileClient::start(wanted);
            COMPARE_ERR(started, ErrorCode::InvalidArgument);
            QVERIFY2(started.error().message.find("profile worker; use cuda:N") != std::string::npos, started.error().message.c_str());
        }
    }

    void runsWithoutAUserNamespace() {
        // Even where the best level is asked for: the counters need what a user namespace takes away.
        auto wanted = options("cuda:0");
        wanted.level = sandbox::Level::Bubblewrap;
        const auto plan = sandbox::planLaunch(wanted);
        VERIFY_OK(plan);
        std::error_code ignored;
        std::filesystem::remove_all(plan->scratch, ignored);
        const auto& arguments = plan->spawn.arguments;
        const auto after = [&](const char* option) {
            const auto found = std::find(arguments.begin(), arguments.end(), option);
            return found == arguments.end() || found + 1 == arguments.end() ? std::string() : *(found + 1);
        };
        QCOMPARE(arguments.front(), std::filesystem::canonical(WORKER).string());
        QCOMPARE(after("--role"), std::string("profile"));
        QCOMPARE(after("--device"), std::string("cuda:0"));
        QCOMPARE(after("--sandbox"), std::string("none"));
        // Root is kept only where the driver gives counters to nobody else.
        if (sandbox::countersNeedAdmin()) QCOMPARE(after("--drop-to"), std::string("0"));
        QVERIFY(!plan->scratch.empty());
    }

    void aMachineWithoutAGpuSaysSo() {
        if (!device::listCudaDevices().empty()) QSKIP("this machine has a GPU");
        ProfileClient::Options wanted;
        wanted.worker = options("cuda:0");
        const auto started = ProfileClient::start(wanted);
        COMPARE_ERR(started, ErrorCode::EnvironmentMissing);
        QVERIFY(!started.error().message.empty());
    }

    void aStopIsHeard() {
        std::stop_source stop;
        stop.request_stop();
        ProfileClient::Options wanted;
        wanted.worker = options("cuda:0");
        wanted.stop = stop.get_token();
        COMPARE_ERR(ProfileClient::start(wanted), ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestProfileClient)
#include "tst_profile_client.moc"
