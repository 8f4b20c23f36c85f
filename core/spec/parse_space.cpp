// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

using expr::Value;
using space::Parameter;
using space::Scale;

/// Text where a number is meant ("32" under Type int) becomes the number.
Result<Value> valueFrom(const Json& json, const std::string& type, const std::string& path) {
    if (json.is_object()) return wrongType(path, "a number, a boolean, a string or a list", json);
    Value value = Value::fromJson(json);
    if (value.isString() && !type.empty() && type != "string") {
        auto parsed = expr::Expression::parse(value.asString());
        if (parsed) {
            if (auto evaluated = parsed->evaluate(expr::Scope{}); evaluated) return evaluated;
        }
    }
    return value;
}

Result<std::vector<Value>> domainFrom(const Reader& parameter, const std::string& type) {
    const Json* values = parameter.find({"Values"});
    const std::string path = parameter.pathOf("Values");
    if (values == nullptr) {
        if (type == "bool" || type == "boolean") return std::vector<Value>{Value(false), Value(true)};
        return fail(ErrorCode::InvalidSpec, path + " is missing; give the domain as a list, such as \"[1, 2, 4]\"");
    }
    std::vector<Value> domain;
    if (values->is_array()) {
        for (std::size_t i = 0; i < values->size(); ++i) {
            WW_TRY(value, valueFrom((*values)[i], type, path + "[" + std::to_string(i) + "]"));
            domain.push_back(value);
        }
        return domain;
    }
    if (!values->is_string() && !values->is_number() && !values->is_boolean()) {
        return wrongType(path, "a list, or a list expression in quotes", *values);
    }
    if (!values->is_string()) return std::vector<Value>{Value::fromJson(*values)};
    WW_TRY(expression, expressionFrom(*values, path));
    auto evaluated = expression.evaluate(expr::Scope{});
    if (!evaluated) {
        Error error = std::move(evaluated).error();
        error.message = path + " = \"" + expression.text() + "\": " + error.message;
        return fail(std::move(error));
    }
    if (evaluated->isTuple()) return evaluated->asTuple();
    return std::vector<Value>{*evaluated};
}

std::string domainText(const std::vector<Value>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < 12; ++i) text += (i == 0 ? "" : ", ") + values[i].repr();
    return "[" + text + (values.size() > 12 ? ", ..." : "") + "]";
}

Result<void> readDefault(const Reader& reader, const std::string& type, Parameter& parameter, Spec& spec) {
    const Json* given = reader.find({"Default", "DefaultValue"});
    if (given == nullptr) {
        spec.defaultMissing.push_back(parameter.name);
        return {};
    }
    const std::string path = reader.pathOf("Default");
    WW_TRY(value, valueFrom(*given, type, path));
    auto index = parameter.indexOf(value);
    if (!index && value.isTuple() && value.asTuple().size() == 1) index = parameter.indexOf(value.asTuple().front());
    if (!index) {
        return fail(ErrorCode::InvalidSpec, path + " of \"" + parameter.name + "\" is " + value.repr() + ", which is not in its domain " +
                                                domainText(parameter.values) + "; add it to Values or choose another default");
    }
    parameter.defaultIndex = *index;
    return {};
}

Result<void> readParameter(const Reader& reader, Spec& spec) {
    WW_TRY(name, reader.text({"Name"}));
    if (!name) return fail(ErrorCode::InvalidSpec, reader.pathOf("Name") + " is missing; give the parameter's name as a string");
    if (const std::string reason = whyNotAName(*name); !reason.empty()) {
        return fail(ErrorCode::InvalidSpec, reader.pathOf("Name") + " \"" + *name + "\" cannot be used: it " + reason + "; rename the parameter");
    }
    const bool twice = std::any_of(spec.parameters.begin(), spec.parameters.end(), [&](const Parameter& p) { return p.name == *name; });
    if (twice) return fail(ErrorCode::InvalidSpec, "the parameter \"" + *name + "\" is given twice; remove one of them");
    WW_TRY(type, reader.text({"Type"}));
    const std::string kind = foldKey(type.value_or(""));

    Parameter parameter;
    parameter.name = *name;
    WW_TRY(domain, domainFrom(reader, kind));
    for (Value& value : domain) {
        if (parameter.indexOf(value)) {
            spec.notes.push_back("parameter " + *name + ": the value " + value.repr() + " stands in its domain twice and counts once");
        } else {
            parameter.values.push_back(std::move(value));
        }
    }
    if (parameter.values.empty()) {
        return fail(ErrorCode::InvalidSpec, "the domain of \"" + *name + "\" is empty (" + reader.pathOf("Values") + "); give at least one value");
    }
    parameter.scale = proposedScale(parameter.values);
    WW_CHECK(readDefault(reader, kind, parameter, spec));
    spec.parameters.push_back(std::move(parameter));
    return {};
}

