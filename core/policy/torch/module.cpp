// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "policy/ppo/ppo_strategy.h"
#include "policy/torch/actor_critic.h"
#include "policy/torch/script_reference.h"
#include "policy/torch/torch_runtime.h"
#include "policy/torch_module.h"

namespace ww::policy {

namespace {

class Module final : public TorchModule {
public:
    Module() { limitTorchThreads(); }

    std::string version() const override { return torchVersion(); }

    Result<std::unique_ptr<Strategy>> makePpo(std::string_view name, const space::SearchSpace& space,
                                              const StrategyOptions& options) override {
        WW_TRY(network, makeTorchActorCritic(options.seed, PpoParameters{}));
        return std::unique_ptr<Strategy>(
            std::make_unique<PpoStrategy>(std::string(name), space, options, PpoParameters{}, std::move(network)));
    }

    Result<std::vector<std::vector<double>>> evaluate(const std::string& source, const std::vector<ReferenceInput>& inputs) override {
        return evaluateScript(source, inputs);
    }
};

} // namespace

} // namespace ww::policy

/// The only symbol that the module shows. nullptr where the program was built against another interface.
extern "C" __attribute__((visibility("default"))) ww::policy::TorchModule* warpwrightTorchModule(const char* interface) {
    if (std::string_view(interface) != ww::policy::kTorchModuleInterface) return nullptr;
    static ww::policy::Module module;
    return &module;
}
