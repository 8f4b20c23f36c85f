// SPDX-License-Identifier: Apache-2.0
#include "space/diagram_builder.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

namespace ww::space {

using expr::Kind;
using expr::Node;
using expr::Number;
using expr::Program;

namespace {

/// Equal text, equal subtree: what a shared part of two constraints is recognised by.
std::string keyOf(const Node& node) {
    std::string key = std::to_string(static_cast<int>(node.kind)) + "." + std::to_string(static_cast<int>(node.op)) + "." +
                      std::to_string(static_cast<int>(node.function)) + "." + std::to_string(node.slot);
    if (node.kind == Kind::Literal) key += "=" + node.value.repr();
    for (const expr::Op op : node.ops)
        key += "," + std::to_string(static_cast<int>(op));
    key += "(";
    for (const Node& child : node.children)
        key += keyOf(child) + ";";
    return key + ")";
}

/// A part of some constraints whose value is carried from layer to layer.
struct Entry {
    Node tree;
    std::vector<std::size_t> users;  ///< constraints
};

/// The values carried behind a layer: entries first, then one flag per `or` constraint that may be settled already.
struct Frontier {
    std::vector<std::string> keys;
    std::vector<Entry> entries;
    std::unordered_map<std::string, std::uint32_t> byKey;
    std::map<std::size_t, std::uint32_t> flags;  ///< constraint -> slot

    [[nodiscard]] std::size_t size() const noexcept { return entries.size() + flags.size(); }

    void add(const Node& part, std::size_t user) {
        const auto [found, added] = byKey.try_emplace(keyOf(part), static_cast<std::uint32_t>(entries.size()));
        if (added) entries.push_back({part, {}});
        auto& users = entries[found->second].users;
        if (users.empty() || users.back() != user) users.push_back(user);
    }
};

/// Adds the largest parts of `node` that layers 0..l bind. A comprehension that is not bound yet is carried by its bare
/// slots: its parts are evaluated with names of its own and mean nothing outside.
void addParts(const Node& node, std::uint32_t layer, std::size_t user, Frontier& frontier, bool bare = false) {
    const auto first = firstSlot(node);
    if (!first || *first > layer) return;
    if (*lastSlot(node) <= layer && (!bare || node.kind == Kind::Slot)) {
        frontier.add(node, user);
        return;
    }
    for (const Node& child : node.children)
        addParts(child, layer, user, frontier, bare || node.kind == Kind::Comprehension);
}

/// The tree over the inputs of a layer: carried parts become their slots, the layer's own parameter the slot behind them.
Node rewrite(const Node& node, const Frontier& before, bool bare = false) {
    if (node.kind == Kind::Slot || (!bare && node.kind != Kind::Literal)) {
        if (const auto found = before.byKey.find(keyOf(node)); found != before.byKey.end()) {
            Node slot;
            slot.kind = Kind::Slot;
            slot.slot = found->second;
            return slot;
        }
    }
    Node copy = node;
    if (node.kind == Kind::Slot) {
        copy.slot = static_cast<std::uint32_t>(before.size());
        return copy;
    }
    for (Node& child : copy.children)
        child = rewrite(child, before, bare || node.kind == Kind::Comprehension);
    return copy;
}

/// Tells equal rows of numbers apart quickly; open addressing over one flat array.
class StateTable {
public:
    explicit StateTable(std::size_t width) : m_width(width), m_slots(1024, kFree) {}

    [[nodiscard]] std::uint32_t insert(const Number* row) {
        if ((m_count + 1) * 2 > m_slots.size()) grow();
        std::size_t at = hash(row) & (m_slots.size() - 1);
        for (; m_slots[at] != kFree; at = (at + 1) & (m_slots.size() - 1))
            if (std::equal(row, row + m_width, this->row(m_slots[at]))) return m_slots[at];
        m_slots[at] = static_cast<std::uint32_t>(m_count);
        m_rows.insert(m_rows.end(), row, row + m_width);
        return static_cast<std::uint32_t>(m_count++);
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_count; }
    [[nodiscard]] const Number* row(std::size_t index) const noexcept { return m_rows.data() + index * m_width; }

private:
    static constexpr std::uint32_t kFree = ~std::uint32_t{0};

    std::uint64_t hash(const Number* row) const noexcept {
        std::uint64_t h = 0x9e3779b97f4a7c15ull;
        for (std::size_t i = 0; i < m_width; ++i) {
            h = (h ^ row[i].bits() ^ (static_cast<std::uint64_t>(row[i].type) << 56)) * 0xbf58476d1ce4e5b9ull;
            h ^= h >> 29;
        }
        return h;
    }
    void grow() {
        m_slots.assign(m_slots.size() * 2, kFree);
        for (std::size_t i = 0; i < m_count; ++i) {
            std::size_t at = hash(row(i)) & (m_slots.size() - 1);
            while (m_slots[at] != kFree)
                at = (at + 1) & (m_slots.size() - 1);
            m_slots[at] = static_cast<std::uint32_t>(i);
        }
    }

