// SPDX-License-Identifier: Apache-2.0
#include "policy/torch/script_reference.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <exception>

#include "policy/torch/script_names.h"

namespace ww::policy {

namespace {

/// LibTorch appends a C++ stack trace to its messages; a reader of a spec wants only what TorchScript says.
std::string scriptMessage(const std::exception& exception) {
    if (const auto* error = dynamic_cast<const c10::Error*>(&exception)) return error->what_without_backtrace();
    return exception.what();
}

template <typename T> at::Tensor tensorOf(const std::vector<T>& values, at::ScalarType type) {
    // from_blob only borrows, and a reference may write in place: the copy keeps the caller's values as they were.
    return torch::from_blob(const_cast<T*>(values.data()), {static_cast<std::int64_t>(values.size())}, type).clone();
}

/// A number takes the type that the function declares for it; an undeclared parameter of TorchScript is a Tensor.
Result<c10::IValue> numberFor(const c10::Argument& argument, double asDouble, std::int64_t asInteger, bool integral) {
    switch (argument.type()->kind()) {
    case c10::TypeKind::TensorType:
        return c10::IValue(integral ? torch::scalar_tensor(asInteger, torch::kInt64) : torch::scalar_tensor(asDouble, torch::kFloat64));
    case c10::TypeKind::FloatType: return c10::IValue(asDouble);
    case c10::TypeKind::IntType:
        if (!integral && asDouble != std::floor(asDouble))
            return fail(ErrorCode::InvalidSpec,
                        "the reference declares '" + argument.name() + "' as int, but its value is " + std::to_string(asDouble) +
                            "; declare it as float",
                        "Reference.TorchScript");
        return c10::IValue(asInteger);
    case c10::TypeKind::BoolType: return c10::IValue(integral ? asInteger != 0 : asDouble != 0);
    default: return integral ? c10::IValue(asInteger) : c10::IValue(asDouble);
    }
}

Result<c10::IValue> toIValue(const ReferenceInput& input, const c10::Argument& argument) {
    if (const auto* reals = std::get_if<std::vector<double>>(&input)) return c10::IValue(tensorOf(*reals, torch::kFloat64));
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&input)) return c10::IValue(tensorOf(*integers, torch::kInt64));
    if (const auto* integer = std::get_if<std::int64_t>(&input)) return numberFor(argument, static_cast<double>(*integer), *integer, true);
    const double real = std::get<double>(input);
    const bool fits = std::abs(real) < 9.0e18;
    return numberFor(argument, real, fits ? static_cast<std::int64_t>(real) : 0, false);
}

Result<void> flatten(const c10::IValue& value, std::vector<std::vector<double>>& outputs) {
    if (value.isTensor()) {
        if (value.toTensor().is_complex())
            return fail(ErrorCode::InvalidSpec, "the reference returns a complex tensor; return its real and imaginary parts apart",
                        "Reference.TorchScript");
        const at::Tensor flat = value.toTensor().detach().to(torch::kFloat64).contiguous();
        const double* data = flat.data_ptr<double>();
        outputs.emplace_back(data, data + flat.numel());
        return {};
    }
    if (value.isDouble() || value.isInt() || value.isBool()) {
        outputs.push_back({value.isDouble() ? value.toDouble()
                           : value.isInt()  ? static_cast<double>(value.toInt())
                           : value.toBool() ? 1.0
                                            : 0.0});
        return {};
    }
    if (value.isTuple()) {
        for (const c10::IValue& element : value.toTuple()->elements())
            WW_CHECK(flatten(element, outputs));
        return {};
    }
    if (value.isList()) {
        for (const c10::IValue& element : value.toListRef())
            WW_CHECK(flatten(element, outputs));
        return {};
    }
    return fail(ErrorCode::InvalidSpec, "the reference returns " + value.tagKind() + "; return a tensor, or a tuple or list of tensors",
                "Reference.TorchScript");
}

} // namespace

Result<std::vector<std::vector<double>>> evaluateScript(const std::string& source, const std::vector<ReferenceInput>& inputs) {
    try {
        const torch::NoGradGuard noGradients;
        // Run once and thrown away: the profiling executor would only spend time on fusing.
        torch::jit::setGraphExecutorOptimize(false);
        torch::jit::CompilationUnit unit;
        const std::vector<torch::jit::Function*> functions = unit.define(c10::nullopt, source + "\n", scriptNames(), nullptr);  // the parser wants the last line ended
        if (functions.size() != 1)
            return fail(ErrorCode::InvalidSpec,
                        "the reference holds " + std::to_string(functions.size()) +
                            " functions; write exactly one: def name(...): ... return ...",
                        "Reference.TorchScript");
        torch::jit::Function& function = *functions.front();
        const std::vector<c10::Argument>& declared = function.getSchema().arguments();
        if (declared.size() != inputs.size())
            return fail(ErrorCode::InvalidSpec,
                        "the reference '" + function.name() + "' takes " + std::to_string(declared.size()) +
                            " arguments, but 'Inputs' names " + std::to_string(inputs.size()),
                        "Reference.TorchScript");
        std::vector<c10::IValue> stack;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            WW_TRY(value, toIValue(inputs[i], declared[i]));
            stack.push_back(std::move(value));
        }
        std::vector<std::vector<double>> outputs;
        WW_CHECK(flatten(function(std::move(stack)), outputs));
        return outputs;
    } catch (const std::exception& exception) {
        return fail(ErrorCode::InvalidSpec, "TorchScript refuses the reference: " + scriptMessage(exception), "Reference.TorchScript");
    } catch (...) {
        return fail(ErrorCode::InvalidSpec, "TorchScript refuses the reference without saying why", "Reference.TorchScript");
    }
}

} // namespace ww::policy
