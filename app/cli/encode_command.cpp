// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "commands.h"
#include "encode/encode.h"
#include "engine/session.h"
#include "output.h"

namespace ww::cli {
namespace {

struct EncodeFlags {
    std::string kernel, device = "auto";
    bool json = false;
};

int runEncode(const EncodeFlags& flags) {
    const auto device = engine::findDevice(flags.device);
    if (!device) return report(device.error(), flags.json);
    const auto spec = spec::load(flags.kernel);
    if (!spec) return report(spec.error(), flags.json);
    const auto model = source::loadCuda(spec->kernelFile);
    if (!model) return report(model.error(), flags.json);
    encode::Inputs inputs;
    inputs.source = &*model;
    inputs.entry = spec->kernelName;
    inputs.device = &*device;
    const auto state = encode::encode(inputs);
    const auto& table = encode::elements();
    if (flags.json) {
        Json elements = Json::array();
        for (std::size_t i = 0; i < table.size(); ++i) {
            elements.push_back({{"index", i}, {"name", table[i].name}, {"value", state[i]}, {"source", table[i].source}});
        }
        printJson({{"kernel", spec->name}, {"device", device->name}, {"elements", elements}});
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
    command->add_flag("--json", flags->json, "One JSON document on stdout");
    command->callback([flags, &exitCode] { exitCode = runEncode(*flags); });
}

}  // namespace ww::cli
