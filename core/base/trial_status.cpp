// SPDX-License-Identifier: Apache-2.0
#include "base/trial_status.h"

namespace ww {

std::string_view toString(TrialStatus status) noexcept {
    switch (status) {
    case TrialStatus::Ok: return "ok";
    case TrialStatus::CompileError: return "compile_error";
    case TrialStatus::CompileTimeout: return "compile_timeout";
    case TrialStatus::ResourceError: return "resource_error";
    case TrialStatus::LaunchError: return "launch_error";
    case TrialStatus::RuntimeError: return "runtime_error";
    case TrialStatus::Timeout: return "timeout";
    case TrialStatus::OutOfMemory: return "out_of_memory";
    case TrialStatus::WrongResult: return "wrong_result";
    case TrialStatus::Nondeterministic: return "nondeterministic";
    case TrialStatus::Unstable: return "unstable";
    case TrialStatus::CheatSuspected: return "cheat_suspected";
    case TrialStatus::WorkerLost: return "worker_lost";
    case TrialStatus::Cancelled: return "cancelled";
    }
    return "cancelled";
}

std::optional<TrialStatus> trialStatusFrom(std::string_view word) noexcept {
    for (const auto status : kAllTrialStatuses) {
        if (toString(status) == word) return status;
    }
    return std::nullopt;
}

std::string_view toString(Verdict verdict) noexcept {
    switch (verdict) {
    case Verdict::Faster: return "FASTER";
    case Verdict::Slower: return "SLOWER";
    case Verdict::Same: return "SAME";
    case Verdict::Ambiguous: return "AMBIGUOUS";
    }
    return "AMBIGUOUS";
}

std::optional<Verdict> verdictFrom(std::string_view word) noexcept {
    for (const auto verdict : {Verdict::Faster, Verdict::Slower, Verdict::Same, Verdict::Ambiguous}) {
        if (toString(verdict) == word) return verdict;
    }
    return std::nullopt;
}

}  // namespace ww
