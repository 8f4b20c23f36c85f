// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "commands.h"
#include "engine/verify_configuration.h"
#include "output.h"

namespace ww::cli {
namespace {

struct VerifyFlags {
    engine::SessionOptions session;
    std::string spec, configuration;
    bool json = false;
};

std::string numberText(const Json& number) {
    if (number.is_string()) return number.get<std::string>();
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", number.get<double>());
    return text;
}

std::string sizesText(const Json& check) {
    std::string text;
    if (!check.contains("sizes")) return text;
    for (const auto& [name, size] : check["sizes"].items()) text += (text.empty() ? "" : " ") + name + "=" + size.dump();
    return text;
}

/// The output of a check that is worst placed against its bound; none where nothing was compared.
const Json* worstOutput(const Json& check) {
    if (!check.contains("outputs")) return nullptr;
    const Json* worst = nullptr;
    for (const auto& output : check["outputs"]) {
        if (worst == nullptr || (!output["pass"].get<bool>() && (*worst)["pass"].get<bool>())) worst = &output;
    }
    return worst;
}

void addRow(Table& table, const Json& check) {
    const bool passed = check["passed"].get<bool>();
    std::string worst, ulps, error, type;
    if (const Json* output = worstOutput(check)) {
        type = (*output)["type"].get<std::string>();
        error = numberText((*output)["relative_l2"]);
        if (output->contains("worst")) {
            const Json& element = (*output)["worst"];
            worst = (*output)["output"].get<std::string>() + "[" + element["index"].dump() + "]: got " + numberText(element["got"]) + ", want " +
                    numberText(element["want"]);
            ulps = numberText(element["ulps"]);
        }
    }
    table.add({passed ? paint("ok", "green") : paint("WRONG", "red"), check["workload"].get<std::string>(), sizesText(check), check["family"].get<std::string>(),
               check["seed"].dump(), std::to_string(check["launches"].get<int>()), type, error, worst, ulps});
}

int runVerify(VerifyFlags& flags) {
    flags.session.specPath = flags.spec;
    const auto document = engine::verifyConfiguration(flags.session, flags.configuration);
    if (!document) return report(document.error(), flags.json);
    const bool correct = (*document)["correct"].get<bool>();
    if (flags.json) {
        printJson(*document);
        return correct ? 0 : 1;
    }
    std::cout << (*document)["kernel"].get<std::string>() << " on " << (*document)["device"]["name"].get<std::string>() << ", against "
              << (*document)["reference"].get<std::string>() << "\n" << configText((*document)["config"]) << "\n\n";
    Table table({"", "workload", "sizes", "inputs", ">seed", ">launches", "type", ">rel. L2", "worst element", ">ULP"});
    for (const auto& check : (*document)["checks"]) addRow(table, check);
    table.print();
    for (const auto& note : (*document)["notes"]) std::cout << "note: " << note.get<std::string>() << "\n";
    if (const Json& gradient = (*document)["gradient"]; !gradient.is_null()) {
        std::cout << "gradient check: error " << numberText(gradient["error"].is_null() ? Json("nan") : gradient["error"]) << "\n";
    }
    if (correct) std::cout << "\ncorrect in " << (*document)["checks"].size() << " checks\n";
    else std::cout << "\n" << (*document)["status"].get<std::string>() << ": " << (*document)["message"].get<std::string>() << "\n";
    return correct ? 0 : 1;
}

}  // namespace

void addVerify(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<VerifyFlags>();
    auto* command = app.add_subcommand("verify", "Check one configuration on every shape, family of inputs and type, against the reference");
    command->add_option("spec", flags->spec, "Spec file, folder or kernel source")->required();
    command->add_option("--config", flags->configuration, "P=V,..; missing parameters take their defaults");
    command->add_option("--device", flags->session.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
    command->add_option("--workload", flags->session.workload, "Workload to check beside the edge shapes");
    command->add_option("--seed", flags->session.seed, "Of the known inputs; drawn where not given. Hidden shapes and their seed are always drawn");
    command->add_flag("--no-sandbox", flags->session.allowNoSandbox, "Consent to run without isolation where it cannot be had");
    command->add_flag("--json", flags->json, "One JSON document on stdout");
    command->footer("Exit code 1 where the configuration is wrong.");
    command->callback([flags, &exitCode] { exitCode = runVerify(*flags); });
}

}  // namespace ww::cli
