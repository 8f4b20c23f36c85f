// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "base/file.h"
#include "base/units.h"
#include "commands.h"
#include "engine/doctor.h"
#include "engine/session.h"
#include "output.h"

namespace ww::cli {
namespace {

int runDevices(bool json) {
    const auto devices = engine::listDevices();
    if (json) {
        Json list = Json::array();
        for (const auto& device : devices) list.push_back(device.toJson());
        printJson({{"devices", list}});
        return 0;
    }
    Table table({"name", "kind", "device", ">processors", ">memory", "driver", "uuid"});
    for (const auto& device : devices) {
        const bool cuda = device.kind == device::DeviceKind::Cuda;
        table.add({cuda ? "cuda:" + std::to_string(device.index) : "cpu", device.architecture, device.name, std::to_string(device.processors),
                   device.memoryBytes > 0 ? formatBytes(static_cast<std::uint64_t>(device.memoryBytes)) : "\u2014", device.driver, device.uuid});
    }
    table.print();
    return 0;
}

int runDoctor(bool json) {
    const auto findings = engine::examine();
    bool blocked = false;
    for (const auto& finding : findings) blocked = blocked || finding.health == engine::Health::Broken;
    if (json) {
        Json list = Json::array();
        for (const auto& finding : findings) {
            list.push_back({{"part", finding.part}, {"state", engine::toString(finding.health)}, {"found", finding.found}, {"costs", finding.costs}, {"remedy", finding.remedy}});
        }
        printJson({{"version", WW_VERSION}, {"parts", list}});
        return blocked ? 3 : 0;
    }
    for (const auto& finding : findings) {
        const char* colour = finding.health == engine::Health::Good ? "green" : finding.health == engine::Health::Missing ? "yellow" : "red";
        const char* mark = finding.health == engine::Health::Good ? "ok      " : finding.health == engine::Health::Missing ? "missing " : "broken  ";
        std::cout << paint(mark, colour) << finding.part << ": " << finding.found << '\n';
        if (finding.health == engine::Health::Good) continue;
        std::cout << "        " << finding.costs << '\n';
        if (!finding.remedy.empty()) std::cout << "        " << paint("remedy: ", "bold") << finding.remedy << '\n';
    }
    return blocked ? 3 : 0;
}

}  // namespace

void addEnvironment(CLI::App& app, int& exitCode) {
    auto devicesJson = std::make_shared<bool>(false);
    auto* devices = app.add_subcommand("devices", "List the devices of this machine");
    devices->add_flag("--json", *devicesJson, "One JSON document on stdout");
    devices->callback([devicesJson, &exitCode] { exitCode = runDevices(*devicesJson); });

    auto doctorJson = std::make_shared<bool>(false);
    auto* doctor = app.add_subcommand("doctor", "Say what was found on this machine, and what each missing part costs");
    doctor->add_flag("--json", *doctorJson, "One JSON document on stdout");
    doctor->callback([doctorJson, &exitCode] { exitCode = runDoctor(*doctorJson); });
}

}  // namespace ww::cli
