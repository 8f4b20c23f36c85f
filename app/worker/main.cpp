// SPDX-License-Identifier: Apache-2.0
// The sandboxed worker. The engine starts it; nobody else has use for it.
#include <sched.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>

#include "compile/compile.h"
#include "device/device.h"
#include "sandbox/channel.h"
#include "sandbox/confinement.h"
#include "worker/server.h"

using namespace ww;

namespace {

struct Options {
    std::string role, device = "cpu", sandbox = "none";
    int arenaFd = -1;
    unsigned dropTo = 0;
};

int report(const Error& error) {
    std::fprintf(stderr, "warpwright-worker: %s\n", error.toString().c_str());
    return exitCodeFor(error.code);
}

/// Cores this process may use: the engine has set the affinity.
int usableCores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

Result<void> serveCompiles(sandbox::Channel& channel) {
    worker::Compilers compilers;
    if (auto cpu = compile::makeHostCompiler(std::filesystem::temp_directory_path().string())) compilers.cpu = std::move(*cpu);
    else compilers.cpuMissing = cpu.error().toString();
    if (auto cuda = compile::makeNvrtcCompiler()) compilers.cuda = std::move(*cuda);
    else compilers.cudaMissing = cuda.error().toString();
    return worker::serveCompiles(channel, compilers);
}

Result<std::unique_ptr<device::Device>> makeDevice(const std::string& name) {
    if (name == "cpu") return device::makeCpuDevice(usableCores());
    return device::makeCudaDevice(std::stoi(name.substr(name.find(':') + 1)));
}

Result<void> serve(const Options& options, sandbox::Channel& channel) {
    if (options.role == "compile") return serveCompiles(channel);
    auto device = makeDevice(options.device);
    if (!device) return channel.greetWith(device.error());
    return options.role == "profile" ? worker::serveProfile(channel, **device) : worker::serveDevice(channel, **device);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Compiles and runs kernels for warpwright, in a sandbox; started by it");
    Options options;
    app.set_version_flag("--version", std::string("warpwright-worker ") + WW_VERSION);
    app.add_option("--role", options.role)->required()->check(CLI::IsMember({"compile", "device", "profile"}));
    app.add_option("--device", options.device)->check([](const std::string& name) {
        const bool good = name == "cpu" || (name.starts_with("cuda:") && name.size() > 5 && name.size() < 10 &&
                                            name.find_first_not_of("0123456789", 5) == std::string::npos);
        return good ? std::string() : "a device is cpu or cuda:N, not " + name;
    });
    app.add_option("--arena-fd", options.arenaFd)->required();
    app.add_option("--sandbox", options.sandbox)->check(CLI::IsMember({"bubblewrap", "none"}));
    app.add_option("--drop-to", options.dropTo);
    CLI11_PARSE(app, argc, argv);

    const bool cuda = options.role != "compile" && options.device != "cpu";
    const auto confined = sandbox::confine({options.dropTo, options.sandbox == "bubblewrap", cuda});
    auto channel = sandbox::Channel::open(options.arenaFd);
    if (!channel) return report(channel.error());
    const auto served = confined ? serve(options, **channel) : (*channel)->greetWith(confined.error());
    return served ? 0 : report(served.error());
}
