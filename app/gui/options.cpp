// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <regex>

#include "bridge/text.h"

namespace ww::gui {

namespace {

std::optional<QSize> sizeFrom(const std::string& text) {
    std::smatch match;
    if (!std::regex_match(text, match, std::regex("([0-9]{2,5})x([0-9]{2,5})"))) return std::nullopt;
    return QSize(std::stoi(match[1]), std::stoi(match[2]));
}

}  // namespace

Parsed parseOptions(int argc, char** argv) {
    Parsed parsed;
    Options& options = parsed.options;
    std::string open, size, theme, language, screenshot, stored, database;
    CLI::App app{"Warpwright: tunes GPU kernels and shows its work", "warpwright"};
    app.set_version_flag("--version", WW_VERSION);
    app.add_option("kernel,--open", open, "Kernel source, spec or its folder");
    app.add_flag("--start", options.start, "Start tuning at once")->needs("--open");
    auto* trials = app.add_option("--trials", options.session.trials, "Budget in trials")->check(CLI::Range(1, 1000000));
    auto* device = app.add_option("--device", options.session.device, "auto | cpu | cuda[:N]");
    app.add_option("--strategy", options.session.strategy, "Strategy: warp, ppo, random, exhaustive");
    app.add_option("--workload", options.session.workload, "Workload to tune");
    app.add_option("--objective", options.session.objective, "Objective, else the spec's");
    app.add_option("--db", database, "Database file");
    app.add_option("--session", stored, "Look at a stored session: its id or 'last'")->excludes("--start");
    app.add_flag("--no-sandbox", options.session.allowNoSandbox, "Consent to running candidates without isolation");
    app.add_option("--window-size", size, "WIDTHxHEIGHT in pixels")->check([](const std::string& text) {
        return sizeFrom(text) ? std::string() : "is not WIDTHxHEIGHT, such as 1600x1000";
    });
    app.add_option("--theme", theme, "light | dark | system")->check(CLI::IsMember({"light", "dark", "system"}));
    app.add_option("--language", language, "en | zh_CN")->check(CLI::IsMember({"en", "zh_CN"}));
    app.add_option("--screenshot", screenshot, "Write a picture of the window, and FILE.json, when the session has ended");
    app.add_flag("--quit-when-done", options.quitWhenDone, "Quit when the session has ended");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 reports help, version and usage by exception; usage errors are exit code 2 by contract.
        const int code = app.exit(error);
        parsed.leave = true;
        parsed.exitCode = code == 0 ? 0 : 2;
        return parsed;
    }
    options.open = ui::toQt(open);
    options.storedSession = ui::toQt(stored);
    options.windowSize = size.empty() ? std::nullopt : sizeFrom(size);
    if (!theme.empty()) options.theme = ui::themeFrom(ui::toQt(theme));
    options.language = ui::toQt(language);
    options.screenshot = ui::toQt(screenshot);
    options.session.database = database;
    options.trialsGiven = trials->count() > 0;
    options.deviceGiven = device->count() > 0;
    return parsed;
}

}  // namespace ww::gui
