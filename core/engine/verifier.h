// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/original.h"
#include "engine/reference.h"
#include "engine/workers.h"

namespace ww::engine {

/// Runs a program on the tuned workload and on small edge shapes, with fresh inputs each time, and compares every output element
/// with the reference. The candidate runs before the reference does, so nothing of the answer is in its reach. Engine thread.
class Verifier {
public:
    Verifier(std::shared_ptr<const Task> task, Workers& workers, std::uint64_t seed);

    /// Which check this is. Inputs are drawn from (session seed, workload, trial, round).
    struct Occasion {
        int trial = 0;
        int round = 0;              ///< 0: every shape; later ones: the tuned workload again with other inputs
        bool baseline = false;      ///< edge shapes of our own making that it fails are dropped for the session, with a note
        std::int64_t deadlineNs = 0;  ///< monotonic
    };
    /// Adds what was compared to `report` (one entry per workload). A candidate's fault is the Flaw; an Error is ours or the spec's.
    [[nodiscard]] Result<Flaw> verify(Program& program, const Occasion& occasion, Json& report);

    /// The configuration that stands for the original where the spec has no reference of its own.
    void standIn(const space::Configuration& configuration) { m_original.standIn(configuration); }
    [[nodiscard]] std::string describe() const { return m_reference.describe(); }
    /// What the user should know of since the last call.
    [[nodiscard]] std::vector<std::string> takeNotes() { return std::exchange(m_notes, {}); }

private:
    [[nodiscard]] Result<Flaw> check(Program& program, const spec::WorkloadSpec& workload, const Occasion& occasion, Json& report);
    [[nodiscard]] Result<Flaw> compare(const spec::ResolvedLaunch& launch, const worker::RunResult& run, const Expected& expected,
                                       const std::string& workload, Json& entry) const;
    [[nodiscard]] std::uint64_t seedFor(const spec::WorkloadSpec& workload, const Occasion& occasion) const;

    std::shared_ptr<const Task> m_task;
    Workers& m_workers;
    std::uint64_t m_seed;
    OriginalProgram m_original;
    ReferenceProvider m_reference;
    std::int64_t m_deadlineNs = 0;          ///< of the running check
    double m_referenceSeconds = 0;          ///< of the tuned workload, last time
    std::set<std::string> m_droppedEdges;   ///< derived shapes that the baseline itself fails
    std::vector<std::string> m_notes;
};

}  // namespace ww::engine
