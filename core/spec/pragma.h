// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/value.h"
#include "source/source_model.h"
#include "spec/pragma_expression.h"

namespace ww::spec {

/// `tune(name = values) default(value)`.
struct PragmaParameter {
    std::string name;
    std::vector<expr::Value> values;  ///< without repetition
    std::size_t defaultIndex = 0;
};

/// What the `#pragma kernel` lines before one kernel say (kernel_launcher's annotations; `kernel_tuner` and `kernel_launcher` are
/// other spellings of `kernel`). Expressions are in our own language; names set by set() are already replaced by their meaning,
/// kernel arguments stand in by their own names.
struct PragmaKernel {
    std::size_t entry = 0;                                         ///< index into SourceModel::entries
    std::vector<PragmaParameter> parameters;
    std::vector<std::pair<std::string, PragmaValue>> variables;    ///< set(), in order
    std::vector<std::pair<std::string, std::string>> types;        ///< type parameters that got none: "T" is "float"
    std::vector<std::string> restrictions;
    std::vector<std::string> problemSize, blockSize, gridSize, gridDivisors;
    std::string sharedMemory;
    std::vector<std::pair<std::string, std::string>> buffers;      ///< argument and its number of elements
    std::vector<std::string> usedArguments;                        ///< scalar arguments that any expression names, in order of use
    std::string tuningKey;
    std::vector<std::string> notes;

    [[nodiscard]] const PragmaParameter* findParameter(std::string_view name) const noexcept;
    [[nodiscard]] const PragmaValue* findVariable(std::string_view name) const noexcept;
    [[nodiscard]] bool uses(std::string_view argument) const noexcept;
};

/// The first annotated kernel of a file; nullopt where there are no such pragmas.
/// Errors: ParseError, InvalidExpression, InvalidSpec, each with line and column in the user's file.
[[nodiscard]] Result<std::optional<PragmaKernel>> readPragmas(const source::SourceModel& model);

}  // namespace ww::spec
