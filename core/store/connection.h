// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "base/json.h"
#include "base/result.h"

namespace ww::store {

/// "Warp", in the header of every trial log, so that `file` and we can tell it from other databases.
inline constexpr int kApplicationId = 0x57617270;

/// Opens (and creates) a trial log for the holder of its writer lock: WAL, pragmas, application id, migrations, check of the
/// file where it is small or `uncleanEnd`. Errors: DatabaseCorrupt, DatabaseVersion, Unreadable, DatabaseLocked, DatabaseError.
[[nodiscard]] Result<std::unique_ptr<SQLite::Database>> openForWriting(const std::filesystem::path& file, bool uncleanEnd);

/// Opens an existing trial log read-only; works in a folder that cannot be written. Errors: NotFound, and as above.
[[nodiscard]] Result<std::unique_ptr<SQLite::Database>> openForReading(const std::filesystem::path& file);

/// The Error for what SQLite reported, with advice.
[[nodiscard]] Error errorFrom(const SQLite::Exception& exception, const std::filesystem::path& file);

/// Runs `body`, which returns a Result<T>, and turns every exception of SQLite and of the JSON library into an Error.
template <typename F> auto guarded(const std::filesystem::path& file, F&& body) -> std::invoke_result_t<F> {
    try {
        return body();
    } catch (const SQLite::Exception& exception) {
        return Unexpected{errorFrom(exception, file)};
    } catch (const Json::exception& exception) {
        return fail(ErrorCode::DatabaseCorrupt, std::string("a stored JSON text is damaged (") + exception.what() + ")", file.string());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::DatabaseError, "out of memory while using the trial log", file.string());
    }
}

/// Writes in one transaction that takes the write lock at once, so that it cannot fail half way for a lock.
template <typename F>
auto inTransaction(SQLite::Database& database, const std::filesystem::path& file, F&& body) -> std::invoke_result_t<F> {
    return guarded(file, [&]() -> std::invoke_result_t<F> {
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        auto result = body();
        if (result) transaction.commit();
        return result;
    });
}

} // namespace ww::store
