// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "space/search_space.h"

namespace ww::space {

namespace {

constexpr std::array<std::pair<Scale, std::string_view>, 4> kScales{
    {{Scale::Ordinal, "ordinal"}, {Scale::Log2, "log2"}, {Scale::Categorical, "categorical"}, {Scale::Boolean, "boolean"}}};
constexpr std::array<std::pair<Site, std::string_view>, 6> kSites{{{Site::Macro, "macro"},
                                                                   {Site::Constexpr, "constexpr"},
                                                                   {Site::Template, "template"},
                                                                   {Site::Launch, "launch"},
                                                                   {Site::Option, "option"},
                                                                   {Site::Define, "define"}}};

}  // namespace

std::string_view toString(Scale scale) noexcept {
    return kScales[static_cast<std::size_t>(scale)].second;
}

std::string_view toString(Site site) noexcept {
    return kSites[static_cast<std::size_t>(site)].second;
}

std::optional<Scale> scaleFrom(std::string_view word) noexcept {
    for (const auto& [scale, text] : kScales)
        if (text == word) return scale;
    return std::nullopt;
}

std::optional<Site> siteFrom(std::string_view word) noexcept {
    for (const auto& [site, text] : kSites)
        if (text == word) return site;
    return std::nullopt;
}

std::optional<std::size_t> Parameter::indexOf(const Value& value) const noexcept {
    const auto found = std::find_if(values.begin(), values.end(), [&](const Value& candidate) { return candidate.equals(value); });
    if (found == values.end()) return std::nullopt;
    return static_cast<std::size_t>(found - values.begin());
}

std::size_t ConfigurationHash::operator()(const Configuration& configuration) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const std::uint16_t index : configuration.index) {
        hash = (hash ^ index) * 0xbf58476d1ce4e5b9ull;
        hash ^= hash >> 31;
    }
    return hash;
}

}  // namespace ww::space
