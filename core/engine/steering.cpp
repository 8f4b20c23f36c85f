// SPDX-License-Identifier: Apache-2.0
#include "engine/steering.h"

#include <algorithm>

#include "expr/expression.h"

namespace ww::engine {

Steering::Steering(const space::SearchSpace& space)
    : m_space(space), m_pins(space.parameters().size()), m_allowedByBans(space.fullMask()), m_mask(space.fullMask()) {}

Result<Steering::Place> Steering::locate(const std::string& parameter, const space::Value& value) const {
    const auto index = m_space.parameterIndex(parameter);
    if (!index) {
        std::vector<std::string> known;
        for (const auto& one : m_space.parameters()) known.push_back(one.name);
        const auto near = expr::nearestName(parameter, known);
        return fail(ErrorCode::InvalidArgument,
                    "there is no parameter \"" + parameter + "\"" + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
    }
    const auto& domain = m_space.parameters()[*index];
    if (const auto at = domain.indexOf(value)) return Place{*index, *at};
    std::string values;
    for (const auto& one : domain.values) values += (values.empty() ? "" : ", ") + one.repr();
    return fail(ErrorCode::InvalidArgument, parameter + " has no value " + value.repr() + "; its values are " + values);
}

Result<void> Steering::commit(std::vector<std::optional<std::size_t>> pins, space::ValueMask allowed, const std::string& act) {
    space::ValueMask mask = allowed;
    for (std::size_t p = 0; p < pins.size(); ++p) {
        if (pins[p]) {
            std::fill(mask[p].begin(), mask[p].end(), false);
            mask[p][*pins[p]] = true;  // a pin is the stronger word: it wins over a ban of the same value
        }
        if (std::none_of(mask[p].begin(), mask[p].end(), [](bool on) { return on; })) {
            return fail(ErrorCode::EmptySpace, act + " would leave no value of " + m_space.parameters()[p].name + "; nothing was changed");
        }
    }
    if (m_space.countValid(&mask).value < 1) {
        return fail(ErrorCode::EmptySpace, act + " would leave no valid configuration; nothing was changed");
    }
    m_pins = std::move(pins);
    m_allowedByBans = std::move(allowed);
    m_mask = std::move(mask);
    return {};
}

Result<void> Steering::pin(const std::string& parameter, const space::Value& value) {
    WW_TRY(place, locate(parameter, value));
    auto pins = m_pins;
    pins[place.parameter] = place.value;
    return commit(std::move(pins), m_allowedByBans, "pinning " + parameter + " to " + value.repr());
}

Result<void> Steering::unpin(const std::string& parameter) {
    const auto index = m_space.parameterIndex(parameter);
    if (!index) return fail(ErrorCode::InvalidArgument, "there is no parameter \"" + parameter + "\"");
    auto pins = m_pins;
    pins[*index].reset();
    return commit(std::move(pins), m_allowedByBans, "unpinning " + parameter);
}

Result<void> Steering::ban(const std::string& parameter, const space::Value& value) {
    WW_TRY(place, locate(parameter, value));
    if (m_pins[place.parameter] == place.value) {
        return fail(ErrorCode::InvalidArgument, parameter + " is pinned to " + value.repr() + "; unpin it before you ban that value");
    }
    auto allowed = m_allowedByBans;
    allowed[place.parameter][place.value] = false;
    return commit(m_pins, std::move(allowed), "banning " + parameter + " = " + value.repr());
}

Result<void> Steering::unban(const std::string& parameter, const space::Value& value) {
    WW_TRY(place, locate(parameter, value));
    auto allowed = m_allowedByBans;
    allowed[place.parameter][place.value] = true;
    return commit(m_pins, std::move(allowed), "allowing " + parameter + " = " + value.repr());
}

void Steering::replay(const store::EventRecord& event) {
    const Json* parameter = member(event.data, "parameter");
    if (parameter == nullptr || !parameter->is_string()) return;
    const auto name = parameter->get<std::string>();
    const Json* stored = member(event.data, "value");
    const auto value = stored == nullptr ? space::Value{} : space::Value::fromJson(*stored);
    // Each act succeeded when it was logged; one that no longer fits the space is left out.
    if (event.kind == "pin") (void)pin(name, value).has_value();
    else if (event.kind == "unpin") (void)unpin(name).has_value();
    else if (event.kind == "ban") (void)ban(name, value).has_value();
    else if (event.kind == "unban") (void)unban(name, value).has_value();
}

bool Steering::allows(const space::Configuration& configuration) const noexcept {
    for (std::size_t p = 0; p < configuration.index.size(); ++p) {
        if (!m_mask[p][configuration.index[p]]) return false;
    }
    return true;
}

Result<std::pair<std::string, space::Value>> Steering::parseAssignment(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        return fail(ErrorCode::InvalidArgument, "\"" + text + "\" is no NAME=VALUE, such as TILE=64");
    }
    const auto name = text.substr(0, equals);
    const auto literal = text.substr(equals + 1);
    // A bare word is a string value: ACC=fp16.
    auto expression = expr::Expression::parse(literal);
    if (!expression || !expression->names().empty()) return std::pair{name, space::Value(literal)};
    auto value = expression->evaluate(expr::Scope{});
    if (!value) return fail(ErrorCode::InvalidArgument, "\"" + literal + "\" is no value: " + value.error().message);
    return std::pair{name, std::move(*value)};
}

}  // namespace ww::engine
