// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "space/search_space.h"
#include "store/records.h"

namespace ww::engine {

/// Pins and bans of a session, and the mask they make. Engine thread only. A change that would leave no valid
/// configuration is refused and changes nothing.
class Steering {
public:
    explicit Steering(const space::SearchSpace& space);

    /// Errors of all four: InvalidArgument (unknown parameter or value), EmptySpace.
    [[nodiscard]] Result<void> pin(const std::string& parameter, const space::Value& value);
    [[nodiscard]] Result<void> unpin(const std::string& parameter);
    [[nodiscard]] Result<void> ban(const std::string& parameter, const space::Value& value);
    [[nodiscard]] Result<void> unban(const std::string& parameter, const space::Value& value);

    /// Applies a stored event (pin, unpin, ban, unban) on resume; unknown kinds and values that are gone are ignored.
    void replay(const store::EventRecord& event);

    [[nodiscard]] const space::ValueMask& mask() const noexcept { return m_mask; }
    [[nodiscard]] bool allows(const space::Configuration& configuration) const noexcept;

    /// "NAME=VALUE" as in --pin. Errors: InvalidArgument.
    [[nodiscard]] static Result<std::pair<std::string, space::Value>> parseAssignment(const std::string& text);

private:
    struct Place {
        std::size_t parameter, value;
    };
    [[nodiscard]] Result<Place> locate(const std::string& parameter, const space::Value& value) const;
    [[nodiscard]] Result<void> commit(std::vector<std::optional<std::size_t>> pins, space::ValueMask banned, const std::string& act);

    const space::SearchSpace& m_space;
    std::vector<std::optional<std::size_t>> m_pins;
    space::ValueMask m_allowedByBans;
    space::ValueMask m_mask;
};

}  // namespace ww::engine
