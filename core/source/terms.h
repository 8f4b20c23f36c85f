// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "source/element_types.h"
#include "source/macro_bodies.h"
#include "source/source_model.h"
#include "source/syntax_tree.h"

namespace ww::source {

/// An integer C++ expression in the expression language of core/expr, with its value for the parameters' defaults.
struct Term {
    std::string text;                   ///< "(BLOCK_X * WORK_X + PAD) * 4"
    std::optional<std::int64_t> value;  ///< empty where a parameter without default takes part
    int precedence = 0;                 ///< of the outermost operator, Python's order; atoms bind tightest
};

/// Names that stand for terms inside one function or macro: constants of the function, a macro's parameters.
using LocalTerms = std::map<std::string_view, Term>;

/// Translates integer expressions over a file's parameters; macros that are made of parameters are written out. Quotients are
/// those of positive numbers, for which C++ and Python agree.
class Terms {
public:
    Terms(const MacroBodies& macros, const TypeTable& types, const std::vector<ParameterSite>& parameters);

    /// nullopt for what depends on anything but parameters: arguments, threadIdx, calls, floats.
    [[nodiscard]] std::optional<Term> of(TSNode expression, std::string_view text, const LocalTerms& locals) const {
        return translate(expression, {text, locals}, 0);
    }

private:
    struct Place {
        std::string_view text;
        const LocalTerms& locals;
    };

    [[nodiscard]] std::optional<Term> translate(TSNode node, const Place& place, int depth) const;
    [[nodiscard]] std::optional<Term> name(std::string_view word, const Place& place, int depth) const;
    [[nodiscard]] std::optional<Term> binary(TSNode node, const Place& place, int depth) const;
    [[nodiscard]] std::optional<Term> unary(TSNode node, const Place& place, int depth) const;
    [[nodiscard]] std::optional<Term> choice(TSNode node, const Place& place, int depth) const;
    [[nodiscard]] std::optional<Term> call(TSNode node, const Place& place, int depth) const;
    [[nodiscard]] std::optional<Term> sizeOf(TSNode node, const Place& place) const;

    const MacroBodies& m_macros;
    const TypeTable& m_types;
    std::map<std::string_view, const ParameterSite*> m_parameters;
};

[[nodiscard]] Term termOf(std::int64_t value);
/// The same operation on terms: "+", "-", "*", "//", ...
[[nodiscard]] std::optional<Term> combine(std::string_view pythonOperator, const Term& a, const Term& b);

}  // namespace ww::source
