// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/rng.h"
#include "spec/parse_internal.h"

namespace ww::spec {
namespace {

/// Per argument; keeps the reference and a run on the CPU device cheap.
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 18;
/// Product of all varied sizes: a stand-in for the work (a matrix product has N * M * K).
constexpr double kMaxWork = double(std::uint64_t{1} << 21);
/// Smaller sizes are structure (a filter radius, channels), no extent.
constexpr std::int64_t kSmallestExtent = 8;
/// Conditions ask for tiles and their multiples, which are hardly ever larger.
constexpr std::int64_t kLargestStep = 1024;

/// Sizes that reach the kernel as a Scalar: only for these can it know that a shape is smaller than usual.
std::vector<std::string> variedSizes(const Spec& spec, const WorkloadSpec& tuned) {
    std::set<std::string> passed;
    for (const auto& argument : spec.arguments) {
        if (argument.memory == MemoryKind::Scalar && argument.scalar) passed.insert(argument.scalar->names().begin(), argument.scalar->names().end());
    }
    std::vector<std::string> varied;
    for (const auto& [name, usual] : spec.sizes) {
        const auto own = tuned.sizes.find(name);
        if (passed.contains(name) && (own == tuned.sizes.end() ? usual : own->second) >= kSmallestExtent) varied.push_back(name);
    }
    return varied;
}

std::int64_t sizeIn(const Spec& spec, const WorkloadSpec& workload, const std::string& name) {
    const auto own = workload.sizes.find(name);
    return own == workload.sizes.end() ? spec.sizes.at(name) : own->second;
}

bool isCheap(const ResolvedLaunch& launch) {
    return std::all_of(launch.arguments.begin(), launch.arguments.end(), [](const auto& a) { return a.elements <= kMaxElements; });
}

WorkloadSpec shaped(const WorkloadSpec& tuned, std::string name) {
    WorkloadSpec edge = tuned;
    edge.name = std::move(name);
    edge.verifyOnly = true;
    edge.weight = 0;
    return edge;
}

bool holds(const Spec& spec, const std::vector<expr::Expression>& conditions, const WorkloadSpec& workload, const expr::Scope& configurationScope) {
    expr::Scope scope(&configurationScope);
    if (!setWorkloadNames(spec, workload, scope)) return false;
    return std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
        const auto value = condition.evaluate(scope);
        return value && value->truthy();
    });
}

/// The tuned shape, halved until it is cheap, then odd and different in each size, so that swapped extents show.
std::optional<WorkloadSpec> largeOddShape(const Spec& spec, const WorkloadSpec& tuned, const std::vector<std::string>& varied,
                                          const expr::Scope& scope) {
    std::int64_t cap = 1;
    for (const auto& name : varied) cap = std::max(cap, sizeIn(spec, tuned, name));
    for (; cap >= kSmallestExtent; cap /= 2) {
        WorkloadSpec edge = shaped(tuned, "edge-large");
        double work = 1;
        std::int64_t shift = 0;
        for (const auto& name : varied) {
            const std::int64_t size = std::max<std::int64_t>((std::min(sizeIn(spec, tuned, name), cap) - 1 - shift) | 1, 1);
            edge.sizes[name] = size;
            work *= static_cast<double>(size);
            shift += 2;
        }
        if (work > kMaxWork) continue;
        const auto launch = resolveLaunch(spec, scope, edge);
        if (launch && isCheap(*launch)) return edge;
    }
    return std::nullopt;
}

/// The conditions that speak of sizes and hold for the tuned shape: a derived shape must keep them.
std::vector<expr::Expression> sizeConditions(const Spec& spec, const WorkloadSpec& tuned, const expr::Scope& scope) {
    std::vector<expr::Expression> conditions;
    for (const auto& condition : spec.conditions) {
        auto parsed = expr::Expression::parse(condition.text);
        if (!parsed) continue;
        const bool ofSizes = std::any_of(parsed->names().begin(), parsed->names().end(), [&](const auto& name) {
            return spec.sizes.contains(name) || name == "ProblemSize" || name.starts_with("problem_size_");
        });
        if (ofSizes && holds(spec, {*parsed}, tuned, scope)) conditions.push_back(*parsed);
    }
    return conditions;
}

/// The shape itself, or a larger one near it that keeps the conditions: shifted where they ask for more (an odd size stays
/// odd), rounded up where they ask for multiples.
std::optional<WorkloadSpec> keeping(const Spec& spec, const std::vector<expr::Expression>& conditions, const WorkloadSpec& edge,
                                    const std::vector<std::string>& varied, const expr::Scope& scope) {
    if (holds(spec, conditions, edge, scope)) return edge;
    for (std::int64_t step = 2; step <= kLargestStep; step *= 2) {
        WorkloadSpec shifted = edge, rounded = edge;
        for (const auto& name : varied) {
            shifted.sizes[name] += step;
            rounded.sizes[name] = (rounded.sizes[name] + step - 1) / step * step;
        }
        if (holds(spec, conditions, shifted, scope)) return shifted;
        if (holds(spec, conditions, rounded, scope)) return rounded;
    }
    return std::nullopt;
}

