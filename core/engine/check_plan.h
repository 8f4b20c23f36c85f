// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/reference.h"
#include "engine/session.h"

namespace ww::engine {

/// One launch (or several on the same inputs) whose outputs are compared with the reference.
struct Check {
    spec::WorkloadSpec workload;
    Inputs inputs;
    int poison = 0;
    int launches = 1;
    bool wholeInputs = true;   ///< read-only buffers are compared whole afterwards
    bool offset = false;       ///< buffers at the least alignment that the spec allows
    bool hidden = false;       ///< a shape drawn after the compile
    bool optional = false;     ///< left out when time runs short
};

/// What a plan is made for. Inputs are drawn from (session seed, workload, trial, round).
struct Occasion {
    int trial = 0;
    int round = 0;               ///< 0: what each trial gets; later ones validate: every family, hidden shapes, seeds drawn now
    bool baseline = false;       ///< gets both, so that the session knows what the original itself can do
    std::int64_t deadlineNs = 0; ///< monotonic
};

/// Chooses shapes, inputs and repeats. Every trial: each edge shape with a family of inputs in turn, one of them launched again
/// with other contents at the same addresses, and the tuned shape twice. A validation adds shapes and a seed drawn after the
/// compile, every family on the tuned shape, and 20 launches of one shape.
class CheckPlanner {
public:
    CheckPlanner(std::shared_ptr<const Task> task, std::uint64_t seed) : m_task(std::move(task)), m_seed(seed) {}

    [[nodiscard]] std::vector<Check> plan(const space::Configuration& configuration, const Occasion& occasion) const;

    /// Seconds that the reference took on the tuned workload: where it is slow, seeds there repeat, so that it is kept.
    void setReferenceSeconds(double seconds) { m_referenceSeconds = seconds; }
    /// Seconds that a check of the tuned workload took, inputs and comparison included. Where they are many, a trial gets one such
    /// check of one launch, and the families of a validation move to the largest edge shape.
    void setTunedSeconds(double seconds) { m_tunedSeconds = seconds; }
    /// Leaves a shape, a family of inputs or (with "hidden") hidden shapes out for the rest of the session.
    void drop(const std::string& what) { m_dropped.insert(what); }
    [[nodiscard]] bool dropped(const Check& check) const;
    /// The two seeds between which slow references take turns.
    [[nodiscard]] std::uint64_t tunedSeed(int draw) const;

private:
    [[nodiscard]] bool cheap() const noexcept;
    [[nodiscard]] bool tunedIsDear() const noexcept;
    [[nodiscard]] Inputs inputsFor(const spec::WorkloadSpec& workload, spec::InputFamily family, int draw) const;
    void addTrial(const std::vector<spec::WorkloadSpec>& edges, const Occasion& occasion, std::vector<Check>& checks) const;
    void addValidation(const space::Configuration& configuration, const std::vector<spec::WorkloadSpec>& edges, const Occasion& occasion,
                       std::vector<Check>& checks) const;

    std::shared_ptr<const Task> m_task;
    std::uint64_t m_seed;
    double m_referenceSeconds = 0;
    double m_tunedSeconds = 0;
    std::set<std::string> m_dropped;
};

}  // namespace ww::engine
