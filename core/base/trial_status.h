// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ww {

/// How a trial ended. A bad candidate is data: it never throws and never ends a session.
enum class TrialStatus {
    Ok,
    CompileError,
    CompileTimeout,
    ResourceError,
    LaunchError,
    RuntimeError,
    Timeout,
    OutOfMemory,
    WrongResult,
    Nondeterministic,
    Unstable,
    CheatSuspected,
    WorkerLost,
    Cancelled,
};

inline constexpr std::array kAllTrialStatuses{
    TrialStatus::Ok,          TrialStatus::CompileError, TrialStatus::CompileTimeout,   TrialStatus::ResourceError,
    TrialStatus::LaunchError, TrialStatus::RuntimeError, TrialStatus::Timeout,          TrialStatus::OutOfMemory,
    TrialStatus::WrongResult, TrialStatus::Nondeterministic, TrialStatus::Unstable,     TrialStatus::CheatSuspected,
    TrialStatus::WorkerLost,  TrialStatus::Cancelled};

/// "ok", "compile_error", ...: the words of the trial log and of --json.
[[nodiscard]] std::string_view toString(TrialStatus status) noexcept;
[[nodiscard]] std::optional<TrialStatus> trialStatusFrom(std::string_view word) noexcept;

/// How a candidate compares with the baseline; SPEC.md gives the rule.
enum class Verdict { Faster, Slower, Same, Ambiguous };

/// "FASTER", "SLOWER", "SAME", "AMBIGUOUS".
[[nodiscard]] std::string_view toString(Verdict verdict) noexcept;
[[nodiscard]] std::optional<Verdict> verdictFrom(std::string_view word) noexcept;

/// A closed interval; what it measures and its confidence are told by its name.
struct Interval {
    double low = 0.0;
    double high = 0.0;
    bool operator==(const Interval&) const = default;
};

}  // namespace ww
