// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <thread>

#include "base/units.h"
#include "commands.h"
#include "engine/session.h"
#include "engine/trial_diagnosis.h"
#include "output.h"

namespace ww::cli {
namespace {

struct TuneFlags {
    engine::SessionOptions session;
    std::string spec;
    std::string database;
    std::uint64_t seed = 0;
    bool json = false;
    bool noResultSharing = false;
};

/// Turns SIGINT and SIGTERM into a stop request: a thread waits for them, so no handler runs anywhere else.
class StopOnSignal {
public:
    explicit StopOnSignal(std::stop_source stop) {
        sigemptyset(&m_set);
        sigaddset(&m_set, SIGINT);
        sigaddset(&m_set, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &m_set, nullptr);
        m_thread = std::jthread([this, stop](const std::stop_token& ended) mutable {
            while (!ended.stop_requested()) {
                const timespec wait{0, 100'000'000};
                if (::sigtimedwait(&m_set, nullptr, &wait) > 0) {
                    stop.request_stop();
                    return;
                }
            }
        });
    }

private:
    sigset_t m_set{};
    std::jthread m_thread;
};

const char* colourOf(const store::TrialRecord& trial) {
    if (trial.status != TrialStatus::Ok) return "red";
    if (trial.verdict == Verdict::Faster) return "green";
    return trial.verdict == Verdict::Slower ? "yellow" : "dim";
}

/// Live progress: one line a trial. Goes to stderr with --json, where stdout belongs to the document.
class Reporter {
public:
    explicit Reporter(bool json) : m_out(json ? stderr : stdout), m_json(json) {}

    void operator()(const engine::SessionEvent& event) {
        if (const auto* started = std::get_if<engine::SessionStarted>(&event)) begin(*started);
        else if (const auto* finished = std::get_if<engine::TrialFinished>(&event)) line(*finished->trial);
        else if (const auto* progress = std::get_if<engine::Progress>(&event)) m_progress = *progress;
        else if (const auto* logged = std::get_if<engine::EventLogged>(&event)) notice(logged->event);
        else if (const auto* changed = std::get_if<engine::StageChanged>(&event)) {
            if (changed->stage == engine::Stage::Finalists) print("Measuring the best again beside the baseline, interleaved, in a fresh process ...\n");
        }
    }

private:
    void print(const std::string& text) const {
        std::fputs(text.c_str(), m_out);
        std::fflush(m_out);
    }

    std::string coloured(const std::string& text, const char* colour) const { return m_json ? text : paint(text, colour); }

    void begin(const engine::SessionStarted& started) {
        m_session = started.session;
        const auto& session = m_session;
        m_budget = session.budgetTrials;
        const auto valid = started.task->space.countValid();
        char counts[128];
        std::snprintf(counts, sizeof counts, "%s%.0f valid of %.0f combinations", valid.exact ? "" : "about ", valid.value, started.task->space.cartesianSize());
        print(coloured(session.title, "bold") + "\n" + "  kernel     " + session.entry + " in " + session.sourcePath + "\n" + "  workload   " +
              session.workload + "\n  device     " + session.device.value("name", "") +
              (session.device.value("kind", "") == "cpu" ? " (CPU times, of this CPU alone)" : "") + "\n  space      " + counts + "\n  checked    against " +
              session.facts.value("reference", "") + "\n  strategy   " + session.strategy + ", seed " + std::to_string(session.seed) + ", " +
              std::to_string(session.budgetTrials) + " trials\n  sandbox    " + session.sandbox + "\n  session    " + std::to_string(session.id) + "\n\n");
    }

    void notice(const store::EventRecord& event) const {
        const Json* text = member(event.data, "text");
        if (text != nullptr && text->is_string()) print(coloured("note: " + text->get<std::string>(), "dim") + "\n");
        else print(coloured(event.kind + " " + event.data.dump(), "dim") + "\n");
    }

    /// Why a trial failed, in a line: the known cause with its place, else the first line of the message.
    std::string reason(const store::TrialRecord& trial) const {
        const auto found = engine::diagnosisOf(m_session, trial);
        if (!found) return trial.message.substr(0, trial.message.find('\n'));
        const auto cause = diagnose::Catalogue::builtIn().text(*found, diagnose::Language::English).cause;
        const auto place = found->place();
        return (place.empty() ? "" : place + ": ") + cause;
    }

    void line(const store::TrialRecord& trial) {
        const bool good = trial.status == TrialStatus::Ok && trial.timeNs;
        const bool best = good && (m_bestNs == 0 || *trial.timeNs < m_bestNs);
        if (best) m_bestNs = *trial.timeNs;
        char head[96];
        std::snprintf(head, sizeof head, "%4d/%d  ", trial.number, std::max(m_budget, trial.number));
        std::string text = head;
        const std::string verdict = good ? std::string(toString(trial.verdict.value_or(Verdict::Ambiguous))) : std::string(toString(trial.status));
        char figures[160];
        std::snprintf(figures, sizeof figures, "%-16s %10s %7s  ", verdict.c_str(), good ? formatTimeNs(static_cast<double>(*trial.timeNs)).c_str() : "-",
                      good ? ratioText(trial.ratio).c_str() : "-");
        text += coloured(figures, colourOf(trial)) + configText(trial.config);
        if (best && trial.number > 1) text += coloured("  best", "green");
        if (!good) text += "\n           " + coloured(reason(trial), "dim");
        if (m_progress.etaSeconds && trial.number % 10 == 0) text += coloured("  (" + formatDuration(*m_progress.etaSeconds) + " left)", "dim");
        print(text + "\n");
    }

