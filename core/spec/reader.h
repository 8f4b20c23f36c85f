// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "expr/expression.h"

namespace ww::spec {

/// The spellings of one key, the one for messages first. Case and underscores do not matter: files in the wild write
/// "kernelSpecification" and "tuning_parameters".
using Keys = std::initializer_list<std::string_view>;

/// A JSON object that knows its place in the document, so that every error names it ("Arguments[2].Size must be ...").
/// A missing or null member is nullopt. The document must outlive it.
class Reader {
public:
    /// Errors: InvalidSpec where `value` is no object.
    [[nodiscard]] static Result<Reader> from(const Json& value, std::string path);

    [[nodiscard]] const Json* find(Keys keys) const;
    [[nodiscard]] std::string pathOf(std::string_view key) const;
    [[nodiscard]] const Json& json() const noexcept { return *m_object; }

    [[nodiscard]] Result<std::optional<std::string>> text(Keys keys) const;
    [[nodiscard]] Result<std::optional<double>> number(Keys keys) const;
    [[nodiscard]] Result<std::optional<std::int64_t>> integer(Keys keys) const;
    [[nodiscard]] Result<std::optional<bool>> flag(Keys keys) const;  ///< true, false, 1, 0
    [[nodiscard]] Result<std::optional<Reader>> object(Keys keys) const;
    [[nodiscard]] Result<std::optional<expr::Expression>> expression(Keys keys) const;
    /// A list of strings, or one string. Empty strings are left out.
    [[nodiscard]] Result<std::vector<std::string>> texts(Keys keys) const;
    /// A list of expressions, or one of them. nullopt where the key is missing.
    [[nodiscard]] Result<std::optional<std::vector<expr::Expression>>> expressions(Keys keys) const;
    /// The objects of a list (one object counts as a list of one), each with its index in its path.
    [[nodiscard]] Result<std::vector<Reader>> objects(Keys keys) const;

    /// One note per key that `known` lacks, with the nearest known key.
    void noteUnknown(Keys known, std::vector<std::string>& notes) const;
    /// The same, with keys that only other tuners use: their paths are added to `ignored`, to be told together.
    void noteUnknown(Keys known, Keys foreign, std::vector<std::string>& notes, std::vector<std::string>& ignored) const;

private:
    Reader(const Json& object, std::string path) : m_object(&object), m_path(std::move(path)) {}
    const Json* m_object;
    std::string m_path;
};

/// "PATH must be WANTED, but it is a list ([1,2])."
[[nodiscard]] Unexpected wrongType(const std::string& path, std::string_view wanted, const Json& value);

/// An expression from a string or a number. Errors: InvalidExpression or InvalidSpec with `path`.
[[nodiscard]] Result<expr::Expression> expressionFrom(const Json& value, const std::string& path);

/// Lower case, without underscores.
[[nodiscard]] std::string foldKey(std::string_view key);

/// `fold(word)` among the folded `words`: its index, or nullopt.
[[nodiscard]] std::optional<std::size_t> wordIndex(std::string_view word, Keys words);

}  // namespace ww::spec
