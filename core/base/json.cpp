// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>

#include "base/file.h"

namespace ww {

TextPosition positionAt(std::string_view text, std::size_t offset) noexcept {
    const auto head = text.substr(0, std::min(offset, text.size()));
    TextPosition position;
    position.line = 1 + static_cast<int>(std::count(head.begin(), head.end(), '\n'));
    const auto lastBreak = head.rfind('\n');
    position.column = 1 + static_cast<int>(lastBreak == std::string_view::npos ? head.size() : head.size() - lastBreak - 1);
    return position;
}

namespace {

/// Far more than any document of ours; the library's parser and destructor use the stack for each level.
constexpr int kMaxDepth = 500;

/// Where brackets outside of strings first nest too deep; text.size() where they never do.
std::size_t tooDeepAt(std::string_view text) noexcept {
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            else if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxDepth) return i;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return text.size();
}

}  // namespace

Result<Json> parseJson(std::string_view text, const std::string& name) {
    if (const auto deep = tooDeepAt(text); deep < text.size()) {
        const auto position = positionAt(text, deep);
        return fail(ErrorCode::ParseError,
                    "this JSON nests deeper than " + std::to_string(kMaxDepth) + " levels at line " + std::to_string(position.line) + ", column " +
                        std::to_string(position.column) + "; no spec needs that",
                    name);
    }
    try {
        return Json::parse(text);
    } catch (const Json::parse_error& broken) {
        // nlohmann counts the byte it stumbled over from 1; its own text repeats the position in another form.
        const auto position = positionAt(text, broken.byte > 0 ? broken.byte - 1 : 0);
        std::string reason = broken.what();
        if (const auto colon = reason.find(": ", reason.find("column")); colon != std::string::npos) reason.erase(0, colon + 2);
        return fail(ErrorCode::ParseError,
                    "this is not valid JSON at line " + std::to_string(position.line) + ", column " +
                        std::to_string(position.column) + ": " + reason,
                    name);
    } catch (const Json::exception& broken) {
        return fail(ErrorCode::ParseError, broken.what(), name);
    }
}

Result<Json> readJsonFile(const std::filesystem::path& path) {
    WW_TRY(text, readFile(path));
    return parseJson(text, path.string());
}

const Json* member(const Json& object, std::string_view key) noexcept {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::string describeType(const Json& value) {
    switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return "a list";
    case Json::value_t::string: return "a string";
    case Json::value_t::boolean: return "a boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return "an integer";
    case Json::value_t::number_float: return "a number";
    default: return "something else";
    }
}

namespace {

Unexpected wrongType(std::string_view key, const char* wanted, const Json& value) {
    return fail(ErrorCode::InvalidSpec,
                "\"" + std::string(key) + "\" must be " + wanted + ", but it is " + describeType(value) + " (" +
                    value.dump().substr(0, 60) + ")");
}

}  // namespace

Result<std::optional<std::string>> optionalString(const Json& object, std::string_view key) {
    const Json* value = member(object, key);
    if (value == nullptr || value->is_null()) return std::optional<std::string>{};
    if (!value->is_string()) return wrongType(key, "a string", *value);
    return std::optional{value->get<std::string>()};
}

Result<std::optional<double>> optionalNumber(const Json& object, std::string_view key) {
    const Json* value = member(object, key);
    if (value == nullptr || value->is_null()) return std::optional<double>{};
    if (!value->is_number()) return wrongType(key, "a number", *value);
    return std::optional{value->get<double>()};
}

Result<std::optional<std::int64_t>> optionalInteger(const Json& object, std::string_view key) {
    const Json* value = member(object, key);
    if (value == nullptr || value->is_null()) return std::optional<std::int64_t>{};
    if (!value->is_number_integer()) return wrongType(key, "an integer", *value);
    return std::optional{value->get<std::int64_t>()};
}

Result<std::optional<bool>> optionalBool(const Json& object, std::string_view key) {
    const Json* value = member(object, key);
    if (value == nullptr || value->is_null()) return std::optional<bool>{};
    if (!value->is_boolean()) return wrongType(key, "true or false", *value);
    return std::optional{value->get<bool>()};
}

}  // namespace ww
