// SPDX-License-Identifier: Apache-2.0
#include "engine/check_plan.h"

#include <algorithm>

#include "base/hash.h"
#include "base/rng.h"

namespace ww::engine {
namespace {

/// References quicker than this are computed for fresh inputs each time; slower ones for few sets of inputs, in turn.
constexpr double kCheapReferenceSeconds = 0.25;
/// A check of the tuned workload above this is made as seldom as the rules allow.
constexpr double kDearSeconds = 0.2;
constexpr int kHiddenShapes = 4;
constexpr int kRaceLaunches = 20;
constexpr int kTunedLaunches = 2;
constexpr int kTunedLaunchesValidated = 5;

using spec::InputFamily;

InputFamily familyInTurn(int number) { return spec::kAllInputFamilies[static_cast<std::size_t>(number) % spec::kAllInputFamilies.size()]; }

bool allowsOffsets(const spec::Spec& spec) {
    return std::any_of(spec.arguments.begin(), spec.arguments.end(), [](const auto& argument) { return argument.alignment > 0; });
}

double sizeOfShape(const spec::WorkloadSpec& workload) {
    double product = 1;
    for (const auto& [name, size] : workload.sizes) product *= static_cast<double>(size);
    return product;
}

/// The largest shape shows races and tails best.
const spec::WorkloadSpec* largest(const std::vector<spec::WorkloadSpec>& shapes) {
    const auto found = std::max_element(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) { return sizeOfShape(a) < sizeOfShape(b); });
    return found == shapes.end() ? nullptr : &*found;
}

}  // namespace

bool CheckPlanner::cheap() const noexcept { return m_referenceSeconds < kCheapReferenceSeconds; }

bool CheckPlanner::tunedIsDear() const noexcept { return m_tunedSeconds > kDearSeconds; }

bool CheckPlanner::dropped(const Check& check) const {
    return m_dropped.contains(check.workload.name) || m_dropped.contains(std::string(toString(check.inputs.family))) ||
           (check.hidden && m_dropped.contains("hidden")) || (check.offset && m_dropped.contains("offset"));
}

Inputs CheckPlanner::inputsFor(const spec::WorkloadSpec& workload, InputFamily family, int draw) const {
    return {deriveSeed(m_seed ^ nameHash(workload.name), static_cast<std::uint64_t>(draw)), family, 0};
}

std::uint64_t CheckPlanner::tunedSeed(int draw) const { return inputsFor(m_task->workload, InputFamily::Uniform, draw).seed; }

std::vector<Check> CheckPlanner::plan(const space::Configuration& configuration, const Occasion& occasion) const {
    if (m_task->spec.reference.kind == spec::ReferenceKind::Arguments) {
        // Recorded results hold for the spec's own inputs and sizes alone.
        return {{m_task->workload, inputsFor(m_task->workload, InputFamily::Uniform, occasion.trial), occasion.trial % 2, kTunedLaunches}};
    }
    auto edges = spec::edgeWorkloads(m_task->spec, m_task->workload, m_task->space.scopeFor(configuration));
    // The program was compiled for the tuned workload's types.
    for (auto& edge : edges) edge.dtypes = m_task->workload.dtypes;
    std::vector<Check> checks;
    if (occasion.round == 0) addTrial(edges, occasion, checks);
    if (occasion.round > 0 || occasion.baseline) addValidation(configuration, edges, occasion, checks);
    std::erase_if(checks, [this](const Check& check) { return dropped(check); });
    return checks;
}

void CheckPlanner::addTrial(const std::vector<spec::WorkloadSpec>& edges, const Occasion& occasion, std::vector<Check>& checks) const {
    const int draw = 2 * occasion.trial;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        // The baseline shows whether the shape itself can be computed; later trials take the families in turn.
        auto family = occasion.baseline ? InputFamily::Uniform : familyInTurn(occasion.trial + static_cast<int>(i));
        Check check{edges[i], inputsFor(edges[i], family, draw), static_cast<int>(i) % 2};
        if (dropped(check)) check.inputs.family = InputFamily::Uniform;
        check.offset = i % 2 == 1 && allowsOffsets(m_task->spec);
        checks.push_back(std::move(check));
    }
    if (const auto* shape = largest(edges)) {
        // The same addresses twice running, with other contents.
        const int poison = occasion.trial % 2;
        checks.push_back({*shape, inputsFor(*shape, InputFamily::Uniform, draw + 1), poison, 3});
        checks.push_back({*shape, inputsFor(*shape, InputFamily::BlockUnique, draw + 1000001), 1 - poison});
    }
    const auto& tuned = m_task->workload;
    const int tunedDraw = cheap() && !tunedIsDear() ? draw : occasion.trial % 2;
    const int launches = tunedIsDear() ? 1 : kTunedLaunches;
    checks.push_back({tuned, inputsFor(tuned, InputFamily::Uniform, tunedDraw), occasion.trial % 2, launches, false});
    if (edges.empty() && cheap()) {
        checks.push_back({tuned, inputsFor(tuned, InputFamily::HeavyTailed, draw + 1), 1 - occasion.trial % 2, 1, false});
    }
}

void CheckPlanner::addValidation(const space::Configuration& configuration, const std::vector<spec::WorkloadSpec>& edges, const Occasion& occasion,
                                 std::vector<Check>& checks) const {
    const auto& tuned = m_task->workload;
    // Nobody could know this seed while the candidate was made.
    const auto fresh = drawSeed();
    auto hidden = spec::hiddenWorkloads(m_task->spec, tuned, m_task->space.scopeFor(configuration), fresh, kHiddenShapes);
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        if (hidden[i].name == "hidden-near" && !occasion.baseline && (tunedIsDear() || m_referenceSeconds > 4 * kCheapReferenceSeconds)) continue;
        hidden[i].dtypes = tuned.dtypes;
        const auto family = i == 0 ? InputFamily::Uniform : familyInTurn(static_cast<int>(fresh % 6) + static_cast<int>(i));
        Check check{hidden[i], {deriveSeed(fresh, i), occasion.baseline ? InputFamily::Uniform : family, 0}, static_cast<int>(i) % 2};
        check.hidden = true;
        checks.push_back(std::move(check));
    }
    checks.push_back({tuned, {fresh, InputFamily::Uniform, 0}, 1, tunedIsDear() ? kTunedLaunches : kTunedLaunchesValidated});
    const auto* shape = largest(edges);
    const auto& raced = shape != nullptr ? *shape : tuned;
    Check race{raced, {deriveSeed(fresh, 99), InputFamily::Uniform, 0}, 0, kRaceLaunches};
    race.optional = shape == nullptr;
    checks.push_back(std::move(race));
    for (const auto family : spec::kAllInputFamilies) {
        if (family == InputFamily::Uniform) continue;
        if (shape != nullptr && (occasion.baseline || tunedIsDear())) checks.push_back({*shape, inputsFor(*shape, family, occasion.trial)});
        if (shape != nullptr && tunedIsDear()) continue;
        // Slow references are kept by their seed; each family is computed once a session.
        Check check{tuned, inputsFor(tuned, family, cheap() ? 2 * occasion.trial + 1 : 7), 0};
        check.optional = true;
        checks.push_back(std::move(check));
    }
}

}  // namespace ww::engine
