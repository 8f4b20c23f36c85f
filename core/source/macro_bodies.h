// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/macros.h"
#include "source/syntax_tree.h"

namespace ww::source {

/// A macro's replacement text, parsed as if it stood in a function.
struct MacroBody {
    std::vector<std::string_view> parameters;  ///< views of the file's text
    bool functionLike = false;
    bool acts = false;                         ///< holds a call, a subscript, a dereference or inline PTX
    std::string text;                          ///< what was parsed; nodes belong to it
    std::unique_ptr<SyntaxTree> tree;
    TSNode block{};                            ///< compound statement around the body
    TSNode expression{};                       ///< the body, where it is one expression; null otherwise
};

/// The bodies of a file's macros, each parsed when it is first asked for. A name that is defined twice, ended by #undef or
/// whose body is no code by itself has none. One thread at a time.
class MacroBodies {
public:
    MacroBodies(const Tokens& tokens, const MacroTable& table);

    /// nullptr where there is none.
    [[nodiscard]] const MacroBody* find(std::string_view name) const;

private:
    struct Slot {
        const MacroDefinition* definition = nullptr;  ///< null once parsed
        std::unique_ptr<MacroBody> body;
    };

    [[nodiscard]] std::unique_ptr<MacroBody> parse(const MacroDefinition& definition) const;

    const Tokens& m_tokens;
    mutable std::unordered_map<std::string_view, Slot> m_slots;
};

}  // namespace ww::source