    std::FILE* m_out;
    bool m_json;
    store::SessionRecord m_session;
    int m_budget = 0;
    std::int64_t m_bestNs = 0;
    engine::Progress m_progress;
};

void printSummary(const Json& document, const std::string& database) {
    std::cout << '\n';
    const Json& best = document["best"];
    if (best.is_null()) {
        std::cout << "No correct configuration was found; `warpwright-cli trials " << document["session"] << "` lists what failed and why.\n";
        return;
    }
    const Interval range{best["ratio_ci"][0], best["ratio_ci"][1]};
    const std::string verdict = best["verdict"];
    std::cout << paint(ratioText(best["ratio"].get<double>()), "bold") << "  (" << ratioRange(range) << ", 95 %)  " << verdict << "  "
              << formatTimeNs(best["time_ns"]) << " against " << formatTimeNs(document["baseline"]["time_ns"]) << "\n"
              << "best      " << configText(best["config"]) << "\n"
              << "default   " << configText(document["baseline"]["config"]) << "\n";
    const Json& seconds = document["stage_seconds"];
    char cost[256];
    std::snprintf(cost, sizeof cost, "cost      %s: compile %.1f s, verify %.1f s, bench %.1f s, strategy %.2f s, database %.2f s\n",
                  formatDuration(document["wall_seconds"]).c_str(), seconds["compile"].get<double>(), seconds["verify"].get<double>(),
                  seconds["bench"].get<double>(), seconds["propose"].get<double>(), seconds["store"].get<double>());
    const bool gpu = document["device"]["kind"] == "cuda";
    const Json& breakEven = document["break_even_launches"];
    std::cout << cost << "          " << (gpu ? "GPU" : "device") << " time " << formatDuration(document["gpu_seconds"]) << "; "
              << (breakEven.is_null() ? std::string("nothing was saved") : "earned back after " + std::to_string(breakEven.get<std::int64_t>()) + " launches")
              << "\n"
              << "stored    session " << document["session"] << " in " << database << "\n";
}

int runTune(TuneFlags& flags) {
    flags.session.specPath = flags.spec;
    flags.session.database = flags.database;
    flags.session.shareResults = !flags.noResultSharing;
    flags.session.owner = "warpwright-cli, process " + std::to_string(::getpid());
    if (flags.spec.empty() && flags.session.resume.empty()) {
        return report({ErrorCode::InvalidArgument, "name a spec, a folder or a kernel file to tune (or --resume a session)"}, flags.json);
    }
    std::stop_source stop;
    const StopOnSignal signals(stop);
    auto session = engine::Session::create(flags.session, Reporter(flags.json), stop);
    if (!session) return report(stop.stop_requested() ? Error{ErrorCode::Cancelled, "interrupted before the first trial"} : session.error(), flags.json);
    for (;;) {
        auto stepped = (*session)->step();
        if (!stepped) return report(stepped.error(), flags.json);
        if (*stepped == engine::Session::StepResult::Finished) break;
    }
    const auto summary = (*session)->summary();
    if (flags.json) printJson(summary.document);
    else printSummary(summary.document, flags.database.empty() ? "the default database" : flags.database);
    if (stop.stop_requested()) {
        std::cerr << "interrupted; the session is saved: go on with --resume " << summary.session << std::endl;
        return 130;
    }
    return summary.found ? 0 : 1;
}

}  // namespace

void addTune(CLI::App& app, int& exitCode) {
    auto flags = std::make_shared<TuneFlags>();
    auto* command = app.add_subcommand("tune", "Tune a kernel: a spec file, its folder, or a bare .cu file");
    auto& session = flags->session;
    command->add_option("spec", flags->spec, "Spec file, folder or kernel source");
    command->add_option("--device", session.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
    auto* trials = command->add_option("--trials", session.trials, "Total of trials; on resume too, where it is the stored one when left out");
    trials->check(CLI::Range(1, 1'000'000))->capture_default_str();
    command->add_option("--seconds", session.seconds, "Wall-clock budget; 0: none")->check(CLI::NonNegativeNumber)->capture_default_str();
    command->add_option("--strategy", session.strategy, "warp, ppo, random or exhaustive")->capture_default_str();
    command->add_option("--objective", session.objective, "Reward preset; the spec's when left out");
    command->add_option("--workload", session.workload, "Workload to tune; the device's default when left out");
    auto* seed = command->add_option("--seed", flags->seed, "Seed of everything random; drawn when left out");
    command->add_option("--pin", session.pins, "NAME=VALUE, may be repeated");
    command->add_option("--ban", session.bans, "NAME=VALUE, may be repeated");
    command->add_option("--db", flags->database, "Database file");
    command->add_option("--resume", session.resume, "Session id, or last");
    command->add_flag("--no-sandbox", session.allowNoSandbox, "Consent to run candidates without isolation where it cannot be had");
    command->add_flag("--no-result-sharing", flags->noResultSharing, "Measure equal programs each by itself");
    command->add_flag("--json", flags->json, "One JSON document on stdout, progress on stderr");
    command->callback([flags, seed, trials, &exitCode] {
        if (seed->count() > 0) flags->session.seed = flags->seed;
        if (!flags->session.resume.empty() && trials->count() == 0) flags->session.trials = 0;
        exitCode = runTune(*flags);
    });
}

}  // namespace ww::cli
