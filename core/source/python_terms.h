// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/source_model.h"
#include "source/syntax_tree.h"
#include "source/terms.h"

namespace ww::source {

/// Integer expressions of a Triton kernel over its constexpr parameters and the file's constants.
class PythonTerms {
public:
    PythonTerms(std::string_view text, const std::vector<ParameterSite>& parameters);

    /// nullopt for what depends on anything else.
    [[nodiscard]] std::optional<Term> of(TSNode expression) const { return translate(expression, 0); }

private:
    [[nodiscard]] std::optional<Term> translate(TSNode node, int depth) const;
    [[nodiscard]] std::optional<Term> call(TSNode node, int depth) const;

    std::string_view m_text;
    std::unordered_map<std::string_view, Term> m_names;
};

/// "cdiv" of tl.cdiv(...), "load" of desc.load(...).
[[nodiscard]] std::string_view pythonCalledName(TSNode call, std::string_view text);
/// "tl" of tl.cdiv, "tl.math" of tl.math.exp; empty for a plain name.
[[nodiscard]] std::string_view pythonCalledObject(TSNode call, std::string_view text);
/// A positional argument; null where it is missing.
[[nodiscard]] TSNode pythonArgument(TSNode call, std::size_t position);
/// A keyword argument's value; null where it is missing.
[[nodiscard]] TSNode pythonKeyword(TSNode call, std::string_view name, std::string_view text);
/// The text of a string literal without quotes.
[[nodiscard]] std::string_view pythonString(TSNode node, std::string_view text);

}  // namespace ww::source
