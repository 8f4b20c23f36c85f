// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "source/masking.h"
#include "source/source_model.h"
#include "source/syntax_tree.h"
#include "source/tokens.h"

namespace ww::source {

/// A function definition of the file that runs on the device: a kernel or a __device__ function.
struct DeviceFunction {
    TSNode definition{};
    std::string name;
    bool entry = false;
};

/// What one walk over the tree collects: functions, namespace-scope constants and declared names.
struct Declarations {
    std::vector<Entry> entries;
    std::vector<TSNode> entryTemplates;      ///< template_parameter_list per entry; null without
    std::vector<DeviceFunction> device;
    std::vector<TSNode> constants;           ///< `declaration` nodes at namespace scope with const or constexpr
    std::set<std::string, std::less<>> declared;
    int functions = 0;                       ///< function definitions of any kind
    std::string firstFunction;
};

/// `text` is the original text, `masked` the one that was parsed; nodes belong to the masked one (offsets are the same).
[[nodiscard]] Declarations collectDeclarations(TSNode root, std::string_view text, const MaskedText& masked, const Tokens& tokens);

/// The declarator inside a declarator, also where the grammar gives it no field name. Null if there is none.
[[nodiscard]] TSNode innerDeclarator(TSNode declarator);

/// The innermost name of a declarator: past pointers, references, arrays, parentheses and initialisers. Null if there is none.
[[nodiscard]] TSNode declaredName(TSNode declarator);

}  // namespace ww::source
