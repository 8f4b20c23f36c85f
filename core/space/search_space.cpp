// SPDX-License-Identifier: Apache-2.0
#include "space/search_space.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "space/impl.h"

namespace ww::space {

namespace {

constexpr std::size_t kMaxValues = 65535;

std::string domainText(const Parameter& parameter) {
    constexpr std::size_t shown = 24;
    std::string text;
    for (std::size_t i = 0; i < std::min(parameter.values.size(), shown); ++i)
        text += (i ? ", " : "") + parameter.values[i].repr();
    return parameter.values.size() > shown ? text + ", ... (" + std::to_string(parameter.values.size()) + " values)" : text;
}

Result<void> checkParameters(const std::vector<Parameter>& parameters) {
    std::unordered_set<std::string> seen;
    for (const Parameter& parameter : parameters) {
        const std::string context = "parameter " + parameter.name;
        if (!seen.insert(parameter.name).second) return fail(ErrorCode::InvalidSpec, "this name is given twice; rename one of them", context);
        if (parameter.values.empty()) return fail(ErrorCode::InvalidSpec, "it has no values; give at least one", context);
        if (parameter.values.size() > kMaxValues) {
            return fail(ErrorCode::InvalidSpec, "it has " + std::to_string(parameter.values.size()) + " values; at most 65535 are possible", context);
        }
        if (parameter.defaultIndex >= parameter.values.size()) return fail(ErrorCode::InvalidSpec, "its default is none of its values", context);
    }
    return {};
}

Result<CompiledConstraint> compileConstraint(const Constraint& constraint, const std::vector<std::string>& names, const expr::Scope& constants) {
    auto tree = expr::resolve(constraint.expression, names, constants);
    if (!tree) return fail(std::move(tree).error());
    std::vector<std::size_t> used;
    const auto collect = [&](const auto& self, const expr::Node& node) -> void {
        if (node.kind == expr::Kind::Slot) used.push_back(node.slot);
        for (const expr::Node& child : node.children)
            self(self, child);
    };
    collect(collect, *tree);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    expr::Program program(*tree);
    return CompiledConstraint{std::move(*tree), std::move(program), std::move(used)};
}

/// Parameters that share constraints get the same number (the smallest parameter among them).
std::vector<std::size_t> groupParameters(std::size_t count, const std::vector<CompiledConstraint>& constraints) {
    std::vector<std::size_t> parent(count);
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t p) {
        while (parent[p] != p)
            p = parent[p] = parent[parent[p]];
        return p;
    };
    for (const CompiledConstraint& constraint : constraints)
        for (const std::size_t p : constraint.parameters) {
            const std::size_t a = root(p), b = root(constraint.parameters.front());
            parent[std::max(a, b)] = std::min(a, b);
        }
    for (std::size_t p = 0; p < count; ++p)
        parent[p] = root(p);
    return parent;
}

}  // namespace

