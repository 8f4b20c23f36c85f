// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/strategy.h"

namespace ww::policy {

/// Both sides of the module boundary must agree on it, since C++ objects cross: raised with every change of Strategy,
/// TorchModule, SearchSpace or what they hold.
inline constexpr std::string_view kTorchModuleInterface = "warpwright-torch/2 " WW_VERSION " g++ " __VERSION__;

/// Argument of a TorchScript reference: a flat tensor (float64, or int64 for integer types) or a plain number.
using ReferenceInput = std::variant<std::vector<double>, std::vector<std::int64_t>, double, std::int64_t>;

/// The part of Warpwright that links LibTorch, a shared object (libwarpwright-torch.so beside the executables or in
/// ../lib/warpwright) opened on first use. Thread-safe to open; its objects belong to the thread that made them.
class TorchModule {
public:
    virtual ~TorchModule() = default;
    /// "LibTorch 1.13.1"
    [[nodiscard]] virtual std::string version() const = 0;
    /// `name` is what the strategy answers in name(): "ppo" or "warp".
    [[nodiscard]] virtual Result<std::unique_ptr<Strategy>> makePpo(std::string_view name, const space::SearchSpace& space,
                                                                    const StrategyOptions& options) = 0;
    /// Compiles `source` (a TorchScript `def name(...)`), calls its only function with `inputs` in order, and returns the
    /// outputs flattened as float64. Errors: InvalidSpec with TorchScript's own message.
    [[nodiscard]] virtual Result<std::vector<std::vector<double>>> evaluate(const std::string& source,
                                                                            const std::vector<ReferenceInput>& inputs) = 0;
};

/// Opens it once per process. Errors: EnvironmentMissing (not built, LibTorch missing, another version), with what to do.
[[nodiscard]] Result<TorchModule*> torchModule();
/// Whether it could be opened, without opening it (the file is there).
[[nodiscard]] bool torchModulePresent();

}  // namespace ww::policy
