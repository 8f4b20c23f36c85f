// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "source/tokens.h"

namespace ww::source {

/// What a declaration at namespace or class scope is.
enum class DeclarationKind {
    Function,   ///< a definition with a body
    Variable,
    Class,      ///< class, struct or union with a body
    Other,      ///< prototypes, aliases, enumerations
    Standing,   ///< static_assert, using namespace, explicit instantiations, macro calls: they act without being named
};

/// One declaration, found by brackets and semicolons alone, so that it needs no types and survives unknown headers.
struct ScopeDeclaration {
    DeclarationKind kind = DeclarationKind::Other;
    std::size_t first = 0;  ///< index into Tokens::list
    std::size_t last = 0;   ///< its last token: `;` or `}`
    std::size_t body = 0;   ///< the opening brace of a Function or Class
    std::set<std::string_view> names;
    bool device = false;    ///< __global__, __device__, __constant__, ..., or a macro that may stand for them
    bool host = false;      ///< __host__ alone, or main
    bool constant = false;  ///< const, constexpr, consteval
    bool isVirtual = false;
};

/// The declarations of all namespaces of the file. Brackets that never close end the list: the rest is not understood.
[[nodiscard]] std::vector<ScopeDeclaration> scopeDeclarations(const Tokens& tokens);
/// Those of a class's body.
[[nodiscard]] std::vector<ScopeDeclaration> memberDeclarations(const Tokens& tokens, const ScopeDeclaration& type);

}  // namespace ww::source