Result<SearchSpace> SearchSpace::create(std::vector<Parameter> parameters, std::vector<Constraint> constraints, Options options) {
    WW_CHECK(checkParameters(parameters));
    auto impl = std::make_shared<Impl>();
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.name);
        auto& domain = impl->domains.emplace_back();
        for (const Value& value : parameter.values)
            domain.push_back(impl->objects.intern(value));
    }
    for (const Constraint& constraint : constraints) {
        auto compiled = compileConstraint(constraint, names, options.constants);
        if (!compiled) {
            Error error = std::move(compiled).error();
            error.context = "condition " + constraint.id + ", " + error.context;
            return fail(std::move(error));
        }
        impl->compiled.push_back(std::move(*compiled));
    }
    const std::size_t count = parameters.size();
    impl->parameters = std::move(parameters);
    impl->constraints = std::move(constraints);
    impl->constants = std::move(options.constants);
    impl->componentOf.resize(count);
    impl->layerOf.resize(count);
    for (const CompiledConstraint& constraint : impl->compiled)
        if (constraint.parameters.empty() && !constraint.program.accepts(nullptr, impl->objects)) impl->refused = true;

    const std::vector<std::size_t> groups = groupParameters(count, impl->compiled);
    // Values met while building (tuples, strings) are scratch: the space's own table stays what the domains hold.
    expr::Objects scratch = impl->objects;
    for (std::size_t group = 0; group < count; ++group) {
        if (groups[group] != group) continue;
        std::vector<std::size_t> inside, members;
        for (std::size_t p = group; p < count; ++p)
            if (groups[p] == group) {
                impl->componentOf[p] = impl->components.size();
                impl->layerOf[p] = inside.size();
                inside.push_back(p);
            }
        for (std::size_t c = 0; c < impl->compiled.size(); ++c)
            if (!impl->compiled[c].parameters.empty() && groups[impl->compiled[c].parameters.front()] == group) members.push_back(c);
        impl->components.push_back(std::make_unique<Component>(std::move(inside), impl->compiled, members, impl->domains, scratch));
        const auto& unchecked = impl->components.back()->unchecked();
        impl->unchecked.insert(impl->unchecked.end(), unchecked.begin(), unchecked.end());
    }
    SearchSpace space;
    space.m_impl = std::move(impl);
    return space;
}

const std::vector<Parameter>& SearchSpace::parameters() const noexcept { return m_impl->parameters; }
const std::vector<Constraint>& SearchSpace::constraints() const noexcept { return m_impl->constraints; }

std::optional<std::size_t> SearchSpace::parameterIndex(std::string_view name) const noexcept {
    const auto& all = m_impl->parameters;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter& parameter) { return parameter.name == name; });
    if (found == all.end()) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin());
}

Configuration SearchSpace::defaultConfiguration() const {
    Configuration configuration;
    for (const Parameter& parameter : m_impl->parameters)
        configuration.index.push_back(static_cast<std::uint16_t>(parameter.defaultIndex));
    return configuration;
}

const Value& SearchSpace::valueOf(const Configuration& configuration, std::size_t parameter) const {
    return m_impl->parameters[parameter].values[configuration.index[parameter]];
}

Json SearchSpace::toJson(const Configuration& configuration) const {
    Json object = Json::object();
    for (std::size_t p = 0; p < m_impl->parameters.size(); ++p)
        object[m_impl->parameters[p].name] = valueOf(configuration, p).toJson();
    return object;
}

