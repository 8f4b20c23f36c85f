// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "commands.h"

int main(int argc, char** argv) {
    CLI::App app{"Warpwright tunes GPU kernels and shows its work.", "warpwright-cli"};
    app.set_version_flag("--version", std::string("warpwright-cli ") + WW_VERSION);
    app.require_subcommand(1);
    app.footer("Exit codes: 0 done, 1 the kernel or input is at fault, 2 usage, 3 the environment is at fault, 130 interrupted.");

    int exitCode = 0;
    ww::cli::addTune(app, exitCode);
    ww::cli::addSpace(app, exitCode);
    ww::cli::addBench(app, exitCode);
    ww::cli::addProfile(app, exitCode);
    ww::cli::addVerify(app, exitCode);
    ww::cli::addEncode(app, exitCode);
    ww::cli::addSource(app, exitCode);
    ww::cli::addSpec(app, exitCode);
    ww::cli::addLogCommands(app, exitCode);
    ww::cli::addEnvironment(app, exitCode);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : 2;
    }
    return exitCode;
}
