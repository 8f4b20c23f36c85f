// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "source/lane_step.h"
#include "source/terms.h"

namespace ww::source {

enum class Space { None, Global, Shared, Local, Constant };

/// What is known of an expression's value; for addresses `step` is that of the offset into the object, in elements of it.
struct Flow {
    LaneStep step;
    bool thread = false;             ///< depends on threadIdx or on the thread's rank
    Space space = Space::None;
    std::string_view object;         ///< variable that the address goes back to
    std::string_view pointee;        ///< type of the elements, without qualifiers
    bool operator==(const Flow&) const = default;
};

/// Resolves calls to functions of the file; implemented over all of them.
class CallResolver {
public:
    virtual ~CallResolver() = default;
    /// What the function gives back for such arguments; nullopt where it is none of the file's or too deep.
    [[nodiscard]] virtual std::optional<Flow> returned(std::string_view function, const std::vector<Flow>& arguments, int depth) const = 0;
};

/// What is the same for every function of a file. Everything outlives the analyses.
struct FileContext {
    std::string_view text;
    const Terms& terms;
    const MacroBodies& macros;
    const TypeTable& types;
    const CallResolver& calls;
    std::unordered_map<std::string_view, Flow> variables;  ///< of file scope that live in one memory space
};

/// A guess at index expressions that needs no types: variables carry what they were initialised and assigned with, joined over
/// the whole function. Good enough to tell a[i], a[i * n] and a[b[i]] apart; not a proof of anything.
class LaneAnalysis {
public:
    LaneAnalysis(const FileContext& file, int depth) : m_file(file), m_text(file.text), m_depth(depth) {}
    /// Of a macro's body where it is used: its parameters are bound, all other names are those of `outer`.
    LaneAnalysis(const LaneAnalysis& outer, const MacroBody& body) :
        m_file(outer.m_file), m_text(body.text), m_outer(&outer), m_depth(outer.m_depth + 1) {}

    /// Gives a name its meaning before anything is learnt.
    void bind(std::string_view name, const Flow& flow, std::optional<Term> term = {});
    /// Reads parameters, declarations, assignments and lambdas of one function definition. `arguments` by position, where known.
    void learn(TSNode function, const std::vector<std::optional<Flow>>& arguments);
    /// The values of its return statements, joined.
    [[nodiscard]] Flow returned(TSNode function) const;

    [[nodiscard]] Flow of(TSNode expression) const { return evaluate(expression, m_depth); }
    /// For a subscript, a dereference or p->x: the flow of the address.
    [[nodiscard]] Flow address(TSNode access) const { return addressOf(access, m_depth); }
    /// Whether a subscript names a row of an array rather than an element: it is an address and touches nothing.
    [[nodiscard]] bool isRow(TSNode subscript) const;
    [[nodiscard]] std::optional<Term> term(TSNode expression) const { return m_file.terms.of(expression, m_text, m_terms); }
    /// A macro's body with the call's arguments bound; nullopt where `callee` is no such macro or expansion is too deep.
    [[nodiscard]] std::optional<LaneAnalysis> expanded(const MacroBody& body, TSNode call) const;

    [[nodiscard]] std::string_view text() const noexcept { return m_text; }
    [[nodiscard]] const FileContext& file() const noexcept { return m_file; }

private:
    using Extents = std::vector<std::optional<std::int64_t>>;  ///< outermost first

    void learnNode(TSNode node, std::string_view type);
    void learnDeclaration(TSNode declaration);
    void learnVariable(TSNode declarator, Space space, TSNode typeNode, bool constant);
    void learnParameters(TSNode function, const std::vector<std::optional<Flow>>& arguments);
    void learnShape(std::string_view name, TSNode declarator);
    void learnLambdaCall(TSNode call);
    void learnAsm(TSNode statement);
    void join(std::string_view name, const Flow& flow);
    [[nodiscard]] const Flow* variable(std::string_view name) const;
    [[nodiscard]] const Extents* array(std::string_view name) const;
    [[nodiscard]] Flow evaluate(TSNode node, int depth) const;
    [[nodiscard]] Flow named(std::string_view name, int depth) const;
    [[nodiscard]] Flow addressOf(TSNode access, int depth) const;
    [[nodiscard]] Flow subscript(TSNode access, int depth) const;
    [[nodiscard]] Flow binary(TSNode node, int depth) const;
    [[nodiscard]] Flow call(TSNode node, int depth) const;
    [[nodiscard]] Flow field(TSNode node, int depth) const;
    [[nodiscard]] Flow casted(TSNode type, Flow flow) const;
    [[nodiscard]] std::optional<std::int64_t> constantOf(TSNode node) const;

    const FileContext& m_file;
    std::string_view m_text;
    const LaneAnalysis* m_outer = nullptr;
    int m_depth = 0;
    std::unordered_map<std::string_view, Flow> m_variables;
    std::unordered_map<std::string_view, Extents> m_arrays;
    std::unordered_map<std::string_view, TSNode> m_lambdas;
    std::unordered_set<std::string_view> m_values;  ///< variables of class type that the function owns
    LocalTerms m_terms;
};

/// The name that a call's function part ends in: "max" of std::max<int>, "sync" of group.sync.
[[nodiscard]] std::string_view calledName(TSNode call, std::string_view text);
/// The arguments of a call, comments left out.
[[nodiscard]] std::vector<TSNode> argumentsOf(TSNode call);
/// The type argument of f<T>(...), without qualifiers and pointers; null without.
[[nodiscard]] TSNode typeArgument(TSNode call);
/// Past parentheses and the clause around a condition.
[[nodiscard]] TSNode stripped(TSNode node);
/// The parameter declarations of a function definition or lambda.
[[nodiscard]] std::vector<TSNode> parametersOf(TSNode function);

}  // namespace ww::source