    std::size_t m_width, m_count = 0;
    std::vector<std::uint32_t> m_slots;
    std::vector<Number> m_rows;
};

class Builder {
public:
    Builder(DiagramInput& input, expr::Objects& objects, const DiagramLimits& limits)
        : m_input(input), m_objects(objects), m_limits(limits) {
        for (Node& constraint : m_input.constraints) {
            orderSums(constraint, m_input.domains);
            m_last.push_back(lastSlot(constraint).value_or(0));
        }
    }

    BuiltDiagram build() {
        BuiltDiagram built;
        Diagram diagram;
        diagram.order = m_input.order;
        Frontier before;
        StateTable states(0);
        (void)states.insert(nullptr);
        std::size_t nodes = 0, edges = 0;
        for (std::uint32_t l = 0; l < m_input.order.size(); ++l) {
            const Frontier after = frontierAfter(l);
            const Plan plan = planFor(l, before, after);
            StateTable next(after.size());
            Diagram::Layer layer;
            if (!expand(l, before, after, plan, states, next, layer, nodes, edges)) {
                built.widest = widestOf(after);
                return built;
            }
            nodes += states.size();
            edges += layer.edges.size();
            diagram.layers.push_back(std::move(layer));
            states = std::move(next);
            before = after;
        }
        built.diagram = std::move(diagram);
        return built;
    }

private:
    struct Plan {
        struct Step {
            bool copied = false;
            std::uint32_t from = 0;  ///< copied: slot before
            std::optional<Program> program;
        };
        std::vector<std::pair<std::size_t, Program>> checks;  ///< constraints that end here
        std::vector<Program> own;                             ///< those of this parameter alone
        std::vector<Step> steps;                              ///< one per entry after
        std::vector<std::pair<std::size_t, std::optional<Program>>> settles;  ///< one per flag after: constraint, its bound operands
    };

    /// Leading operands of an `or` constraint that layers 0..l bind; 0 where there are none or it is no `or`.
    std::size_t boundOperands(std::size_t constraint, std::uint32_t l) const {
        const Node& node = m_input.constraints[constraint];
        if (node.kind != Kind::Or) return 0;
        std::size_t count = 0;
        while (count < node.children.size() && lastSlot(node.children[count]).value_or(0) <= l)
            ++count;
        return count;
    }

    Frontier frontierAfter(std::uint32_t l) const {
        Frontier frontier;
        for (std::size_t c = 0; c < m_input.constraints.size(); ++c)
            if (m_last[c] > l) addParts(m_input.constraints[c], l, c, frontier);
        auto slot = static_cast<std::uint32_t>(frontier.entries.size());
        for (std::size_t c = 0; c < m_input.constraints.size(); ++c)
            if (m_last[c] > l && boundOperands(c, l) > 0) frontier.flags.emplace(c, slot++);
        return frontier;
    }

    Plan planFor(std::uint32_t l, const Frontier& before, const Frontier& after) const {
        Plan plan;
        for (std::size_t c = 0; c < m_input.constraints.size(); ++c) {
            if (m_last[c] != l) continue;
            Program check(rewrite(m_input.constraints[c], before));
            if (firstSlot(m_input.constraints[c]) == l) plan.own.push_back(std::move(check));
            else plan.checks.emplace_back(c, std::move(check));
        }
        for (const Entry& entry : after.entries) {
            Plan::Step step;
            const auto carried = before.byKey.find(keyOf(entry.tree));
            step.copied = carried != before.byKey.end() || entry.tree.kind == Kind::Slot;
            if (carried != before.byKey.end()) step.from = carried->second;
            else if (entry.tree.kind == Kind::Slot) step.from = static_cast<std::uint32_t>(before.size());
            else step.program.emplace(rewrite(entry.tree, before));
            plan.steps.push_back(std::move(step));
        }
        for (const auto& [c, slot] : after.flags) {
            std::optional<Program> settle;
            if (boundOperands(c, l) > (l == 0 ? 0 : boundOperands(c, l - 1))) {
                Node prefix = m_input.constraints[c];
                prefix.children.resize(boundOperands(c, l));
                settle.emplace(rewrite(prefix, before));
            }
            plan.settles.emplace_back(c, std::move(settle));
        }
        return plan;
    }

    static bool isSettled(const Frontier& frontier, std::size_t constraint, const Number* row) {
        const auto flag = frontier.flags.find(constraint);
        return flag != frontier.flags.end() && row[flag->second].truthy();
    }

    /// Values of layer l that its own constraints accept.
    std::vector<std::uint16_t> ownValues(std::uint32_t l, const Plan& plan, std::size_t inputs) const {
        std::vector<std::uint16_t> values;
        std::vector<Number> row(inputs + 1);
        for (std::size_t v = 0; v < m_input.domains[l].size(); ++v) {
            row[inputs] = m_input.domains[l][v];
            if (std::all_of(plan.own.begin(), plan.own.end(), [&](const Program& check) { return check.accepts(row.data(), m_objects); })) {
                values.push_back(static_cast<std::uint16_t>(v));
            }
        }
        return values;
    }

