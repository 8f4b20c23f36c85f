// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ww {

/// Keeps the order of keys, so that a configuration prints in the order of its parameters.
using Json = nlohmann::ordered_json;

/// A place in a text; both count from 1, columns in bytes.
struct TextPosition {
    int line = 1;
    int column = 1;
    bool operator==(const TextPosition&) const = default;
};

/// The position of byte `offset` in `text` (offsets past the end name the end).
[[nodiscard]] TextPosition positionAt(std::string_view text, std::size_t offset) noexcept;

/// Parses JSON text. Errors: ParseError with "line L, column C" in the message; `name` (a file name) becomes the context.
[[nodiscard]] Result<Json> parseJson(std::string_view text, const std::string& name = {});

/// Reads and parses a JSON file (plain or gzipped is the caller's business). Errors: those of readFile and parseJson.
[[nodiscard]] Result<Json> readJsonFile(const std::filesystem::path& path);

/// The member, or nullptr where `object` is no object or has no such key.
[[nodiscard]] const Json* member(const Json& object, std::string_view key) noexcept;

/// Reads a member of a given type; a missing key gives nullopt, a wrong type an InvalidSpec error that names `key`.
[[nodiscard]] Result<std::optional<std::string>> optionalString(const Json& object, std::string_view key);
[[nodiscard]] Result<std::optional<double>> optionalNumber(const Json& object, std::string_view key);
[[nodiscard]] Result<std::optional<std::int64_t>> optionalInteger(const Json& object, std::string_view key);
[[nodiscard]] Result<std::optional<bool>> optionalBool(const Json& object, std::string_view key);

/// "string", "an array", ...: what a JSON value is, for messages.
[[nodiscard]] std::string describeType(const Json& value);

}  // namespace ww
