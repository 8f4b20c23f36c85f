// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ww::cli {

/// Registers a subcommand; `exitCode` receives what the process shall end with when the subcommand runs.
void addTune(CLI::App& app, int& exitCode);
void addSpace(CLI::App& app, int& exitCode);
void addBench(CLI::App& app, int& exitCode);
void addProfile(CLI::App& app, int& exitCode);
void addVerify(CLI::App& app, int& exitCode);
void addEncode(CLI::App& app, int& exitCode);
void addSource(CLI::App& app, int& exitCode);
void addSpec(CLI::App& app, int& exitCode);
void addLogCommands(CLI::App& app, int& exitCode);  ///< sessions, trials, top, show
void addEnvironment(CLI::App& app, int& exitCode);  ///< devices, doctor

}  // namespace ww::cli
