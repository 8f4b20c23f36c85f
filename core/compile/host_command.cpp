// SPDX-License-Identifier: Apache-2.0
#include "compile/host_command.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "compile/host_process.h"

namespace ww::compile {

namespace {

constexpr std::chrono::seconds kVersionDeadline{20};

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> list;
    for (std::string word; stream >> word;) list.push_back(word);
    return list;
}

/// nvcc and NVRTC options whose value is the next word.
bool takesNextWord(std::string_view option) {
    static constexpr std::array kOptions{"-Xptxas", "--ptxas-options", "-Xcompiler", "--compiler-options", "-Xcudafe", "-Xnvlink", "-arch",
                                         "--gpu-architecture", "-gencode", "--generate-code", "-code", "-maxrregcount", "--maxrregcount",
                                         "-o", "--output-file", "-ccbin", "-x", "-t", "--threads"};
    return std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end();
}

void addDefine(HostOptions& result, std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        result.defines.emplace_back(text, "1");
    } else {
        result.defines.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
}

/// --use_fast_math means approximate division and square roots and flushed denormals. g++'s -ffast-math would also assume that
/// no infinities occur (softmax starts from one) and set the whole process's floating-point mode when the module is loaded.
const std::vector<std::string> kFastMath{"-freciprocal-math", "-fno-signed-zeros"};

bool translateKnown(std::string_view option, HostOptions& result) {
    if (option == "--use_fast_math" || option == "-use_fast_math" || option == "-ffast-math") {
        result.flags.insert(result.flags.end(), kFastMath.begin(), kFastMath.end());
        return true;
    }
    if (option == "--fmad=false" || option == "-fmad=false") {
        result.flags.emplace_back("-ffp-contract=off");
        return true;
    }
    if (option == "--fmad=true" || option == "-fmad=true") return true;
    for (const std::string_view prefix : {"-std=", "--std="}) {
        if (!option.starts_with(prefix)) continue;
        const std::string_view standard = option.substr(prefix.size());
        const bool known = standard == "c++17" || standard == "c++20" || standard == "c++23" || standard.starts_with("gnu++");
        result.flags.push_back("-std=" + std::string(known ? standard : "c++17"));  // our header needs C++17
        return true;
    }
    return false;
}

/// g++ options that change code, and nothing that names files, plugins, programs or the link.
bool isPlainFlag(std::string_view option) {
    if (option.size() == 3 && option.starts_with("-O")) return true;
    if (option == "-Ofast") return false;
    if (option.starts_with("-W")) return !option.starts_with("-Wl,") && !option.starts_with("-Wa,") && !option.starts_with("-Wp,");
    if (!option.starts_with("-f") && !option.starts_with("-m")) return false;
    static constexpr std::array kRefused{"-fplugin", "-fdump", "-fprofile", "-ftest-coverage", "-fsanitize", "-flto", "-fuse-ld",
                                         "-fauto-profile", "-fno-exceptions", "-fopt-info", "-fvisibility", "-ftime-report",
                                         "-fcall-graph", "-ftz", "-m16", "-m32", "-mx32", "-maxrregcount"};
    return std::none_of(kRefused.begin(), kRefused.end(), [option](const char* prefix) { return option.starts_with(prefix); });
}

}  // namespace

Result<HostTool> findHostTool(const std::string& scratchFolder) {
    std::vector<std::vector<std::string>> candidates;
    if (const char* chosen = std::getenv("CXX"); chosen != nullptr && *chosen != '\0') candidates.push_back(words(chosen));
    for (const char* name : {"c++", "g++", "clang++"}) candidates.push_back({name});
    for (const auto& command : candidates) {
        auto asked = command;
        asked.emplace_back("--version");
        auto answer = runProcess(asked, scratchFolder, kVersionDeadline);
        if (!answer || answer->exitCode != 0) continue;
        HostTool tool;
        tool.command = command;
        tool.version = answer->output.substr(0, answer->output.find('\n'));
        tool.clang = answer->output.find("clang") != std::string::npos;
        // Debian's c++ is g++ under another name; say what it is.
        if (tool.version.starts_with("c++ ")) tool.version.replace(0, 3, tool.clang ? "clang++" : "g++");
        return tool;
    }
    return fail(ErrorCode::EnvironmentMissing,
                "no C++ compiler was found ($CXX, c++, g++, clang++); the CPU device needs one: install the package g++");
}

HostOptions translateOptions(const std::vector<std::string>& options) {
    HostOptions result;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string_view option = options[i];
        const auto value = [&](std::size_t prefix) -> std::string_view {
            if (option.size() > prefix) return option.substr(prefix);
            return i + 1 < options.size() ? std::string_view(options[++i]) : std::string_view{};
        };
        if (option.starts_with("-D")) {
            addDefine(result, value(2));
        } else if (option.starts_with("--define-macro=")) {
            addDefine(result, option.substr(15));
        } else if (option.starts_with("-U")) {
            result.undefines.emplace_back(value(2));
        } else if (option.starts_with("-I")) {
            result.includeFolders.emplace_back(value(2));
        } else if (option.starts_with("--include-path=")) {
            result.includeFolders.emplace_back(option.substr(15));
        } else if (translateKnown(option, result)) {
            continue;
        } else if (isPlainFlag(option)) {
            result.flags.emplace_back(option);
        } else {
            std::string dropped(option);
            if (takesNextWord(option) && i + 1 < options.size()) dropped += " " + options[++i];
            result.dropped.push_back(std::move(dropped));
        }
    }
    return result;
}

}  // namespace ww::compile
