// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "source/tokens.h"

namespace ww::source {

/// One #define with what the conditionals around it say.
struct MacroDefinition {
    std::string_view name;
    std::size_t nameToken = 0;
    std::size_t firstToken = 0;  ///< of the value
    std::size_t endToken = 0;
    int line = 1;
    bool functionLike = false;
    bool guarded = false;        ///< inside #ifndef NAME or #if !defined(NAME)
    bool conditional = false;    ///< inside another conditional than its own guard and the file's include guard
    bool dead = false;           ///< inside #if 0
};

/// The macros of a file by name, in order of definition.
struct MacroTable {
    std::map<std::string_view, std::vector<MacroDefinition>> byName;
    std::set<std::string_view> undefined;           ///< names with an #undef
    std::map<std::string_view, int> guardMentions;  ///< occurrences in their own guard's condition, which are no uses
    std::map<std::string_view, int> includeMentions;
};

[[nodiscard]] MacroTable collectMacros(const Tokens& tokens);

/// A name that an #if, #ifdef or #elif asks for.
struct MacroQuestion {
    std::string_view name;
    int line = 1;
    bool asValue = false;  ///< `#if X > 2`, where an undefined X counts as 0; else `#ifdef X`, `defined(X)`
};

/// The names in conditions that the file itself does not define, each once; without those that compilers define (__CUDA_ARCH__).
[[nodiscard]] std::vector<MacroQuestion> openQuestions(const Tokens& tokens);

}  // namespace ww::source
