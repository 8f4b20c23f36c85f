// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spec/kernel_text.h"
#include "spec/left_alone.h"
#include "spec/parse_internal.h"

namespace ww::spec {

/// Proposes what a bare kernel does not say: domains, block and grid, sizes, data of the arguments. Each guess leaves a note in
/// the spec, to be shown and edited. Call in the order of the declarations; the model and the spec must outlive it. One thread.
class Proposer {
public:
    Proposer(const source::SourceModel& model, const source::Entry& entry, Spec& spec);

    /// Type parameters get their default, else float.
    void nameTypes();
    void setType(const std::string& parameter, std::string type) { m_types[parameter] = std::move(type); }
    void takeParameters();
    /// Errors: InvalidSpec where no block or grid can be guessed.
    [[nodiscard]] Result<void> launch();
    /// Numbers and sizes first: buffers depend on them. Errors: InvalidSpec for structs, textures and the like.
    [[nodiscard]] Result<void> arguments();

    /// A named size that stands for a kernel argument or an extent.
    void addSize(const std::string& name) { m_sizes.insert(name); }
    /// Values of all named sizes and the workloads; after arguments().
    void giveSizesValues();
    /// Elements of a buffer and values of a number that are known, by the argument's name.
    void setElements(const std::string& argument, std::string elements) { m_elements[argument] = std::move(elements); }
    void setValue(const std::string& argument, std::string value) { m_values[argument] = std::move(value); }

    /// The template arguments of the entry: parameter names, types, defaults. Errors: InvalidSpec for one without a value.
    [[nodiscard]] Result<void> templateArguments();

    /// "the kernel k ..., so ...; write a spec that gives ...", with the file and the kernel's line.
    [[nodiscard]] Unexpected needsSpec(const std::string& why, const std::string& give) const;

private:
    using Words = KernelText::Words;

    void takeTemplateDomain(const source::TemplateParameter& parameter);
    [[nodiscard]] std::optional<std::string> blockByName(std::size_t axis) const;
    [[nodiscard]] std::optional<std::string> blockByUse(std::size_t axis) const;
    [[nodiscard]] std::string chooseBlock(std::size_t axis);
    [[nodiscard]] std::string freeBlock(std::size_t axis);
    [[nodiscard]] std::string chooseDivisor(std::size_t axis) const;
    [[nodiscard]] std::string chooseExtent(std::size_t axis, bool blockPerItem);
    [[nodiscard]] std::optional<std::string> extentOf(const KernelText::Bound& bound);
    [[nodiscard]] std::optional<std::string> extentByBound(std::size_t axis);
    void limitBlock();
    [[nodiscard]] Result<void> dynamicShared();

    [[nodiscard]] Result<void> number(const source::KernelArgument& given);
    [[nodiscard]] std::string wholeNumberValue(const std::string& name);
    [[nodiscard]] Result<void> buffer(const source::KernelArgument& given);
    void fillBuffer(const source::KernelArgument& given, const std::string& elements, ArgumentSpec& argument);
    [[nodiscard]] std::string elementsOf(const std::string& pointer);
    [[nodiscard]] std::optional<std::string> elementsBySubscript(const Words& subscript);
    [[nodiscard]] std::optional<std::string> limitOf(std::string_view variable);
    [[nodiscard]] std::optional<std::string> rowsOf(std::string_view row);
    [[nodiscard]] std::optional<std::string> rowLength(std::string_view pitch);
    [[nodiscard]] Result<ArgumentSpec> typedArgument(const source::KernelArgument& given) const;

    /// Words as an expression of ours over parameters, numbers, constants of the source and, with `sizes` to note them in, sizes.
    [[nodiscard]] std::optional<std::string> translated(const Words& words, std::set<std::string>* sizes, int depth = 0) const;
    [[nodiscard]] std::optional<std::string> meaningOf(std::string_view word, std::set<std::string>* sizes, int depth) const;
    [[nodiscard]] bool isParameter(std::string_view name) const;
    [[nodiscard]] bool isSizeArgument(std::string_view name) const;
    [[nodiscard]] bool isTaken(const std::string& name) const;
    [[nodiscard]] std::int64_t atDefaults(const std::string& expression) const;  ///< 0 where it has no value yet

    const source::SourceModel& m_model;
    const source::Entry& m_entry;
    Spec& m_spec;
    KernelText m_text;
    std::vector<char> m_axes{'x'};
    std::array<std::string, 3> m_block{"1", "1", "1"};
    std::vector<std::string> m_extents;              ///< of the axes that the grid covers
    std::set<std::string> m_sizes;
    std::int64_t m_rowLength = 1;                    ///< the longest row of a fixed length, elements
    std::map<std::string, std::string> m_types, m_elements, m_values;
};

/// In brackets where it is a sum or product that has none around it.
[[nodiscard]] std::string bracketed(const std::string& text);

/// Names that usually hold an extent of the data.
[[nodiscard]] bool looksLikeProblemSize(const std::string& name);

/// The shortest name by which the model finds this entry and no other: plain, qualified or with its signature.
[[nodiscard]] std::string shortestName(const source::SourceModel& model, const source::Entry& entry);

}  // namespace ww::spec
