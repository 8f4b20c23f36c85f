// SPDX-License-Identifier: Apache-2.0
#include "profile/measurements.h"

#include <algorithm>
#include <cmath>

namespace ww::profile {
namespace {

constexpr std::pair<Rung, std::string_view> kRungs[] = {
    {Rung::Counters, "counters"}, {Rung::Activity, "activity"}, {Rung::Timed, "timed"}, {Rung::Attributes, "attributes"},
    {Rung::Computed, "computed"}, {Rung::Estimate, "estimate"}, {Rung::Code, "code"}};

} // namespace

std::string_view toString(Rung rung) noexcept {
    return std::find_if(std::begin(kRungs), std::end(kRungs), [&](const auto& pair) { return pair.first == rung; })->second;
}

std::optional<Rung> rungFrom(std::string_view word) noexcept {
    for (const auto& [rung, name] : kRungs) {
        if (name == word) return rung;
    }
    return std::nullopt;
}

void Measurements::put(Value value) {
    // CUPTI gives NaN for a ratio over nothing (no branch, no shared access): that is an absent figure too.
    if (value.value && !std::isfinite(*value.value)) {
        value.value.reset();
        value.reason = "nothing of this kind happened in the kernel";
    }
    const auto same = std::find_if(m_values.begin(), m_values.end(), [&](const Value& one) { return one.id == value.id; });
    if (same == m_values.end()) {
        m_values.push_back(std::move(value));
    } else if (value.value && (!same->value || value.rung < same->rung)) {
        *same = std::move(value);
    }
}

void Measurements::merge(const Measurements& other) {
    for (const auto& value : other.m_values)
        put(value);
}

const Value* Measurements::find(std::string_view id) const noexcept {
    const auto found = std::find_if(m_values.begin(), m_values.end(), [&](const Value& one) { return one.id == id; });
    return found == m_values.end() ? nullptr : &*found;
}

std::optional<double> Measurements::get(std::string_view id) const noexcept {
    const Value* found = find(id);
    return found != nullptr ? found->value : std::nullopt;
}

Json Measurements::toJson() const {
    Json json = Json::object();
    for (const auto& value : m_values) {
        Json one = {{"unit", value.unit}, {"rung", toString(value.rung)}};
        if (value.value) one["value"] = *value.value;
        else one["reason"] = value.reason;
        json[value.id] = std::move(one);
    }
    return json;
}

Result<Measurements> Measurements::fromJson(const Json& json) {
    Measurements measurements;
    try {
        for (const auto& [id, one] : json.items()) {
            const auto rung = rungFrom(one.at("rung").get<std::string>());
            if (!rung) return fail(ErrorCode::WorkerFailed, "a figure with an unknown rung", id);
            Value value{id, std::nullopt, one.at("unit").get<std::string>(), *rung, one.value("reason", std::string())};
            if (const Json* number = member(one, "value")) value.value = number->get<double>();
            measurements.put(std::move(value));
        }
    } catch (const Json::exception& problem) {
        return fail(ErrorCode::WorkerFailed, std::string("figures of a profile are broken: ") + problem.what());
    }
    return measurements;
}

} // namespace ww::profile
