// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/source_model.h"
#include "source/tokens.h"

namespace ww::spec {

/// The words of one kernel's body, without comments, strings and directives, and what they say about its launch. All of it is
/// evidence for proposals, never proof. The model must outlive it.
class KernelText {
public:
    using Words = std::vector<std::string_view>;
    /// `variable < limit`, `variable >= limit` and the like; the limit's words end where the comparison does.
    struct Bound {
        std::string_view variable;
        Words limit;
    };
    /// The factors that blockIdx of one axis is multiplied with, each as its words: {"BLOCK"}, {"blockDim", ".", "x"}, ...
    struct BlockIndex {
        std::vector<Words> factors;
        bool addsThread = false;  ///< threadIdx of the same axis is added
    };

    KernelText(const source::SourceModel& model, const source::Entry& entry);

    [[nodiscard]] bool mentions(std::string_view word) const;
    /// `builtin.axis`, as in threadIdx.y.
    [[nodiscard]] bool mentions(std::string_view builtin, char axis) const;
    /// The words between `variable =` and the statement's end, where it is first given a value.
    [[nodiscard]] std::optional<Words> definitionOf(std::string_view variable) const;
    [[nodiscard]] const std::vector<Bound>& bounds() const noexcept { return m_bounds; }
    [[nodiscard]] std::vector<BlockIndex> blockIndices(char axis) const;
    /// The words in the brackets of every `pointer[...]`.
    [[nodiscard]] std::vector<Words> subscriptsOf(std::string_view pointer) const;

    /// Whether every use of `pointer` is `pointer[i] = ...` with the thread's global index: then nothing of it is read, and
    /// every element is written. Any other use may read, so the answer is no.
    [[nodiscard]] bool isOnlyWritten(std::string_view pointer) const;
    /// Whether every use is `atomicXxx(&pointer[...], ...)` or `atomicXxx(pointer ...)`: a counter.
    [[nodiscard]] bool isOnlyCounted(std::string_view pointer) const;
    /// Whether the variable's value comes from blockIdx of this axis.
    [[nodiscard]] bool dependsOnBlock(std::string_view variable, char axis) const;

private:
    [[nodiscard]] std::size_t closing(std::size_t open) const;   ///< index of the bracket that closes this one
    [[nodiscard]] std::size_t opening(std::size_t close) const;
    [[nodiscard]] bool isBuiltin(std::size_t at, std::string_view builtin, char axis) const;
    [[nodiscard]] std::string_view at(std::size_t index) const { return index < m_words.size() ? m_words[index] : std::string_view{}; }
    void takeWords(const source::Tokens& tokens, const source::ByteRange& range);
    void findBounds();
    [[nodiscard]] bool isClaim(std::size_t index) const;  ///< in a call that is its own statement, as in assert(i < 100);
    [[nodiscard]] bool branchesOnData() const;  ///< an if whose condition reads an array
    void takeFactors(std::size_t begin, std::size_t end, BlockIndex& index) const;

    Words m_words;
    std::vector<Bound> m_bounds;
};

[[nodiscard]] bool isIdentifier(std::string_view word) noexcept;

}  // namespace ww::spec
