// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace ww {

std::string_view toString(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::InvalidArgument: return "invalid_argument";
    case ErrorCode::NotFound: return "not_found";
    case ErrorCode::Unreadable: return "unreadable";
    case ErrorCode::ParseError: return "parse_error";
    case ErrorCode::InvalidSpec: return "invalid_spec";
    case ErrorCode::InvalidExpression: return "invalid_expression";
    case ErrorCode::EmptySpace: return "empty_space";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::EnvironmentMissing: return "environment_missing";
    case ErrorCode::SandboxUnavailable: return "sandbox_unavailable";
    case ErrorCode::WorkerFailed: return "worker_failed";
    case ErrorCode::DatabaseLocked: return "database_locked";
    case ErrorCode::DatabaseCorrupt: return "database_corrupt";
    case ErrorCode::DatabaseVersion: return "database_version";
    case ErrorCode::DatabaseError: return "database_error";
    case ErrorCode::Cancelled: return "cancelled";
    case ErrorCode::Internal: return "internal";
    }
    return "internal";
}

int exitCodeFor(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::InvalidArgument: return 2;
    case ErrorCode::NotFound:
    case ErrorCode::Unreadable:
    case ErrorCode::ParseError:
    case ErrorCode::InvalidSpec:
    case ErrorCode::InvalidExpression:
    case ErrorCode::EmptySpace:
    case ErrorCode::Unsupported: return 1;
    case ErrorCode::Cancelled: return 130;
    default: return 3;
    }
}

std::string Error::toString() const {
    return context.empty() ? message : context + ": " + message;
}

}  // namespace ww