namespace {

Unexpected unknownParameter(const std::string& name, const std::vector<Parameter>& parameters) {
    std::vector<std::string> known;
    std::string all;
    for (const Parameter& parameter : parameters) {
        known.push_back(parameter.name);
        all += (all.empty() ? "" : ", ") + parameter.name;
    }
    const std::string near = expr::nearestName(name, known);
    const std::string advice = near.empty() ? "; parameters are " + all : "; did you mean '" + near + "'?";
    return fail(ErrorCode::InvalidArgument, "there is no parameter '" + name + "'" + advice);
}

Unexpected notInDomain(const Parameter& parameter, const std::string& value) {
    return fail(ErrorCode::InvalidArgument, value + " is none of its values; they are " + domainText(parameter), "parameter " + parameter.name);
}

/// "A=1", "B=(2,3)": splits at commas outside of brackets and quotes.
std::vector<std::string> splitAssignments(std::string_view text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    char quote = 0;
    for (const char c : text) {
        if (quote) quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"') quote = c;
        else if (c == '(' || c == '[') ++depth;
        else if (c == ')' || c == ']') --depth;
        else if (c == ',' && depth == 0) {
            parts.emplace_back();
            continue;
        }
        parts.back() += c;
    }
    return parts;
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

Result<std::size_t> readValue(const Parameter& parameter, const std::string& text) {
    for (std::size_t v = 0; v < parameter.values.size(); ++v)
        if (text == parameter.values[v].repr() || text == parameter.values[v].display()) return v;
    // Other spellings of a value: 0x40, 2**6, [64, 64].
    if (const auto expression = expr::Expression::parse(text); expression && expression->names().empty()) {
        if (const auto value = expression->evaluate(expr::Scope()))
            if (const auto index = parameter.indexOf(*value)) return *index;
    }
    return notInDomain(parameter, text);
}

}  // namespace

Result<Configuration> SearchSpace::fromJson(const Json& object) const {
    if (!object.is_object()) return fail(ErrorCode::InvalidArgument, "a configuration is a JSON object, not " + describeType(object));
    for (const auto& [key, value] : object.items())
        if (!parameterIndex(key)) return unknownParameter(key, m_impl->parameters);
    Configuration configuration;
    for (const Parameter& parameter : m_impl->parameters) {
        const Json* given = member(object, parameter.name);
        if (!given) return fail(ErrorCode::InvalidArgument, "it has no value in this configuration", "parameter " + parameter.name);
        const Value value = Value::fromJson(*given);
        const auto index = parameter.indexOf(value);
        if (!index) return notInDomain(parameter, value.repr());
        configuration.index.push_back(static_cast<std::uint16_t>(*index));
    }
    return configuration;
}

Result<Configuration> SearchSpace::parse(std::string_view assignments, const Configuration& base) const {
    Configuration configuration = base;
    if (trimmed(assignments).empty()) return configuration;
    std::vector<bool> given(m_impl->parameters.size(), false);
    for (const std::string& part : splitAssignments(assignments)) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) return fail(ErrorCode::InvalidArgument, "'" + trimmed(part) + "' is no NAME=VALUE; write TILE=64,VEC=4");
        const std::string name = trimmed(std::string_view(part).substr(0, equals));
        const auto parameter = parameterIndex(name);
        if (!parameter) return unknownParameter(name, m_impl->parameters);
        if (given[*parameter]) return fail(ErrorCode::InvalidArgument, "it is given twice", "parameter " + name);
        given[*parameter] = true;
        WW_TRY(index, readValue(m_impl->parameters[*parameter], trimmed(std::string_view(part).substr(equals + 1))));
        configuration.index[*parameter] = static_cast<std::uint16_t>(index);
    }
    return configuration;
}

std::string SearchSpace::display(const Configuration& configuration) const {
    std::string text;
    for (std::size_t p = 0; p < m_impl->parameters.size(); ++p)
        text += (p ? " " : "") + m_impl->parameters[p].name + "=" + valueOf(configuration, p).display();
    return text;
}

expr::Scope SearchSpace::scopeFor(const Configuration& configuration) const {
    expr::Scope scope(&m_impl->constants);
    for (std::size_t p = 0; p < m_impl->parameters.size(); ++p)
        scope.set(m_impl->parameters[p].name, valueOf(configuration, p));
    return scope;
}

bool SearchSpace::isValid(const Configuration& configuration) const {
    for (std::size_t c = 0; c < m_impl->compiled.size(); ++c)
        if (!m_impl->accepts(c, configuration)) return false;
    return true;
}

std::optional<Rejection> SearchSpace::explain(const Configuration& configuration) const {
    for (std::size_t c = 0; c < m_impl->compiled.size(); ++c) {
        if (m_impl->accepts(c, configuration)) continue;
        const Constraint& constraint = m_impl->constraints[c];
        return Rejection{constraint.id, explainRefusal(constraint, scopeFor(configuration)), constraint.suggestion};
    }
    return std::nullopt;
}

double SearchSpace::cartesianSize() const noexcept {
    double size = 1.0;
    for (const Parameter& parameter : m_impl->parameters)
        size *= static_cast<double>(parameter.values.size());
    return size;
}

ValueMask SearchSpace::fullMask() const {
    ValueMask mask;
    for (const Parameter& parameter : m_impl->parameters)
        mask.emplace_back(parameter.values.size(), true);
    return mask;
}

}  // namespace ww::space
