// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace ww {

/// What kind of thing is broken. The window maps a code to a translated sentence; the message is the detail beside it.
/// A bad *candidate* is never an Error: it is a TrialStatus in the trial's record.
enum class ErrorCode {
    InvalidArgument,    ///< a caller or command-line value that cannot be used
    NotFound,           ///< a file, kernel, parameter, session or trial that is not there
    Unreadable,         ///< a file or folder that exists but cannot be read or written
    ParseError,         ///< text that is not in its language; the message carries line and column
    InvalidSpec,        ///< a spec that parses but does not make sense
    InvalidExpression,  ///< an expression that cannot be parsed or evaluated; the message carries the column
    EmptySpace,         ///< no valid configuration is left
    Unsupported,        ///< a feature this device or build cannot serve
    EnvironmentMissing, ///< compiler, driver, bubblewrap, worker binary, ... is missing or of another version
    SandboxUnavailable, ///< isolation cannot be had and was not waived
    WorkerFailed,       ///< a worker process broke outside any candidate
    DatabaseLocked,     ///< another writer holds the trial log
    DatabaseCorrupt,    ///< the file is damaged or is no trial log
    DatabaseVersion,    ///< the file was written by a newer version
    DatabaseError,      ///< any other failure of the trial log
    Cancelled,          ///< stopped by the user
    Internal,           ///< a broken invariant of ours
};

/// "invalid_argument", "not_found", ...: stable, for logs and JSON.
[[nodiscard]] std::string_view toString(ErrorCode code) noexcept;

/// Process exit code of the command line contract: 1 input at fault, 2 usage, 3 environment, 130 interrupted.
[[nodiscard]] int exitCodeFor(ErrorCode code) noexcept;

/// A failure of the harness or of its input. `message` is English, says what is wrong and what to do about it.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string context{};  ///< where in the input: "gemm.json, line 12, column 4", "parameter TILE", ... ; may be empty
    std::source_location where = std::source_location::current();

    /// "context: message", or the message alone.
    [[nodiscard]] std::string toString() const;
};

}  // namespace ww
