// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "base/file.h"
#include "commands.h"
#include "output.h"
#include "spec/spec.h"

namespace ww::cli {
namespace {

struct SpecFlags {
    std::string kernel, to;
};

int runSpec(const SpecFlags& flags) {
    const auto spec = spec::load(flags.kernel);
    if (!spec) return report(spec.error(), false);
    const std::string text = spec::toT1(*spec).dump(2) + "\n";
    for (const auto& note : spec->notes) std::cerr << "note: " << note << '\n';
    if (flags.to.empty()) {
        std::cout << text;
        return 0;
    }
    if (std::filesystem::exists(flags.to)) {
        return report({ErrorCode::Unreadable, "this file exists already; name another, or remove it first", flags.to}, false);
    }
    if (const auto written = writeFileAtomically(std::filesystem::absolute(flags.to), text); !written) return report(written.error(), false);
    std::cerr << "wrote " << flags.to << '\n';
    return 0;
}

}  // namespace

void addSpec(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<SpecFlags>();
    auto* command = app.add_subcommand("spec", "Write a T1 spec for a kernel to start from");
    command->add_option("kernel", flags->kernel, "Kernel source, spec or folder")->required();
    command->add_option("--to", flags->to, "File to write; stdout when left out");
    command->callback([flags, &exitCode] { exitCode = runSpec(*flags); });
}

}  // namespace ww::cli
