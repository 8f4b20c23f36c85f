// SPDX-License-Identifier: Apache-2.0
#include "store/rows.h"

namespace ww::store {

namespace {

std::optional<double> realAt(SQLite::Statement& row, int index) {
    const SQLite::Column column = row.getColumn(index);
    return column.isNull() ? std::nullopt : std::optional<double>(column.getDouble());
}

std::optional<std::int64_t> integerAt(SQLite::Statement& row, int index) {
    const SQLite::Column column = row.getColumn(index);
    return column.isNull() ? std::nullopt : std::optional<std::int64_t>(column.getInt64());
}

std::optional<Interval> intervalAt(SQLite::Statement& row, int index) {
    const auto low = realAt(row, index), high = realAt(row, index + 1);
    if (!low || !high) return std::nullopt;
    return Interval{*low, *high};
}

std::optional<double> lowOf(const std::optional<Interval>& interval) {
    return interval ? std::optional<double>(interval->low) : std::nullopt;
}

std::optional<double> highOf(const std::optional<Interval>& interval) {
    return interval ? std::optional<double>(interval->high) : std::nullopt;
}

Json intervalJson(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Interval intervalFrom(const Json& json) { return {json.at(0).get<double>(), json.at(1).get<double>()}; }

} // namespace

std::string toText(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void bindTrial(SQLite::Statement& statement, const TrialRecord& trial) {
    int at = 0;
    const auto optional = [&](const auto& value) { bindOptional(statement, ++at, value); };
    statement.bind(++at, trial.sessionId);
    statement.bind(++at, trial.number);
    statement.bind(++at, toText(trial.config));
    statement.bind(++at, std::string(toString(trial.status)));
    optional(trial.verdict ? std::optional<std::string>(toString(*trial.verdict)) : std::nullopt);
    optional(trial.timeNs);
    optional(lowOf(trial.timeCi));
    optional(highOf(trial.timeCi));
    optional(trial.ratio);
    optional(lowOf(trial.ratioCi));
    optional(highOf(trial.ratioCi));
    optional(trial.reward.total);
    optional(trial.reward.speed);
    optional(trial.reward.roof);
    optional(trial.reward.correctness);
    statement.bind(++at, trial.reward.formula);
    for (const std::int64_t ns : {trial.stages.proposeNs, trial.stages.compileNs, trial.stages.verifyNs, trial.stages.benchNs,
                                  trial.stages.profileNs, trial.stages.storeNs})
        statement.bind(++at, ns);
    statement.bind(++at, trial.message);
    statement.bind(++at, trial.origin);
    statement.bind(++at, trial.objectHash);
    optional(trial.sharedWith);
    statement.bind(++at, toText(trial.compileFacts));
    statement.bind(++at, toText(trial.policy));
    statement.bind(++at, toText(trial.correctness));
    statement.bind(++at, trial.startedAt);
}

TrialRecord readTrial(SQLite::Statement& row) {
    TrialRecord trial;
    int at = 0;
    const auto text = [&] { return row.getColumn(at++).getString(); };
    const auto integer = [&] { return row.getColumn(at++).getInt64(); };
    trial.id = integer();
    trial.sessionId = integer();
    trial.number = static_cast<int>(integer());
    trial.config = Json::parse(text());
    // A word that this version does not know is shown as a lost worker rather than as a success.
    trial.status = trialStatusFrom(text()).value_or(TrialStatus::WorkerLost);
    trial.verdict = verdictFrom(text());
    trial.timeNs = integerAt(row, at++);
    trial.timeCi = intervalAt(row, at);
    at += 2;
    trial.ratio = realAt(row, at++);
    trial.ratioCi = intervalAt(row, at);
    at += 2;
    trial.reward.total = realAt(row, at++);
    trial.reward.speed = realAt(row, at++);
    trial.reward.roof = realAt(row, at++);
    trial.reward.correctness = realAt(row, at++);
    trial.reward.formula = text();
    for (std::int64_t* ns : {&trial.stages.proposeNs, &trial.stages.compileNs, &trial.stages.verifyNs, &trial.stages.benchNs,
                             &trial.stages.profileNs, &trial.stages.storeNs})
        *ns = integer();
    trial.message = text();
    trial.origin = text();
    trial.objectHash = text();
    if (const auto shared = integerAt(row, at++)) trial.sharedWith = static_cast<int>(*shared);
    trial.compileFacts = Json::parse(text());
    trial.policy = Json::parse(text());
    trial.correctness = Json::parse(text());
    trial.startedAt = text();
    return trial;
}

Json toJson(const MeasuredRecord& measured) {
    return Json{{"trial", measured.trialNumber},        {"config", measured.config}, {"time_ns", measured.timeNs},
                {"ci", intervalJson(measured.timeCi)},  {"ratio", measured.ratio},   {"ratio_ci", intervalJson(measured.ratioCi)},
                {"verdict", toString(measured.verdict)}};
}

MeasuredRecord measuredFrom(const Json& json) {
    MeasuredRecord measured;
    measured.trialNumber = json.at("trial").get<int>();
    measured.config = json.at("config");
    measured.timeNs = json.at("time_ns").get<std::int64_t>();
    measured.timeCi = intervalFrom(json.at("ci"));
    measured.ratio = json.at("ratio").get<double>();
    measured.ratioCi = intervalFrom(json.at("ratio_ci"));
    measured.verdict = verdictFrom(json.at("verdict").get<std::string>()).value_or(Verdict::Ambiguous);
    return measured;
}

} // namespace ww::store