Result<void> readConditions(const Reader& configuration, Spec& spec) {
    const Json* list = configuration.find({"Conditions", "Constraints", "Restrictions"});
    if (list == nullptr) return {};
    const std::string path = configuration.pathOf("Conditions");
    if (!list->is_array()) return wrongType(path, "a list of conditions", *list);
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Json& element = (*list)[i];
        ConditionSpec condition;
        if (element.is_string()) {
            condition.text = element.get<std::string>();
        } else {
            WW_TRY(reader, Reader::from(element, path + "[" + std::to_string(i) + "]"));
            WW_TRY(text, reader.text({"Expression"}));
            if (!text) return fail(ErrorCode::InvalidSpec, reader.pathOf("Expression") + " is missing; give the condition as a string");
            condition.text = *text;
            WW_TRY(names, reader.texts({"Parameters"}));
            condition.parameters = names;
        }
        spec.conditions.push_back(std::move(condition));
    }
    return {};
}

bool isPowerOfTwo(const Value& value) {
    return value.isInt() && value.asInt() > 0 && (value.asInt() & (value.asInt() - 1)) == 0;
}

}  // namespace

space::Scale proposedScale(const std::vector<Value>& values) {
    const auto all = [&](auto&& test) { return std::all_of(values.begin(), values.end(), test); };
    if (all([](const Value& v) { return v.isBool() || (v.isInt() && (v.asInt() == 0 || v.asInt() == 1)); }) && values.size() == 2) {
        return Scale::Boolean;
    }
    if (!all([](const Value& v) { return v.isNumber(); })) return Scale::Categorical;
    return values.size() >= 3 && all(isPowerOfTwo) ? Scale::Log2 : Scale::Ordinal;
}

std::string whyNotAName(std::string_view name) {
    static constexpr std::array kReserved = {
        "and", "or", "not", "in", "is", "if", "else", "for", "lambda", "None", "True", "False", "while", "return", "def", "class", "import",
        "from", "pass", "break", "continue", "int", "float", "double", "bool", "char", "short", "long", "unsigned", "signed", "void", "auto",
        "const", "static", "extern", "struct", "template", "typename", "namespace", "this", "true", "false", "sizeof", "inline", "do",
        "switch", "case", "default", "goto", "using", "operator", "public", "private", "volatile", "union", "enum"};
    static constexpr std::array kFunctions = {"max", "min", "abs", "range", "list", "len", "sum", "round"};
    static constexpr std::array kOurs = {"ProblemSize", "problem_size_x", "problem_size_y", "problem_size_z"};
    const auto among = [&](const auto& words) { return std::find(words.begin(), words.end(), name) != words.end(); };
    const bool letters = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '_'); });
    if (!letters) return "is no identifier (letters, digits and _, not starting with a digit)";
    if (among(kReserved)) return "is a reserved word of C++ or Python";
    if (among(kFunctions)) return "is a function of expressions";
    if (among(kOurs)) return "means the problem size in expressions";
    if (among(deviceFactNames())) return "means a fact of the device in expressions";
    return "";
}

const std::vector<std::string>& deviceFactNames() {
    // device/ is above spec/, so the list stands here as well; tst_spec compares both.
    static const std::vector<std::string> kNames = {
        "max_threads_per_block", "max_block_x", "max_block_y", "max_block_z", "max_grid_x", "max_grid_y", "max_grid_z", "warp_size",
        "smem_per_block", "smem_per_block_optin", "smem_per_sm", "regs_per_block", "regs_per_sm", "max_threads_per_sm", "max_blocks_per_sm",
        "sm_count", "cc_major", "cc_minor", "cc", "l2_bytes", "memory_bytes", "is_cpu"};
    return kNames;
}

std::optional<std::int64_t> wholeNumber(const Value& value) {
    if (value.isBool() || value.isInt()) return value.asInt();
    // 2^62 keeps the conversion defined; nothing sensible is as large.
    if (value.isFloat() && std::floor(value.asDouble()) == value.asDouble() && std::fabs(value.asDouble()) < 4.6e18) {
        return static_cast<std::int64_t>(value.asDouble());
    }
    return std::nullopt;
}

Result<void> readSpace(const Reader& root, Spec& spec) {
    WW_TRY(configuration, root.object({"ConfigurationSpace"}));
    if (!configuration) {
        return fail(ErrorCode::InvalidSpec,
                    "\"ConfigurationSpace\" is missing; this is not a T1 tuning spec (`warpwright-cli spec kernel.cu` writes one to start from)");
    }
    if (configuration->find({"TuningParameters"}) == nullptr) {
        return fail(ErrorCode::InvalidSpec, configuration->pathOf("TuningParameters") + " is missing; list the parameters with Name and Values");
    }
    WW_TRY(parameters, configuration->objects({"TuningParameters"}));
    if (parameters.empty()) {
        return fail(ErrorCode::InvalidSpec, configuration->pathOf("TuningParameters") + " is empty; list at least one parameter");
    }
    for (const Reader& parameter : parameters) WW_CHECK(readParameter(parameter, spec));
    return readConditions(*configuration, spec);
}

}  // namespace ww::spec
