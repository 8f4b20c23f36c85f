// SPDX-License-Identifier: Apache-2.0
#include "engine/doctor.h"

#include <unistd.h>

#include "base/file.h"
#include "compile/compile.h"
#include "device/device.h"
#include "policy/torch_module.h"
#include "sandbox/worker_process.h"
#include "store/trial_log.h"

namespace ww::engine {
namespace {

Finding examineWorker() {
    sandbox::WorkerOptions options;
    options.level = sandbox::availability().level;
    if (auto started = sandbox::WorkerProcess::start(options)) {
        return {"worker", Health::Good, "warpwright-worker " + (*started)->greeting().value("version", std::string("starts")), {}, {}};
    } else {
        return {"worker", Health::Broken, started.error().message, "nothing can be compiled or run", "run ./run.sh --build-only"};
    }
}

Finding examineSandbox() {
    const auto& available = sandbox::availability();
    if (available.level == sandbox::Level::Bubblewrap) return {"sandbox", Health::Good, available.version, {}, {}};
    return {"sandbox", Health::Missing, available.reason, "candidates run without isolation, and only after --no-sandbox", "install the package bubblewrap"};
}

Finding examineHostCompiler() {
    const auto folder = std::filesystem::temp_directory_path().string();
    if (auto compiler = compile::makeHostCompiler(folder)) return {"C++ compiler", Health::Good, (*compiler)->version(), {}, {}};
    else return {"C++ compiler", Health::Missing, compiler.error().message, "the CPU device cannot compile kernels", "install the package g++"};
}

Finding examineTorch() {
    if (!policy::torchModulePresent()) {
        return {"LibTorch", Health::Missing, "the module is not built", "no ppo or warp strategy (use --strategy random) and no TorchScript references",
                "install libtorch-dev and build again"};
    }
    if (auto torch = policy::torchModule()) return {"LibTorch", Health::Good, (*torch)->version(), {}, {}};
    else return {"LibTorch", Health::Missing, torch.error().message, "no ppo or warp strategy and no TorchScript references", "install libtorch-dev and build again"};
}

Finding examineNvrtc() {
    if (auto nvrtc = compile::makeNvrtcCompiler()) return {"NVRTC", Health::Good, (*nvrtc)->version(), {}, {}};
    else return {"NVRTC", Health::Missing, nvrtc.error().message, "CUDA kernels cannot be compiled for a GPU", "install the CUDA Toolkit 12.6 or newer"};
}

Finding examineGpus() {
    const auto gpus = device::listCudaDevices();
    if (gpus.empty()) {
        return {"GPU", Health::Missing, "no CUDA device", "kernels are tuned on the CPU device: its times are this CPU's times", "install the NVIDIA driver on a machine with a GPU"};
    }
    std::string names;
    for (const auto& gpu : gpus) names += (names.empty() ? "" : ", ") + gpu.name + " (" + gpu.architecture + ", " + gpu.driver + ")";
    return {"GPU", Health::Good, names, {}, {}};
}

Finding examineDatabase() {
    const auto file = store::defaultDatabase();
    auto folder = file.parent_path();
    while (!folder.empty() && !std::filesystem::exists(folder)) folder = folder.parent_path();
    if (::access(folder.c_str(), W_OK) != 0) {
        return {"trial log", Health::Broken, folder.string() + " cannot be written", "sessions cannot be stored", "name another file with --db"};
    }
    return {"trial log", Health::Good, file.string(), {}, {}};
}

}  // namespace

std::string_view toString(Health health) noexcept {
    switch (health) {
    case Health::Good: return "ok";
    case Health::Missing: return "missing";
    case Health::Broken: return "broken";
    }
    return "broken";
}

std::vector<Finding> examine() {
    return {examineWorker(), examineSandbox(), examineHostCompiler(), examineTorch(), examineGpus(), examineNvrtc(), examineDatabase()};
}

}  // namespace ww::engine
