// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/check_plan.h"
#include "engine/original.h"
#include "engine/reference.h"
#include "engine/workers.h"

namespace ww::engine {

/// Runs a program on the shapes and inputs of a CheckPlanner and compares every output element with the reference. The candidate
/// runs before the reference does, so nothing of the answer is in its reach. Engine thread.
class Verifier {
public:
    using Occasion = engine::Occasion;

    Verifier(std::shared_ptr<const Task> task, Workers& workers, std::uint64_t seed);

    /// Adds what was compared to `report` (one entry per check). A candidate's fault is the Flaw; an Error is ours or the spec's:
    /// with a baseline also InvalidSpec where the task is degenerate or a gradient check is asked that cannot be made.
    [[nodiscard]] Result<Flaw> verify(Program& program, const Occasion& occasion, Json& report);

    /// The gradient check where the spec asks for one, for a program that passed: {error, tolerance, shape}; null where not asked.
    /// docs/verification.md says what it compares. Errors: as verify().
    [[nodiscard]] Result<Json> checkGradient(Program& program, const Occasion& occasion);

    /// The configuration that stands for the original where the spec has no reference of its own.
    void standIn(const space::Configuration& configuration);
    [[nodiscard]] std::string describe() const { return m_reference.describe(); }
    /// What the user should know of since the last call.
    [[nodiscard]] std::vector<std::string> takeNotes() { return std::exchange(m_notes, {}); }

private:
    /// Outputs that this program gave before, to know them again.
    struct Earlier {
        std::uint64_t digest = 0, seed = 0;
    };
    [[nodiscard]] Result<Flaw> perform(Program& program, const Check& check, Json& report);
    [[nodiscard]] Result<Flaw> compare(const spec::ResolvedLaunch& launch, const worker::RunResult& run, const Expected& expected,
                                       const Check& check, Json& entry);
    [[nodiscard]] Flaw judgeRepeats(const spec::ResolvedLaunch& launch, const verify::Repeats& repeats, const Expected& expected) const;
    [[nodiscard]] std::optional<Flaw> recognise(const worker::RunResult& run, const Check& check);
    /// Whether the original fails there as well, so that it proves nothing about a candidate.
    [[nodiscard]] bool originalFails(const Check& check);
    void dropFor(const Check& check, const std::string& reason);
    [[nodiscard]] spec::ResolvedLaunch prepared(spec::ResolvedLaunch launch, const Check& check) const;
    [[nodiscard]] Result<void> checkTask(const space::Configuration& configuration);
    [[nodiscard]] Result<std::vector<std::vector<double>>> outputsOf(Program& program, const spec::WorkloadSpec& workload, const Inputs& inputs,
                                                                     Flaw& flaw);

    std::shared_ptr<const Task> m_task;
    Workers& m_workers;
    std::uint64_t m_seed;
    CheckPlanner m_planner;
    OriginalProgram m_referenceProgram;     ///< what ReferenceProvider runs where it has no script
    OriginalProgram m_original;             ///< for a second opinion
    ReferenceProvider m_reference;
    Occasion m_occasion;                    ///< the running one
    bool m_varies = false;                  ///< the original itself is nondeterministic beyond rounding
    std::vector<Earlier> m_earlier;         ///< of the running verification
    std::vector<std::string> m_notes;
};

}  // namespace ww::engine
