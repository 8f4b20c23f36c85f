// SPDX-License-Identifier: Apache-2.0
#include "spec/reader.h"

#include <algorithm>
#include <cctype>

namespace ww::spec {

std::string foldKey(std::string_view key) {
    std::string folded;
    for (const char c : key) {
        if (c != '_') folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return folded;
}

std::optional<std::size_t> wordIndex(std::string_view word, Keys words) {
    const std::string folded = foldKey(word);
    std::size_t index = 0;
    for (const auto known : words) {
        if (foldKey(known) == folded) return index;
        ++index;
    }
    return std::nullopt;
}

Unexpected wrongType(const std::string& path, std::string_view wanted, const Json& value) {
    std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
    return fail(ErrorCode::InvalidSpec, path + " must be " + std::string(wanted) + ", but it is " + describeType(value) + " (" + shown + ")");
}

Result<expr::Expression> expressionFrom(const Json& value, const std::string& path) {
    if (!value.is_string() && !value.is_number()) return wrongType(path, "a number or an expression in quotes", value);
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    auto parsed = expr::Expression::parse(text);
    if (!parsed) {
        Error error = std::move(parsed).error();
        error.message = path + " = \"" + text + "\": " + error.message;
        return fail(std::move(error));
    }
    return parsed;
}

Result<Reader> Reader::from(const Json& value, std::string path) {
    if (!value.is_object()) return wrongType(path.empty() ? "the document" : path, "an object", value);
    return Reader(value, std::move(path));
}

const Json* Reader::find(Keys keys) const {
    // The exact spelling wins over a folded one, so that a file may carry both.
    for (const auto key : keys) {
        if (const Json* value = member(*m_object, key); value != nullptr && !value->is_null()) return value;
    }
    for (const auto& [name, value] : m_object->items()) {
        if (!value.is_null() && wordIndex(name, keys)) return &value;
    }
    return nullptr;
}

std::string Reader::pathOf(std::string_view key) const {
    return m_path.empty() ? std::string(key) : m_path + "." + std::string(key);
}

Result<std::optional<std::string>> Reader::text(Keys keys) const {
    const Json* value = find(keys);
    if (value == nullptr) return std::optional<std::string>{};
    if (!value->is_string()) return wrongType(pathOf(*keys.begin()), "a string", *value);
    return std::optional{value->get<std::string>()};
}

Result<std::optional<double>> Reader::number(Keys keys) const {
    const Json* value = find(keys);
    if (value == nullptr) return std::optional<double>{};
    if (!value->is_number()) return wrongType(pathOf(*keys.begin()), "a number", *value);
    return std::optional{value->get<double>()};
}

Result<std::optional<std::int64_t>> Reader::integer(Keys keys) const {
    const Json* value = find(keys);
    if (value == nullptr) return std::optional<std::int64_t>{};
    if (!value->is_number_integer()) return wrongType(pathOf(*keys.begin()), "an integer", *value);
    return std::optional{value->get<std::int64_t>()};
}

Result<std::optional<bool>> Reader::flag(Keys keys) const {
    const Json* value = find(keys);
    if (value == nullptr) return std::optional<bool>{};
    if (value->is_boolean()) return std::optional{value->get<bool>()};
    if (value->is_number_integer() && (*value == 0 || *value == 1)) return std::optional{*value == 1};
    return wrongType(pathOf(*keys.begin()), "true or false (or 1 or 0)", *value);
}

Result<std::optional<Reader>> Reader::object(Keys keys) const {
    const Json* value = find(keys);
    if (value == nullptr) return std::optional<Reader>{};
    WW_TRY(reader, from(*value, pathOf(*keys.begin())));
    return std::optional{reader};
}

Result<std::optional<expr::Expression>> Reader::expression(Keys keys) const {
    const Json* value = find(keys);
    if (value == nullptr) return std::optional<expr::Expression>{};
    WW_TRY(parsed, expressionFrom(*value, pathOf(*keys.begin())));
    return std::optional{parsed};
}

Result<std::vector<std::string>> Reader::texts(Keys keys) const {
    std::vector<std::string> all;
    const Json* value = find(keys);
    if (value == nullptr) return all;
    if (value->is_string()) {
        all.push_back(value->get<std::string>());
    } else if (value->is_array()) {
        for (std::size_t i = 0; i < value->size(); ++i) {
            const Json& element = (*value)[i];
            if (!element.is_string()) return wrongType(pathOf(*keys.begin()) + "[" + std::to_string(i) + "]", "a string", element);
            all.push_back(element.get<std::string>());
        }
    } else {
        return wrongType(pathOf(*keys.begin()), "a list of strings", *value);
    }
    std::erase(all, std::string{});
    return all;
}

Result<std::optional<std::vector<expr::Expression>>> Reader::expressions(Keys keys) const {
    const Json* value = find(keys);
    if (value == nullptr) return std::optional<std::vector<expr::Expression>>{};
    const std::string path = pathOf(*keys.begin());
    std::vector<expr::Expression> all;
    if (!value->is_array()) {
        WW_TRY(only, expressionFrom(*value, path));
        all.push_back(only);
        return std::optional{all};
    }
    for (std::size_t i = 0; i < value->size(); ++i) {
        WW_TRY(element, expressionFrom((*value)[i], path + "[" + std::to_string(i) + "]"));
        all.push_back(element);
    }
    return std::optional{all};
}

Result<std::vector<Reader>> Reader::objects(Keys keys) const {
    std::vector<Reader> all;
    const Json* value = find(keys);
    if (value == nullptr) return all;
    const std::string path = pathOf(*keys.begin());
    if (value->is_object()) return std::vector{Reader(*value, path)};
    if (!value->is_array()) return wrongType(path, "a list of objects", *value);
    for (std::size_t i = 0; i < value->size(); ++i) {
        WW_TRY(element, from((*value)[i], path + "[" + std::to_string(i) + "]"));
        all.push_back(element);
    }
    return all;
}

void Reader::noteUnknown(Keys known, std::vector<std::string>& notes) const {
    std::vector<std::string> none;
    noteUnknown(known, {}, notes, none);
}

void Reader::noteUnknown(Keys known, Keys foreign, std::vector<std::string>& notes, std::vector<std::string>& ignored) const {
    for (const auto& [name, value] : m_object->items()) {
        if (wordIndex(name, known) || value.is_null()) continue;
        if (wordIndex(name, foreign)) {
            ignored.push_back(pathOf(name));
            continue;
        }
        const std::vector<std::string> words(known.begin(), known.end());
        const std::string nearest = expr::nearestName(name, words);
        notes.push_back(pathOf(name) + " is not known and ignored" + (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
    }
}

}  // namespace ww::spec
