// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <array>
#include <string>

#include "store/connection.h"

namespace ww::store {

namespace {

constexpr const char* kVersion1 = R"sql(
CREATE TABLE device (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    facts TEXT NOT NULL,
    UNIQUE (uuid, facts)
) STRICT;

CREATE TABLE kernel_version (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    path TEXT NOT NULL,
    entry TEXT NOT NULL,
    source TEXT NOT NULL,
    UNIQUE (hash, path, entry)
) STRICT;

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    kernel TEXT NOT NULL,
    title TEXT NOT NULL,
    spec_path TEXT NOT NULL,
    device_id INTEGER NOT NULL REFERENCES device (id),
    kernel_version_id INTEGER NOT NULL REFERENCES kernel_version (id),
    workload TEXT NOT NULL,
    strategy TEXT NOT NULL,
    objective TEXT NOT NULL,
    seed TEXT NOT NULL,
    budget_trials INTEGER NOT NULL,
    budget_seconds REAL NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'paused', 'finished', 'interrupted', 'failed')),
    sandbox TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    noise_floor REAL NOT NULL,
    spec TEXT NOT NULL,
    constraints TEXT NOT NULL,
    facts TEXT NOT NULL
) STRICT;

CREATE TABLE workload (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    name TEXT NOT NULL,
    tuned INTEGER NOT NULL,
    definition TEXT NOT NULL,
    UNIQUE (session_id, name)
) STRICT;

CREATE TABLE parameter (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    site TEXT NOT NULL,
    scale TEXT NOT NULL,
    label TEXT NOT NULL,
    effect TEXT NOT NULL,
    domain TEXT NOT NULL,
    default_value TEXT NOT NULL,
    UNIQUE (session_id, name)
) STRICT;

CREATE TABLE trial (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    number INTEGER NOT NULL,
    config TEXT NOT NULL,
    status TEXT NOT NULL,
    verdict TEXT,
    time_ns INTEGER,
    time_low_ns REAL,
    time_high_ns REAL,
    ratio REAL,
    ratio_low REAL,
    ratio_high REAL,
    reward REAL,
    reward_speed REAL,
    reward_roof REAL,
    reward_correctness REAL,
    reward_formula TEXT NOT NULL,
    propose_ns INTEGER NOT NULL,
    compile_ns INTEGER NOT NULL,
    verify_ns INTEGER NOT NULL,
    bench_ns INTEGER NOT NULL,
    profile_ns INTEGER NOT NULL,
    store_ns INTEGER NOT NULL,
    message TEXT NOT NULL,
    origin TEXT NOT NULL,
    object_hash TEXT NOT NULL,
    shared_with INTEGER,
    compile_facts TEXT NOT NULL,
    policy TEXT NOT NULL,
    correctness TEXT NOT NULL,
    started_at TEXT NOT NULL,
    UNIQUE (session_id, number)
) STRICT;

CREATE TRIGGER trial_is_final BEFORE UPDATE ON trial
BEGIN
    SELECT raise(ABORT, 'a row of trial is never changed');
END;

CREATE TABLE rejection (
    session_id INTEGER NOT NULL REFERENCES session (id),
    after_trial INTEGER NOT NULL,
    constraint_id TEXT NOT NULL,
    sentence TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (session_id, after_trial, constraint_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    after_trial INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL
) STRICT;
CREATE INDEX event_session ON event (session_id, kind);

CREATE TABLE sample (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    trial_id INTEGER REFERENCES trial (id),
    event_id INTEGER REFERENCES event (id),
    position INTEGER NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('baseline', 'candidate')),
    count INTEGER NOT NULL,
    values_ns BLOB NOT NULL
) STRICT;
CREATE INDEX sample_trial ON sample (trial_id);
CREATE INDEX sample_event ON sample (event_id);

CREATE TABLE metric (
    trial_id INTEGER NOT NULL REFERENCES trial (id),
    name TEXT NOT NULL,
    value REAL NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE diagnostic (
    id INTEGER PRIMARY KEY,
    trial_id INTEGER NOT NULL REFERENCES trial (id),
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX diagnostic_trial ON diagnostic (trial_id);

CREATE TABLE artifact (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    trial_id INTEGER REFERENCES trial (id),
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE INDEX artifact_trial ON artifact (trial_id);

CREATE TABLE policy_snapshot (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    after_trial INTEGER NOT NULL,
    strategy TEXT NOT NULL,
    size INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE INDEX policy_snapshot_session ON policy_snapshot (session_id, id);
)sql";

constexpr std::array<Migration, 1> kMigrations{{{1, kVersion1}}};

int versionOf(SQLite::Database& database) { return database.execAndGet("PRAGMA user_version").getInt(); }

/// A copy that any SQLite can open, made by SQLite itself. A copy that is already there is newer than none and is kept.
void backUp(SQLite::Database& database, const std::filesystem::path& file, int version) {
    const std::filesystem::path copy = file.string() + ".v" + std::to_string(version) + ".bak";
    std::error_code code;
    if (std::filesystem::exists(copy, code)) return;
    SQLite::Statement statement(database, "VACUUM INTO ?");
    statement.bind(1, copy.string());
    statement.exec();
}

} // namespace

std::span<const Migration> migrations() { return kMigrations; }

Result<void> migrate(SQLite::Database& database, const std::filesystem::path& file, std::span<const Migration> steps) {
    const int before = versionOf(database);
    if (steps.empty() || before >= steps.back().version) return {};
    if (before > 0) backUp(database, file, before);
    for (const Migration& step : steps) {
        if (step.version <= before) continue;
        SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
        database.exec(step.sql);
        database.exec("PRAGMA application_id=" + std::to_string(kApplicationId));
        database.exec("PRAGMA user_version=" + std::to_string(step.version));
        transaction.commit();
    }
    return {};
}

} // namespace ww::store
