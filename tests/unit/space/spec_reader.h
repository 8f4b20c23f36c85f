// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/json.h"
#include "space/search_space.h"

/// Reads just the parameters and conditions of a T1 file: what the tests and the benchmark of space/ need of spec/.
inline ww::Result<ww::space::SearchSpace> readSpace(const std::filesystem::path& path) {
    using namespace ww;
    WW_TRY(json, readJsonFile(path));
    const Json& section = json.at("ConfigurationSpace");
    std::vector<space::Parameter> parameters;
    for (const Json& item : section.at("TuningParameters")) {
        space::Parameter parameter;
        parameter.name = item.at("Name").get<std::string>();
        const Json& values = item.at("Values");
        expr::Value list = expr::Value::fromJson(values);
        if (values.is_string()) {
            WW_TRY(expression, expr::Expression::parse(values.get<std::string>()));
            WW_TRY(value, expression.evaluate(expr::Scope()));
            list = value;
        }
        parameter.values = list.asTuple();
        parameters.push_back(std::move(parameter));
    }
    std::vector<space::Constraint> constraints;
    if (const Json* conditions = member(section, "Conditions")) {
        for (const Json& condition : *conditions) {
            WW_TRY(expression, expr::Expression::parse(condition.at("Expression").get<std::string>()));
            constraints.push_back({"spec:" + std::to_string(constraints.size()), {}, {}, expression, false});
        }
    }
    return space::SearchSpace::create(std::move(parameters), std::move(constraints), {});
}

/// The folder of other people's specs, where $WARPWRIGHT_DATA names one.
inline std::optional<std::filesystem::path> specFolder() {
    const char* data = std::getenv("WARPWRIGHT_DATA");
    if (!data || !std::filesystem::is_directory(std::filesystem::path(data) / "specs")) return std::nullopt;
    return std::filesystem::path(data) / "specs";
}
