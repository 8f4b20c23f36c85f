// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "expr/expression.h"
#include "expr/value.h"

namespace ww::space {

using expr::Value;

/// How the policy and the plots see a parameter's values.
enum class Scale { Ordinal, Log2, Categorical, Boolean };

/// Where a parameter lives; decides how mutate/ applies a value.
enum class Site {
    Macro,      ///< #define in the source, guarded or not
    Constexpr,  ///< constexpr/const at namespace scope
    Template,   ///< non-type template parameter of the entry
    Launch,     ///< named only in launch geometry or sizes
    Option,     ///< a compiler option
    Define,     ///< used but not defined in the source: passed as -DNAME=value
};

[[nodiscard]] std::string_view toString(Scale scale) noexcept;
[[nodiscard]] std::string_view toString(Site site) noexcept;
[[nodiscard]] std::optional<Scale> scaleFrom(std::string_view word) noexcept;
[[nodiscard]] std::optional<Site> siteFrom(std::string_view word) noexcept;

struct Parameter {
    std::string name;
    std::vector<Value> values;      ///< the domain, in its given order; never empty in a SearchSpace
    std::size_t defaultIndex = 0;   ///< index into values
    Scale scale = Scale::Ordinal;
    Site site = Site::Macro;
    std::string label;              ///< for people; empty: the name
    std::string effect;             ///< one sentence for tooltips; may be empty
    bool operator==(const Parameter&) const = default;

    [[nodiscard]] std::optional<std::size_t> indexOf(const Value& value) const noexcept;  ///< by Python's ==
};

/// A condition of the spec or a built-in rule.
struct Constraint {
    std::string id;          ///< "spec:0", "rule:block_size", ...: stable within a session, key of the table `rejection`
    std::string sentence;    ///< plain words: "a block has at most 1024 threads"
    std::string suggestion;  ///< what to change; may be empty
    expr::Expression expression;
    bool builtIn = false;
};

/// One value per parameter, as indices into the domains. Cheap to copy and compare.
struct Configuration {
    std::vector<std::uint16_t> index;
    bool operator==(const Configuration&) const = default;
    auto operator<=>(const Configuration&) const = default;
};

struct ConfigurationHash {
    [[nodiscard]] std::size_t operator()(const Configuration& configuration) const noexcept;
};

/// allowed[p][v]: whether value v of parameter p may be proposed (pins and bans). Every row holds at least one true.
using ValueMask = std::vector<std::vector<bool>>;

/// A count of valid configurations.
struct Count {
    double value = 0;                       ///< exact up to 2^53
    bool exact = true;
    double low = 0, high = 0;               ///< 95 % interval where it is an estimate
};

/// Why a configuration is refused.
struct Rejection {
    std::string constraintId;
    std::string sentence;    ///< with the numbers: "TILE * TILE * 4 = 65536 > 49152"
    std::string suggestion;
};

/// Parameters, their domains and constraints, and the set of valid configurations, which is never materialised.
/// Immutable after create; const members are safe from several threads.
class SearchSpace {
public:
    struct Options {
        /// Names beside the parameters: sizes, problem sizes, device facts.
        expr::Scope constants;
    };

    /// Errors: InvalidSpec (duplicate names, empty domain, more than 65535 values), InvalidExpression (unknown name in a
    /// constraint, with the nearest known one). A space without valid configurations is no error here: see isEmpty().
    [[nodiscard]] static Result<SearchSpace> create(std::vector<Parameter> parameters, std::vector<Constraint> constraints,
                                                    Options options);

    [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept;
    [[nodiscard]] const std::vector<Constraint>& constraints() const noexcept;
    [[nodiscard]] std::optional<std::size_t> parameterIndex(std::string_view name) const noexcept;

    [[nodiscard]] Configuration defaultConfiguration() const;
    [[nodiscard]] const Value& valueOf(const Configuration& configuration, std::size_t parameter) const;
    /// {"TILE": 64, ...} in parameter order.
    [[nodiscard]] Json toJson(const Configuration& configuration) const;
    /// Errors: InvalidArgument naming the parameter or the value that the domain lacks (and the domain).
    [[nodiscard]] Result<Configuration> fromJson(const Json& object) const;
    /// "TILE=64,VEC=4"; values as in Values. Missing parameters take `base`. Errors as fromJson.
    [[nodiscard]] Result<Configuration> parse(std::string_view assignments, const Configuration& base) const;
    [[nodiscard]] std::string display(const Configuration& configuration) const;  ///< "TILE=64 VEC=4"
    /// Parameter values over the space's constants; `scope` must not outlive the space.
    [[nodiscard]] expr::Scope scopeFor(const Configuration& configuration) const;

    [[nodiscard]] bool isValid(const Configuration& configuration) const;
    /// The first constraint that refuses it, or nullopt. A constraint that cannot be evaluated refuses.
    [[nodiscard]] std::optional<Rejection> explain(const Configuration& configuration) const;

    [[nodiscard]] double cartesianSize() const noexcept;
    [[nodiscard]] bool isEmpty() const;
    [[nodiscard]] Count countValid(const ValueMask* mask = nullptr) const;
    /// How many of the cartesian combinations each constraint refuses by itself, by id (exact where affordable).
    [[nodiscard]] std::map<std::string, Count> rejectedBy() const;

    /// Uniform over the valid configurations under the mask. nullopt where none is left.
    [[nodiscard]] std::optional<Configuration> sample(SplitMix64& rng, const ValueMask* mask = nullptr) const;
    /// Calls visit for valid configurations in lexicographic order until it returns false.
    void forEachValid(const std::function<bool(const Configuration&)>& visit, const ValueMask* mask = nullptr) const;
    /// Valid configurations that differ in one parameter.
    [[nodiscard]] std::vector<Configuration> neighbours(const Configuration& configuration, const ValueMask* mask = nullptr) const;
    /// For a partial assignment (prefix[p] is set for p in `assigned`): which values of `parameter` still lead to at least
    /// one valid configuration under the mask. This is what masks the policy's logits.
    [[nodiscard]] std::vector<bool> feasibleValues(const std::vector<std::optional<std::uint16_t>>& partial, std::size_t parameter,
                                                   const ValueMask* mask = nullptr) const;

    [[nodiscard]] ValueMask fullMask() const;

private:
    struct Impl;
    std::shared_ptr<const Impl> m_impl;
};

}  // namespace ww::space