    /// The row behind the layer for one choice.
    void advance(const Frontier& before, const Frontier& after, const Plan& plan, const Number* in, Number* out) const {
        std::size_t slot = after.entries.size();
        for (const auto& [c, settle] : plan.settles)
            out[slot++] = Number::ofBool(isSettled(before, c, in) || (settle && settle->accepts(in, m_objects)));
        for (std::size_t i = 0; i < plan.steps.size(); ++i) {
            const auto& users = after.entries[i].users;
            if (!after.flags.empty() && std::all_of(users.begin(), users.end(), [&](std::size_t c) { return isSettled(after, c, out); })) {
                out[i] = Number::ofInt(0);  // nobody will look at it: all such states are one
            } else {
                out[i] = plan.steps[i].copied ? in[plan.steps[i].from] : plan.steps[i].program->compute(in, m_objects);
            }
        }
    }

    bool expand(std::uint32_t l, const Frontier& before, const Frontier& after, const Plan& plan, const StateTable& states, StateTable& next,
                Diagram::Layer& layer, std::size_t nodes, std::size_t edges) const {
        const std::size_t width = before.size();
        const std::vector<std::uint16_t> values = ownValues(l, plan, width);
        std::vector<Number> in(width + 1), out(after.size() + 1);
        layer.first.push_back(0);
        for (std::size_t s = 0; s < states.size(); ++s) {
            std::copy_n(states.row(s), width, in.begin());
            for (const std::uint16_t v : values) {
                in[width] = m_input.domains[l][v];
                const bool accepted = std::all_of(plan.checks.begin(), plan.checks.end(), [&](const auto& check) {
                    return isSettled(before, check.first, in.data()) || check.second.accepts(in.data(), m_objects);
                });
                if (!accepted) continue;
                advance(before, after, plan, in.data(), out.data());
                layer.edges.push_back({next.insert(out.data()), v});
            }
            layer.first.push_back(static_cast<std::uint32_t>(layer.edges.size()));
            if (nodes + states.size() + next.size() > m_limits.nodes || edges + layer.edges.size() > m_limits.edges) return false;
        }
        return true;
    }

    /// The constraint that adds most parts to a state.
    std::size_t widestOf(const Frontier& frontier) const {
        std::vector<std::size_t> parts(m_input.constraints.size() + 1, 0);
        for (const Entry& entry : frontier.entries)
            for (const std::size_t user : entry.users)
                ++parts[user];
        return static_cast<std::size_t>(std::max_element(parts.begin(), parts.end() - 1) - parts.begin());
    }

    DiagramInput& m_input;
    expr::Objects& m_objects;
    const DiagramLimits& m_limits;
    std::vector<std::uint32_t> m_last;
};

/// Drops dead ends and merges nodes with the same edges, from the last layer up.
void reduce(Diagram& diagram) {
    constexpr std::uint32_t dead = ~std::uint32_t{0};
    std::vector<std::uint32_t> renamed{0};
    for (std::size_t l = diagram.layers.size(); l-- > 0;) {
        Diagram::Layer& old = diagram.layers[l];
        Diagram::Layer kept;
        kept.first.push_back(0);
        std::vector<std::uint32_t> names(old.size(), dead);
        std::unordered_multimap<std::uint64_t, std::uint32_t> known;
        known.reserve(old.size());
        for (std::size_t node = 0; node < old.size(); ++node) {
            const std::size_t start = kept.edges.size();
            std::uint64_t hash = 0xcbf29ce484222325ull;
            for (std::uint32_t e = old.first[node]; e < old.first[node + 1]; ++e) {
                const std::uint32_t child = renamed[old.edges[e].child];
                if (child == dead) continue;
                kept.edges.push_back({child, old.edges[e].value});
                hash = (hash ^ (static_cast<std::uint64_t>(child) << 16 | old.edges[e].value)) * 0xbf58476d1ce4e5b9ull;
                hash ^= hash >> 31;
            }
            if (kept.edges.size() == start) continue;
            const auto same = [&](std::uint32_t other) {
                return std::equal(kept.edges.begin() + kept.first[other], kept.edges.begin() + kept.first[other + 1],
                                  kept.edges.begin() + static_cast<std::ptrdiff_t>(start), kept.edges.end(),
                                  [](const Diagram::Edge& a, const Diagram::Edge& b) { return a.child == b.child && a.value == b.value; });
            };
            const auto [from, to] = known.equal_range(hash);
            const auto found = std::find_if(from, to, [&](const auto& entry) { return same(entry.second); });
            if (found != to) {
                names[node] = found->second;
                kept.edges.resize(start);
                continue;
            }
            names[node] = static_cast<std::uint32_t>(kept.size());
            known.emplace(hash, names[node]);
            kept.first.push_back(static_cast<std::uint32_t>(kept.edges.size()));
        }
        old = std::move(kept);
        renamed = std::move(names);
    }
}

}  // namespace

BuiltDiagram buildDiagram(DiagramInput input, expr::Objects& objects, const DiagramLimits& limits) {
    BuiltDiagram built = Builder(input, objects, limits).build();
    if (built.diagram) reduce(*built.diagram);
    return built;
}

}  // namespace ww::space
