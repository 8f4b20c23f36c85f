// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>

#include "store/records.h"

/// Between records and rows. Everything here may throw SQLite::Exception or Json::exception; guarded() catches.
namespace ww::store {

/// JSON as text; bytes that are no UTF-8 (compiler messages) are replaced rather than refused.
[[nodiscard]] std::string toText(const Json& json);

/// Columns of `trial` in the order of bindTrial() and readTrial(), without the id.
inline constexpr const char* kTrialColumns =
    "session_id, number, config, status, verdict, time_ns, time_low_ns, time_high_ns, ratio, ratio_low, ratio_high, reward, reward_speed, "
    "reward_roof, reward_correctness, reward_formula, propose_ns, compile_ns, verify_ns, bench_ns, profile_ns, store_ns, message, origin, "
    "object_hash, shared_with, compile_facts, policy, correctness, started_at";
inline constexpr int kTrialColumnCount = 30;

void bindTrial(SQLite::Statement& statement, const TrialRecord& trial);
/// From a row of "SELECT id, <kTrialColumns>".
[[nodiscard]] TrialRecord readTrial(SQLite::Statement& row);

/// A finalist without its samples, as an element of its event's data.
[[nodiscard]] Json toJson(const MeasuredRecord& measured);
[[nodiscard]] MeasuredRecord measuredFrom(const Json& json);

template <typename T> void bindOptional(SQLite::Statement& statement, int index, const std::optional<T>& value) {
    if (value) statement.bind(index, *value);
    else statement.bind(index);
}

} // namespace ww::store