/// Every size anywhere between 1 and its cap, the caps halved until the work is cheap.
WorkloadSpec randomShape(const Spec& spec, const WorkloadSpec& tuned, const std::vector<std::string>& varied, SplitMix64& random, std::string name) {
    WorkloadSpec shape = shaped(tuned, std::move(name));
    double work = 0;
    std::int64_t cap = std::int64_t{1} << 18;
    do {
        work = 1;
        for (const auto& varying : varied) {
            const auto largest = std::max<std::int64_t>(1, std::min(sizeIn(spec, tuned, varying), cap));
            const auto size = 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(largest)));
            shape.sizes[varying] = size;
            work *= static_cast<double>(size);
        }
        cap /= 2;
    } while (work > kMaxWork && cap > 0);
    return shape;
}

}  // namespace

std::string_view toString(InputFamily family) noexcept {
    switch (family) {
    case InputFamily::Uniform: return "uniform";
    case InputFamily::HeavyTailed: return "heavy-tailed";
    case InputFamily::BlockUnique: return "block-unique";
    case InputFamily::ExactIntegers: return "exact-integers";
    case InputFamily::Large: return "large";
    case InputFamily::Tiny: return "tiny";
    }
    return "uniform";
}

std::vector<WorkloadSpec> hiddenWorkloads(const Spec& spec, const WorkloadSpec& tuned, const expr::Scope& configurationScope, std::uint64_t seed,
                                          int count) {
    const auto varied = variedSizes(spec, tuned);
    if (varied.empty() || spec.reference.kind == ReferenceKind::Arguments) return {};
    const auto conditions = sizeConditions(spec, tuned, configurationScope);
    SplitMix64 random(seed);
    std::vector<WorkloadSpec> shapes;
    const auto keep = [&](const WorkloadSpec& shape, bool anySize) {
        const auto kept = keeping(spec, conditions, shape, varied, configurationScope);
        const auto launch = kept ? resolveLaunch(spec, configurationScope, *kept) : Result<ResolvedLaunch>(fail(ErrorCode::InvalidSpec, ""));
        if (launch && !launch->empty && (anySize || isCheap(*launch))) shapes.push_back(*kept);
    };
    WorkloadSpec near = shaped(tuned, "hidden-near");
    for (const auto& name : varied) {
        const auto size = sizeIn(spec, tuned, name);
        near.sizes[name] = size - 1 - static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(1, size / 16))));
    }
    keep(near, true);
    constexpr int kTries = 20;
    for (int i = 0; i < kTries * count && static_cast<int>(shapes.size()) < count; ++i) {
        keep(randomShape(spec, tuned, varied, random, "hidden-" + std::to_string(shapes.size())), false);
    }
    return shapes;
}

std::vector<WorkloadSpec> edgeWorkloads(const Spec& spec, const WorkloadSpec& tuned, const expr::Scope& configurationScope) {
    std::vector<WorkloadSpec> edges;
    for (const auto& workload : spec.workloads) {
        if (workload.verifyOnly && resolveLaunch(spec, configurationScope, workload)) edges.push_back(workload);
    }
    const auto usual = resolveLaunch(spec, configurationScope, tuned);
    const auto varied = variedSizes(spec, tuned);
    // Recorded results belong to the tuned shape alone.
    if (!usual || varied.empty() || spec.reference.kind == ReferenceKind::Arguments) return edges;
    const auto conditions = sizeConditions(spec, tuned, configurationScope);
    const std::int64_t tile = std::max<std::int64_t>(*std::max_element(usual->block.begin(), usual->block.end()), 2);

    std::vector<WorkloadSpec> derived;
    for (const auto& [name, size] : {std::pair{"edge-1", std::int64_t{1}}, std::pair{"edge-tile-1", tile - 1}, std::pair{"edge-tile", tile},
                                     std::pair{"edge-tile+1", tile + 1}}) {
        WorkloadSpec edge = shaped(tuned, name);
        for (const auto& varying : varied) edge.sizes[varying] = size;
        derived.push_back(std::move(edge));
    }
    WorkloadSpec odd = shaped(tuned, "edge-odd");
    for (std::size_t i = 0; i < varied.size(); ++i) odd.sizes[varied[i]] = 2 * tile + 5 + 2 * static_cast<std::int64_t>(i);
    derived.push_back(std::move(odd));
    if (auto large = largeOddShape(spec, tuned, varied, configurationScope)) derived.push_back(std::move(*large));

    for (const auto& shape : derived) {
        auto kept = keeping(spec, conditions, shape, varied, configurationScope);
        if (!kept) continue;
        WorkloadSpec& edge = *kept;
        const bool seen = std::any_of(edges.begin(), edges.end(), [&](const auto& other) { return other.sizes == edge.sizes; });
        const auto launch = resolveLaunch(spec, configurationScope, edge);
        if (!seen && launch && isCheap(*launch)) edges.push_back(std::move(edge));
    }
    return edges;
}

}  // namespace ww::spec
