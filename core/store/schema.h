// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "base/result.h"

namespace SQLite {
class Database;
}

namespace ww::store {

/// The newest format, kept in `user_version`. docs/trial-log.md describes it.
inline constexpr int kSchemaVersion = 1;

/// A step from format version - 1 to `version`. Never edited once released: a change of the schema is a new step.
struct Migration {
    int version = 0;
    const char* sql = nullptr;
};

[[nodiscard]] std::span<const Migration> migrations();

/// Brings a file forward, one transaction a step, after a copy of the old file to `<file>.v<N>.bak`. A step that fails leaves
/// the file at the step before. May throw SQLite::Exception. Errors: DatabaseError.
[[nodiscard]] Result<void> migrate(SQLite::Database& database, const std::filesystem::path& file, std::span<const Migration> steps);

} // namespace ww::store
