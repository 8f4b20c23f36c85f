// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "commands.h"
#include "engine/encode_kernel.h"
#include "output.h"

namespace ww::cli {
namespace {

struct EncodeFlags {
    std::string kernel, device = "auto", architecture = "sm_90a";
    bool json = false, allowNoSandbox = false;
};

int runEncode(const EncodeFlags& flags) {
    const auto device = engine::findDevice(flags.device);
    if (!device) return report(device.error(), flags.json);
    const auto encoded = engine::encodeKernel(flags.kernel, *device, flags.architecture, flags.allowNoSandbox);
    if (!encoded) return report(encoded.error(), flags.json);
    for (const auto& note : encoded->notes) std::cerr << "note: " << note << '\n';
    const auto& state = encoded->state;
    const auto& table = encode::elements();
    if (flags.json) {
        Json elements = Json::array();
        for (std::size_t i = 0; i < table.size(); ++i) {
            elements.push_back({{"index", i}, {"name", table[i].name}, {"value", state[i]}, {"source", table[i].source}});
        }
        printJson({{"kernel", flags.kernel}, {"device", device->name}, {"elements", elements}});
        return 0;
    }
    Table rows({">#", "element", ">value", "source"});
    for (std::size_t i = 0; i < table.size(); ++i) {
        char value[32];
        std::snprintf(value, sizeof value, "%.3f", static_cast<double>(state[i]));
        rows.add({std::to_string(i), std::string(table[i].name), value, std::string(table[i].source)});
    }
    rows.print();
    return 0;
}

}  // namespace

void addEncode(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<EncodeFlags>();
    auto* command = app.add_subcommand("encode", "The 128 state elements of a kernel, with names and values");
    command->add_option("kernel", flags->kernel, "Spec file, folder or kernel source")->required();
    command->add_option("--device", flags->device, "Whose facts are encoded")->capture_default_str();
    command->add_option("--arch", flags->architecture, "Compiled for this where the device is no GPU; needs the toolkit, but no GPU")->capture_default_str();
    command->add_flag("--no-sandbox", flags->allowNoSandbox, "Consent to compile without isolation where it cannot be had");
    command->add_flag("--json", flags->json, "One JSON document on stdout");
    command->callback([flags, &exitCode] { exitCode = runEncode(*flags); });
}

}  // namespace ww::cli
