// SPDX-License-Identifier: Apache-2.0
#include "policy/torch/script_names.h"

#include <torch/csrc/jit/frontend/sugared_value.h>

#include <limits>
#include <map>
#include <numbers>

namespace ww::policy {

namespace {

using torch::jit::GraphFunction;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;

using Constants = std::map<std::string, c10::IValue, std::less<>>;

const Constants& numbersOfPython() {
    static const Constants constants{{"pi", std::numbers::pi},
                                     {"e", std::numbers::e},
                                     {"inf", std::numeric_limits<double>::infinity()},
                                     {"nan", std::numeric_limits<double>::quiet_NaN()}};
    return constants;
}

/// TorchScript writes a dtype as its number.
const Constants& constantsOfTorch() {
    static const Constants constants = [] {
        Constants all = numbersOfPython();
        const auto add = [&](at::ScalarType type, std::initializer_list<const char*> names) {
            for (const char* name : names)
                all.emplace(name, static_cast<std::int64_t>(type));
        };
        add(at::kBool, {"bool"});
        add(at::kByte, {"uint8"});
        add(at::kChar, {"int8"});
        add(at::kShort, {"int16", "short"});
        add(at::kInt, {"int32", "int"});
        add(at::kLong, {"int64", "long"});
        add(at::kHalf, {"float16", "half"});
        add(at::kBFloat16, {"bfloat16"});
        add(at::kFloat, {"float32", "float"});
        add(at::kDouble, {"float64", "double"});
        return all;
    }();
    return constants;
}

/// A module of operators that has constants as well.
class ModuleWithConstants final : public torch::jit::BuiltinModule {
public:
    explicit ModuleWithConstants(const Constants& constants) : BuiltinModule("aten"), m_constants(constants) {}

    std::shared_ptr<SugaredValue> attr(const SourceRange& at, GraphFunction& function, const std::string& field) override {
        const auto found = m_constants.find(field);
        if (found == m_constants.end()) return BuiltinModule::attr(at, function, field);
        return std::make_shared<torch::jit::SimpleValue>(function.graph()->insertConstant(found->second, at));
    }

private:
    const Constants& m_constants;
};

class Names final : public torch::jit::Resolver {
public:
    std::shared_ptr<SugaredValue> resolveValue(const std::string& name, GraphFunction&, const SourceRange&) override {
        if (name == "torch") return std::make_shared<ModuleWithConstants>(constantsOfTorch());
        if (name == "math") return std::make_shared<ModuleWithConstants>(numbersOfPython());
        return nullptr;
    }
};

} // namespace

torch::jit::ResolverPtr scriptNames() { return std::make_shared<Names>(); }

} // namespace ww::policy
