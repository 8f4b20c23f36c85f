// SPDX-License-Identifier: Apache-2.0
#include "policy/configuration_features.h"

#include <algorithm>
#include <cmath>

namespace ww::policy {

namespace {

/// Units between the ends of a domain that has no logarithm.
constexpr double kSpan = 2;

bool allNumbers(const std::vector<space::Value>& values) {
    return std::ranges::all_of(values, [](const space::Value& value) { return value.isNumber(); });
}

/// One number per value: its logarithm where all are positive, else its place between the lowest and the highest.
std::vector<double> magnitudes(const std::vector<space::Value>& values) {
    std::vector<double> numbers;
    for (const auto& value : values) numbers.push_back(value.asDouble());
    const auto [low, high] = std::ranges::minmax(numbers);
    if (low == high) return std::vector<double>(numbers.size(), 0.0);
    for (double& number : numbers) number = low > 0 ? std::log2(number / low) : (number - low) / (high - low) * kSpan;
    return numbers;
}

bool isConstant(const std::vector<double>& numbers) {
    return std::ranges::all_of(numbers, [&](double number) { return number == numbers.front(); });
}

bool hasInput(const expr::Node& node) {
    return node.kind == expr::Kind::Slot || std::ranges::any_of(node.children, hasInput);
}

}  // namespace

ConfigurationFeatures::ConfigurationFeatures(space::SearchSpace space, const std::vector<expr::Expression>& expressions)
    : m_space(std::move(space)) {
    std::vector<std::string> names;
    for (const auto& parameter : m_space.parameters()) {
        names.push_back(parameter.name);
        addParameter(parameter);
    }
    const auto constants = m_space.scopeFor(m_space.defaultConfiguration());
    for (const auto& constraint : m_space.constraints()) {
        if (const auto tree = expr::resolve(constraint.expression, names, constants)) addComparisons(*tree);
    }
    for (const auto& expression : expressions) {
        if (const auto tree = expr::resolve(expression, names, constants)) addProgram(*tree);
    }
}

void ConfigurationFeatures::addParameter(const space::Parameter& parameter) {
    const auto& values = parameter.values;
    auto& columns = m_columns.emplace_back(values.size());
    auto& numbers = m_numbers.emplace_back();
    for (const auto& value : values) numbers.push_back(m_objects.intern(value));
    const auto add = [&](const std::vector<double>& column) {
        if (isConstant(column)) return;
        for (std::size_t v = 0; v < values.size(); ++v) columns[v].push_back(static_cast<float>(column[v]));
        ++m_width;
    };
    if (values.size() < 2) return;
    if (allNumbers(values) && parameter.scale != space::Scale::Categorical) {
        add(magnitudes(values));
        return;
    }
    // Of two values one column says all.
    for (std::size_t hot = values.size() == 2 ? 1 : 0; hot < values.size(); ++hot) {
        std::vector<double> column(values.size(), 0.0);
        column[hot] = kSpan;
        add(column);
    }
}

void ConfigurationFeatures::addComparisons(const expr::Node& node) {
    if (node.kind == expr::Kind::Compare) {
        for (const auto& side : node.children) addProgram(side);
    }
    for (const auto& child : node.children) addComparisons(child);
}

void ConfigurationFeatures::addProgram(const expr::Node& node) {
    // A parameter by itself has its column already; a list is no number.
    if (node.kind == expr::Kind::Slot || node.kind == expr::Kind::Tuple || !hasInput(node)) return;
    m_programs.emplace_back(node);
    ++m_width;
}

void ConfigurationFeatures::write(const space::Configuration& configuration, std::span<float> row) {
    std::vector<expr::Number> inputs;
    std::size_t at = 0;
    for (std::size_t p = 0; p < m_columns.size(); ++p) {
        inputs.push_back(m_numbers[p][configuration.index[p]]);
        for (const float column : m_columns[p][configuration.index[p]]) row[at++] = column;
    }
    for (const auto& program : m_programs) {
        const auto number = program.compute(inputs.data(), m_objects);
        row[at++] = number.isNumber() ? static_cast<float>(std::log2(1 + std::max(0.0, number.asDouble()))) : 0.0f;
    }
}

}  // namespace ww::policy
