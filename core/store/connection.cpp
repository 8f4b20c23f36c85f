// SPDX-License-Identifier: Apache-2.0
#include "store/connection.h"

#include <sqlite3.h>

#include <array>

#include "store/schema.h"

namespace ww::store {

namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 5000;
/// A quick_check reads the whole file; up to this size it does so in well under a second, and is always made.
constexpr std::uintmax_t kAlwaysCheckBytes = std::uintmax_t{64} << 20;

Error notATrialLog(const fs::path& file, const std::string& what) {
    return Error{ErrorCode::DatabaseCorrupt, what + "; name another file with --db", file.string()};
}

int pragmaInt(SQLite::Database& database, const char* name) { return database.execAndGet(std::string("PRAGMA ") + name).getInt(); }

void setConnectionPragmas(SQLite::Database& database) {
    database.setBusyTimeout(kBusyMs);
    database.exec("PRAGMA foreign_keys=ON");
    database.exec("PRAGMA trusted_schema=OFF");
}

Result<void> quickCheck(SQLite::Database& database, const fs::path& file) {
    SQLite::Statement query(database, "PRAGMA quick_check(1)");
    const std::string answer = query.executeStep() ? query.getColumn(0).getString() : "no answer";
    if (answer == "ok") return {};
    return fail(ErrorCode::DatabaseCorrupt,
                "the trial log is damaged (" + answer +
                    "); it was left as it is. Start a new one with --db, and "
                    "save what can be read with `sqlite3 FILE .recover`",
                file.string());
}

/// Whose file it is, by the header. A file without tables and without an id is new.
Result<int> versionOf(SQLite::Database& database, const fs::path& file) {
    const int application = pragmaInt(database, "application_id");
    const int version = pragmaInt(database, "user_version");
    const bool empty = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
    if (application == 0 && version == 0 && empty) return 0;
    if (application != kApplicationId) return fail(notATrialLog(file, "this database belongs to another program and is no trial log"));
    if (version > kSchemaVersion)
        return fail(ErrorCode::DatabaseVersion,
                    "the trial log has format " + std::to_string(version) + ", this version of Warpwright knows up to " +
                        std::to_string(kSchemaVersion) + "; use a newer Warpwright, or another file with --db",
                    file.string());
    return version;
}

/// Says in words why a path cannot be a database, before SQLite does so in a code.
Result<void> checkPath(const fs::path& file, bool mustExist) {
    std::error_code code;
    const fs::file_status status = fs::status(file, code);
    if (fs::is_directory(status)) return fail(ErrorCode::Unreadable, "this is a folder; name a file with --db", file.string());
    if (mustExist && !fs::exists(status))
        return fail(ErrorCode::NotFound, "there is no trial log; run `warpwright-cli tune` first, or name another file with --db",
                    file.string());
    if (fs::exists(status) && !fs::is_regular_file(status))
        return fail(notATrialLog(file, "this is no regular file, so it cannot be a trial log"));
    if (mustExist && fs::file_size(file, code) == 0)
        return fail(ErrorCode::NotFound, "the trial log is empty: no session has been stored in it yet", file.string());
    return {};
}

Result<void> useWal(SQLite::Database& database, const fs::path& file) {
    const std::string mode = database.execAndGet("PRAGMA journal_mode=WAL").getString();
    if (mode != "wal")
        return fail(ErrorCode::DatabaseError,
                    "the trial log cannot use a write-ahead log here (SQLite answers \"" + mode + "\"); put it on a local disk with --db",
                    file.string());
    database.exec("PRAGMA synchronous=NORMAL");
    return {};
}

} // namespace

Error errorFrom(const SQLite::Exception& exception, const fs::path& file) {
    const std::string said = exception.what();
    switch (exception.getErrorCode()) {
    case SQLITE_NOTADB: return notATrialLog(file, "this file is no database, so it cannot be a trial log");
    case SQLITE_CORRUPT:
        return {ErrorCode::DatabaseCorrupt,
                "the trial log is damaged (" + said +
                    "); it was left as it is. Start a new one with --db, and save what "
                    "can be read with `sqlite3 FILE .recover`",
                file.string()};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorCode::DatabaseLocked,
                "another program holds the trial log (" + said + "); close it there, or use --db FILE for another one", file.string()};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return {ErrorCode::Unreadable,
                "the trial log cannot be opened (" + said + "); check the rights of file and folder, or use --db FILE", file.string()};
    case SQLITE_FULL: return {ErrorCode::DatabaseError, "the disk is full; free some space, then resume the session", file.string()};
    default: return {ErrorCode::DatabaseError, "the trial log failed: " + said, file.string()};
    }
}

Result<std::unique_ptr<SQLite::Database>> openForWriting(const fs::path& file, bool uncleanEnd) {
    using Opened = Result<std::unique_ptr<SQLite::Database>>;
    WW_CHECK(checkPath(file, false));
    return guarded(file, [&]() -> Opened {
        std::error_code code;
        const bool check = uncleanEnd || fs::exists(file.string() + "-wal", code) || fs::file_size(file, code) <= kAlwaysCheckBytes;
        auto database = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        setConnectionPragmas(*database);
        WW_TRY(version, versionOf(*database, file));
        if (sqlite3_db_readonly(database->getHandle(), "main") == 1)
            return fail(ErrorCode::Unreadable, "the trial log may not be written; change its rights, or use --db FILE", file.string());
        if (version > 0 && check) WW_CHECK(quickCheck(*database, file));
        WW_CHECK(useWal(*database, file));
        WW_CHECK(migrate(*database, file, migrations()));
        return database;
    });
}

Result<std::unique_ptr<SQLite::Database>> openForReading(const fs::path& file) {
    using Opened = Result<std::unique_ptr<SQLite::Database>>;
    WW_CHECK(checkPath(file, true));
    const auto open = [&](const std::string& name, int flags) -> Opened {
        return guarded(file, [&]() -> Opened {
            auto database = std::make_unique<SQLite::Database>(name, SQLite::OPEN_READONLY | flags);
            setConnectionPragmas(*database);
            WW_TRY(version, versionOf(*database, file));
            if (version == 0)
                return fail(ErrorCode::NotFound, "the trial log is empty: no session has been stored in it yet", file.string());
            if (version < kSchemaVersion)
                return fail(ErrorCode::DatabaseVersion,
                            "the trial log has the older format " + std::to_string(version) +
                                "; start or resume a session on it once to bring it up to date",
                            file.string());
            return database;
        });
    };
    auto opened = open(file.string(), 0);
    std::error_code code;
    if (opened || opened.error().code != ErrorCode::Unreadable || fs::exists(file.string() + "-wal", code)) return opened;
    // WAL wants to create its index beside the file. In a read-only folder without a log nothing can change, so the file is
    // read as it stands. Characters with a meaning in a URI are escaped.
    std::string uri = "file:";
    for (const char c : fs::absolute(file).string()) {
        static constexpr std::array<char, 16> kDigits{'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'};
        const auto byte = static_cast<unsigned char>(c);
        if (c == '%' || c == '?' || c == '#') uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        else uri += c;
    }
    return open(uri + "?immutable=1", SQLite::OPEN_URI);
}

} // namespace ww::store
