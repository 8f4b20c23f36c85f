// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/units.h"
#include "commands.h"
#include "engine/session_record.h"
#include "engine/trial_diagnosis.h"
#include "mutate/mutate.h"
#include "output.h"
#include "store/trial_log.h"

namespace ww::cli {
namespace {

struct LogFlags {
    std::string database, session = "last", trial;
    int limit = 0;
    bool json = false;
};

Result<std::unique_ptr<store::TrialLogReader>> openLog(const LogFlags& flags) {
    return store::TrialLogReader::open(flags.database.empty() ? store::defaultDatabase() : std::filesystem::path(flags.database));
}

Json intervalJson(const std::optional<Interval>& interval) {
    return interval ? Json{interval->low, interval->high} : Json();
}

template <typename T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

/// Null for a trial that needs none; "id" is "unknown" where the catalogue has no cause for a failure.
Json diagnosisJson(const store::SessionRecord& session, const store::TrialRecord& trial) {
    const auto found = engine::diagnosisOf(session, trial);
    if (!found) return trial.status == TrialStatus::Ok ? Json() : Json{{"id", diagnose::kUnknown}};
    Json json = found->toJson();
    const auto text = diagnose::Catalogue::builtIn().text(*found, diagnose::Language::English);
    json["cause"] = text.cause;
    json["remedy"] = text.remedy;
    return json;
}

Json trialJson(const store::SessionRecord& session, const store::TrialRecord& trial) {
    return {{"id", trial.id},
            {"number", trial.number},
            {"config", trial.config},
            {"status", toString(trial.status)},
            {"verdict", trial.verdict ? Json(toString(*trial.verdict)) : Json()},
            {"time_ns", orNull(trial.timeNs)},
            {"ci", intervalJson(trial.timeCi)},
            {"ratio", orNull(trial.ratio)},
            {"ratio_ci", intervalJson(trial.ratioCi)},
            {"reward", orNull(trial.reward.total)},
            {"reward_parts", {{"speed", orNull(trial.reward.speed)}, {"roof", orNull(trial.reward.roof)}, {"correctness", orNull(trial.reward.correctness)}}},
            {"origin", trial.origin},
            {"shared_with", orNull(trial.sharedWith)},
            {"message", trial.message},
            {"diagnosis", diagnosisJson(session, trial)},
            {"started_at", trial.startedAt}};
}

std::string verdictText(const store::TrialRecord& trial) {
    if (trial.status != TrialStatus::Ok) return paint(std::string(toString(trial.status)), "red");
    const auto verdict = trial.verdict.value_or(Verdict::Ambiguous);
    return paint(std::string(toString(verdict)), verdict == Verdict::Faster ? "green" : verdict == Verdict::Slower ? "yellow" : "dim");
}

/// "shared-memory-over-limit, line 12"; empty for a trial that succeeded, whatever its compiler noted.
std::string causeWord(const store::SessionRecord& session, const store::TrialRecord& trial) {
    if (trial.status == TrialStatus::Ok) return {};
    const auto found = engine::diagnosisOf(session, trial);
    if (!found) return std::string(diagnose::kUnknown);
    const auto place = found->place();
    return found->id + (place.empty() ? "" : ", " + place);
}

/// The cause in words above the message, which is never left out.
void printDiagnosis(const store::SessionRecord& session, const store::TrialRecord& trial) {
    const auto found = engine::diagnosisOf(session, trial);
    if (found) {
        const auto text = diagnose::Catalogue::builtIn().text(*found, diagnose::Language::English);
        const auto own = found->file.empty() ? std::filesystem::path(session.sourcePath).filename().string() + ", " : "";
        const std::string column = found->column > 0 ? ", column " + std::to_string(found->column) : "";
        std::cout << '\n' << paint("cause", "bold") << "   " << text.cause << "  (" << found->id << ")\n";
        if (found->line > 0) std::cout << paint("where", "bold") << "   " << own << found->place() << column << '\n';
        std::cout << paint("remedy", "bold") << "  " << text.remedy << '\n';
    } else if (trial.status != TrialStatus::Ok) {
        std::cout << '\n' << paint("cause", "bold") << "   " << diagnose::kUnknown << ": the message below is all there is\n";
    }
    if (!trial.message.empty()) std::cout << '\n' << trial.message << '\n';
}

int runSessions(const LogFlags& flags) {
    auto log = openLog(flags);
    if (!log) return report(log.error(), flags.json);
    const auto sessions = (*log)->sessions();
    if (!sessions) return report(sessions.error(), flags.json);
    if (flags.json) {
        Json list = Json::array();
        for (const auto& session : *sessions) {
            list.push_back({{"id", session.id},
                            {"kernel", session.kernel},
                            {"workload", session.workload},
                            {"device", {{"name", session.device.value("name", "")}, {"uuid", session.device.value("uuid", "")}, {"kind", session.device.value("kind", "")}}},
                            {"strategy", session.strategy},
                            {"trials", session.trials},
                            {"budget", session.budgetTrials},
                            {"status", store::toString(session.status)},
                            {"started_at", session.startedAt},
                            {"ended_at", session.endedAt},
                            {"sandbox", session.sandbox},
                            {"best", session.best ? engine::toJson(*session.best) : Json()}});
        }
        printJson({{"sessions", list}});
        return 0;
    }
    if (sessions->empty()) {
        std::cout << "no session yet; `warpwright-cli tune kernels/gemm` makes one\n";
        return 0;
    }
    Table table({">id", "kernel", "workload", "device", ">trials", "status", ">best", "started"});
    for (const auto& session : *sessions) {
        table.add({std::to_string(session.id), session.kernel, session.workload, session.device.value("name", ""),
                   std::to_string(session.trials) + "/" + std::to_string(session.budgetTrials), std::string(store::toString(session.status)),
                   session.best ? ratioText(session.best->ratio) : "\u2014", session.startedAt.substr(0, 16)});
    }
    table.print();
    return 0;
}

int listTrials(const LogFlags& flags, bool bestFirst) {
    auto log = openLog(flags);
    if (!log) return report(log.error(), flags.json);
    const auto id = (*log)->resolve(flags.session);
    if (!id) return report(id.error(), flags.json);
    auto trials = (*log)->trials(*id);
    if (!trials) return report(trials.error(), flags.json);
    if (bestFirst) {
        std::erase_if(*trials, [](const auto& trial) { return trial.status != TrialStatus::Ok || !trial.timeNs; });
        std::stable_sort(trials->begin(), trials->end(), [](const auto& a, const auto& b) { return *a.timeNs < *b.timeNs; });
    }
    if (flags.limit > 0 && trials->size() > static_cast<std::size_t>(flags.limit)) trials->resize(static_cast<std::size_t>(flags.limit));
    const auto session = (*log)->session(*id);
    if (!session) return report(session.error(), flags.json);
    if (flags.json) {
        Json list = Json::array();
        for (const auto& trial : *trials) list.push_back(trialJson(*session, trial));
        Json finalists = Json::array();
        for (const auto& one : session->finalists) finalists.push_back(engine::toJson(one));
        printJson({{"session", *id}, {"trials", list}, {"finalists", finalists}});
        return 0;
    }
    std::cout << session->title << ", session " << *id << ", workload " << session->workload << ", " << session->device.value("name", "") << "\n\n";
    Table table({">#", "status", ">time", ">interval", ">ratio", ">reward", "configuration", "cause"});
    for (const auto& trial : *trials) {
        char reward[32] = "\u2014";
        if (trial.reward.total) std::snprintf(reward, sizeof reward, "%.2f", *trial.reward.total);
        table.add({std::to_string(trial.number), verdictText(trial), timeText(trial.timeNs), spreadText(trial.timeNs, trial.timeCi), ratioText(trial.ratio),
                   reward, configText(trial.config), causeWord(*session, trial)});
    }
    table.print();
    if (bestFirst && !session->finalists.empty()) {
        std::cout << "\nMeasured again, interleaved, in a fresh process:\n";
        Table again({">trial", "verdict", ">time", ">ratio", "range", "configuration"});
        for (const auto& one : session->finalists) {
            again.add({std::to_string(one.trialNumber), std::string(toString(one.verdict)), timeText(one.timeNs), ratioText(one.ratio), ratioRange(one.ratioCi),
                       configText(one.config)});
        }
        again.print();
    }
    return 0;
}

/// The candidate's source as a diff against the kernel as opened.
std::string diffOf(const store::SessionRecord& session, const store::TrialRecord& trial) {
    auto model = source::parseCuda(session.sourceText, session.sourcePath);
    if (!model) return {};
    std::vector<mutate::Assignment> assignments;
    for (const auto& [name, value] : trial.config.items()) assignments.push_back({name, expr::Value::fromJson(value)});
    auto mutant = mutate::apply(*model, assignments);
    if (!mutant) return {};
    const auto name = std::filesystem::path(session.sourcePath).filename().string();
    return mutate::unifiedDiff(session.sourceText, mutant->text, name, name + " (trial " + std::to_string(trial.number) + ")");
}

int runShow(const LogFlags& flags) {
    auto log = openLog(flags);
    if (!log) return report(log.error(), flags.json);
    const auto id = (*log)->resolve(flags.session);
    if (!id) return report(id.error(), flags.json);
    int number = 0;
    try {
        number = std::stoi(flags.trial);
    } catch (const std::exception&) {
        return report({ErrorCode::InvalidArgument, "\"" + flags.trial + "\" is no trial number"}, flags.json);
    }
    const auto trial = (*log)->trial(*id, number);
    if (!trial) return report(trial.error(), flags.json);
    const auto session = (*log)->session(*id);
    if (!session) return report(session.error(), flags.json);
    const auto diff = diffOf(*session, *trial);
    if (flags.json) {
        Json document = trialJson(*session, *trial);
        document["session"] = *id;
        document["correctness"] = trial->correctness;
        document["compile"] = trial->compileFacts;
        document["policy"] = trial->policy;
        document["samples_ns"] = trial->samplesNs;
        document["baseline_samples_ns"] = trial->baselineSamplesNs;
        document["stages_ns"] = {{"propose", trial->stages.proposeNs}, {"compile", trial->stages.compileNs}, {"verify", trial->stages.verifyNs}, {"bench", trial->stages.benchNs}};
        document["log"] = trial->log;
        document["diff"] = diff;
        printJson(document);
        return 0;
    }
    std::cout << paint("trial " + std::to_string(trial->number), "bold") << " of session " << *id << "  " << verdictText(*trial) << '\n'
              << configText(trial->config) << "\n\n";
    Table table({"", ""});
    table.add({"time", timeText(trial->timeNs) + "  " + spreadText(trial->timeNs, trial->timeCi)});
    table.add({"ratio", ratioText(trial->ratio) + "  (" + ratioRange(trial->ratioCi) + ", 95 %)"});
    if (trial->reward.total) table.add({"reward", std::to_string(*trial->reward.total) + "  " + trial->reward.formula});
    table.add({"samples", std::to_string(trial->samplesNs.size())});
    table.add({"compile", formatTimeNs(static_cast<double>(trial->stages.compileNs))});
    table.add({"verify", formatTimeNs(static_cast<double>(trial->stages.verifyNs))});
    table.add({"bench", formatTimeNs(static_cast<double>(trial->stages.benchNs))});
    table.add({"origin", trial->origin});
    if (trial->compileFacts.is_object() && !trial->compileFacts.empty()) table.add({"facts", trial->compileFacts.dump()});
    table.print();
    printDiagnosis(*session, *trial);
    if (!diff.empty()) std::cout << '\n' << diff;
    if (!trial->log.empty()) std::cout << "\ncompiler's log:\n" << trial->log << '\n';
    return 0;
}

}  // namespace

void addLogCommands(CLI::App& app, int& exitCode) {
    const auto common = [](CLI::App* command, const std::shared_ptr<LogFlags>& flags) {
        command->add_option("--db", flags->database, "Database file");
        command->add_flag("--json", flags->json, "One JSON document on stdout");
    };
    auto sessionsFlags = std::make_shared<LogFlags>();
    auto* sessions = app.add_subcommand("sessions", "List the sessions of a database");
    common(sessions, sessionsFlags);
    sessions->callback([sessionsFlags, &exitCode] { exitCode = runSessions(*sessionsFlags); });

    for (const bool bestFirst : {false, true}) {
        auto flags = std::make_shared<LogFlags>();
        flags->limit = bestFirst ? 10 : 0;
        auto* command = bestFirst ? app.add_subcommand("top", "The best trials of a session, and the finalists")
                                  : app.add_subcommand("trials", "The trials of a session in order");
        command->add_option("session", flags->session, "Session id, or last")->capture_default_str();
        command->add_option("--limit", flags->limit, "At most N rows; 0: all")->capture_default_str();
        common(command, flags);
        command->callback([flags, bestFirst, &exitCode] { exitCode = listTrials(*flags, bestFirst); });
    }
    auto showFlags = std::make_shared<LogFlags>();
    auto* show = app.add_subcommand("show", "Everything about one trial");
    show->add_option("trial", showFlags->trial, "Trial number")->required();
    show->add_option("--session", showFlags->session, "Session id, or last")->capture_default_str();
    common(show, showFlags);
    show->callback([showFlags, &exitCode] { exitCode = runShow(*showFlags); });
}

}  // namespace ww::cli
