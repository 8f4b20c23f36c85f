// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "source/syntax_tree.h"

namespace ww::source {

/// How an integer changes from one thread of a warp to the next (threadIdx.x to threadIdx.x + 1).
enum class Lane {
    Uniform,    ///< not at all: one broadcast serves the warp
    Unit,       ///< by one, perhaps in runs: coalesced
    Strided,    ///< by a constant other than one
    Scattered,  ///< data dependent, or in no linear way
};

enum class Space { None, Global, Shared, Local, Constant };

/// What is known of an expression's value; for pointers `lane` is that of the offset into `space`.
struct Flow {
    Lane lane = Lane::Uniform;
    bool thread = false;  ///< depends on threadIdx or on the thread's rank
    Space space = Space::None;
};

/// A guess at index expressions that needs no types: variables carry what they were initialised and assigned with, joined over
/// the whole function. Good enough to tell a[i], a[i * n] and a[b[i]] apart; not a proof of anything.
class LaneAnalysis {
public:
    using Constants = std::map<std::string_view, std::int64_t>;

    LaneAnalysis(std::string_view text, const Constants& constants) : m_text(text), m_constants(constants) {}

    /// Names of file scope that live in one memory space.
    void setSpace(std::string_view name, Space space) { m_variables[name] = {Lane::Uniform, false, space}; }
    /// Reads the parameters, declarations and assignments of one function definition.
    void learn(TSNode function);

    [[nodiscard]] Flow of(TSNode expression) const { return evaluate(expression, 0); }
    /// For a subscript, a dereference or p->x: the flow of the address.
    [[nodiscard]] Flow address(TSNode access) const { return addressOf(access, 0); }

private:
    void learnDeclaration(TSNode declaration);
    void learnVariable(TSNode declarator, Space space);
    void learnParameters(TSNode function);
    void join(std::string_view name, const Flow& flow);
    [[nodiscard]] Flow evaluate(TSNode node, int depth) const;
    [[nodiscard]] Flow addressOf(TSNode access, int depth) const;
    [[nodiscard]] Flow binary(TSNode node, int depth) const;
    [[nodiscard]] Flow call(TSNode node, int depth) const;
    [[nodiscard]] Flow field(TSNode node, int depth) const;
    [[nodiscard]] std::int64_t constantOf(TSNode node) const;

    std::string_view m_text;
    const Constants& m_constants;
    std::map<std::string_view, Flow> m_variables;
};

/// The name that a call's function part ends in: "max" of std::max<int>, "sync" of group.sync.
[[nodiscard]] std::string_view calledName(TSNode call, std::string_view text);

}  // namespace ww::source
