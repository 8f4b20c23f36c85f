// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/session_model.h"

#include <QHash>
#include <algorithm>

#include "bridge/text.h"

namespace ww::ui {

namespace {

/// Kinds of change collected over a batch, so that each is signalled once.
enum Changed : unsigned { Restarted = 1, ProgressMoved = 2, Steering = 4, Running = 8, Probabilities = 16, Rejections = 32, Best = 64, Ended = 128 };

int trialNumber(const TrialInfo& trial) {
    return trial.record->number;
}

}  // namespace

SessionModel::SessionModel(QObject* parent) : QObject(parent) {}

void SessionModel::clear() {
    begin(Origin::Empty, {}, {});
}

void SessionModel::begin(Origin origin, const store::SessionRecord& session, std::vector<SourceSite> sites) {
    m_origin = origin;
    m_session = session;
    m_sourceText = toQt(session.sourceText);
    m_sites = std::move(sites);
    m_parameters.clear();
    m_valueLookup.clear();
    m_mask.clear();
    for (const auto& parameter : session.parameters) {
        ParameterInfo info{toQt(parameter.name), toQt(parameter.label), toQt(parameter.effect), toQt(parameter.site), {}, -1};
        QHash<QString, int> lookup;
        for (const auto& value : parameter.values) {
            lookup.insert(valueText(value), static_cast<int>(info.values.size()));
            info.values.append(valueText(value));
        }
        info.defaultIndex = lookup.value(valueText(parameter.defaultValue), -1);
        m_mask.emplace_back(static_cast<std::size_t>(info.values.size()), true);
        m_parameters.push_back(std::move(info));
        m_valueLookup.push_back(std::move(lookup));
    }
    m_pins.assign(m_parameters.size(), -1);
    m_constraints.clear();
    for (const auto& constraint : session.constraints) {
        const auto text = [&constraint](const char* key) {
            const Json* found = member(constraint, key);
            return found != nullptr ? valueText(*found) : QString();
        };
        const Json* refuses = member(constraint, "refuses");
        const qint64 inSpace = refuses != nullptr && refuses->is_number() ? static_cast<qint64>(refuses->get<double>()) : 0;
        m_constraints.push_back({text("id"), text("sentence"), text("text"), inSpace, inSpace});
    }
    m_trials.clear();
    m_events.clear();
    m_progress = {};
    m_progress.budget = session.budgetTrials;
    m_probabilities.clear();
    m_best = {};
    m_stage = engine::Stage::Idle;
    m_runningTrial = 0;
    m_runningValues.clear();
    m_ended.reset();
    m_selected = 0;
    m_failed = 0;
    Q_EMIT restarted();
}

void SessionModel::addTrials(const std::vector<std::shared_ptr<const store::TrialRecord>>& trials) {
    if (trials.empty()) return;
    const int first = static_cast<int>(m_trials.size());
    const int bestBefore = m_best.trial;
    for (const auto& record : trials) append(record);
    Q_EMIT trialsAdded(first, static_cast<int>(trials.size()));
    if (m_best.trial != bestBefore) Q_EMIT bestChanged();
    if (m_selected == 0) Q_EMIT selectionChanged();
}

void SessionModel::append(const std::shared_ptr<const store::TrialRecord>& record) {
    TrialInfo info{record, indicesOf(record->config), 0, {}};
    if (!m_trials.empty()) {
        info.bestRatio = m_trials.back().bestRatio;
        info.bestInterval = m_trials.back().bestInterval;
    }
    const bool correct = record->status == TrialStatus::Ok;
    if (!correct && record->status != TrialStatus::Cancelled) ++m_failed;
    if (correct && record->ratio && *record->ratio > info.bestRatio) {
        info.bestRatio = *record->ratio;
        info.bestInterval = record->ratioCi.value_or(Interval{*record->ratio, *record->ratio});
        if (!m_best.verified) {
            m_best = {true, false, record->number, *record->ratio, record->ratioCi, std::nullopt};
            if (record->timeNs) m_best.timeNs = static_cast<double>(*record->timeNs);
        }
    }
    m_trials.push_back(std::move(info));
}

void SessionModel::addEvents(const std::vector<store::EventRecord>& events) {
    if (events.empty()) return;
    const int first = static_cast<int>(m_events.size());
    for (const auto& event : events) {
        m_events.push_back(event);
        steer(event);
    }
    Q_EMIT eventsAdded(first, static_cast<int>(events.size()));
    Q_EMIT steeringChanged();
}

void SessionModel::steer(const store::EventRecord& event) {
    const Json* name = member(event.data, "parameter");
    if (name == nullptr) name = member(event.data, "name");
    if (name == nullptr) return;
    const QString wanted = valueText(*name);
    const auto found = std::find_if(m_parameters.begin(), m_parameters.end(), [&wanted](const auto& p) { return p.name == wanted; });
    if (found == m_parameters.end()) return;
    const auto parameter = static_cast<std::size_t>(found - m_parameters.begin());
    const Json* value = member(event.data, "value");
    const int index = value != nullptr ? valueIndex(static_cast<int>(parameter), *value) : -1;
    if (event.kind == "pin" && index >= 0) m_pins[parameter] = index;
    if (event.kind == "unpin") m_pins[parameter] = -1;
    if (event.kind == "ban" && index >= 0) m_mask[parameter][static_cast<std::size_t>(index)] = false;
    if (event.kind == "unban" && index >= 0) m_mask[parameter][static_cast<std::size_t>(index)] = true;
}

void SessionModel::setRejections(const std::map<std::string, std::int64_t>& rejections) {
    for (auto& constraint : m_constraints) {
        const auto found = rejections.find(fromQt(constraint.id));
        constraint.refused = constraint.inSpace + (found != rejections.end() ? found->second : 0);
    }
    Q_EMIT rejectionsChanged();
}

void SessionModel::setMask(const space::ValueMask& mask) {
    // The engine's mask folds pins into bans: one value left is shown as a pin, which means the same.
    if (mask.size() != m_parameters.size()) return;
    for (std::size_t p = 0; p < mask.size(); ++p) {
        if (mask[p].size() != m_mask[p].size()) continue;
        if (std::count(mask[p].begin(), mask[p].end(), true) == 1 && mask[p].size() > 1) {
            m_pins[p] = static_cast<int>(std::find(mask[p].begin(), mask[p].end(), true) - mask[p].begin());
        } else {
            m_pins[p] = -1;
            m_mask[p] = mask[p];
        }
    }
    Q_EMIT steeringChanged();
}

void SessionModel::setBudget(int trials) {
    m_progress.budget = trials;
    Q_EMIT progressChanged();
}

void SessionModel::setNoiseFloor(double fraction) {
    m_session.noiseFloor = fraction;
    Q_EMIT progressChanged();
}

void SessionModel::apply(const EventBatch& batch) {
    unsigned changed = 0;
    std::vector<std::shared_ptr<const store::TrialRecord>> trials;
    std::vector<store::EventRecord> events;
    const auto flush = [this, &trials, &events] {
        addTrials(trials);
        addEvents(events);
        trials.clear();
        events.clear();
    };
    for (const auto& event : batch) {
        if (const auto* started = std::get_if<engine::SessionStarted>(&event)) {
            flush();
            std::vector<SourceSite> sites = started->task ? std::vector<SourceSite>{} : m_sites;
            if (started->task) {
                for (const auto& site : started->task->source.parameters) {
                    sites.push_back({toQt(site.name), static_cast<int>(site.value.begin), static_cast<int>(site.value.end), site.line});
                }
            }
            begin(Origin::Live, started->session, std::move(sites));
            for (const auto& record : started->earlier) trials.push_back(std::make_shared<const store::TrialRecord>(record));
            events = started->earlierEvents;
        } else if (const auto* trial = std::get_if<engine::TrialFinished>(&event)) {
            trials.push_back(trial->trial);
        } else if (const auto* logged = std::get_if<engine::EventLogged>(&event)) {
            events.push_back(logged->event);
        } else {
            if (std::holds_alternative<engine::FinalistsMeasured>(event) || std::holds_alternative<engine::SessionEnded>(event)) flush();
            apply(event, changed);
        }
    }
    flush();
    if (changed & ProgressMoved) Q_EMIT progressChanged();
    if (changed & Running) Q_EMIT runningChanged();
    if (changed & Probabilities) Q_EMIT probabilitiesChanged();
    if (changed & Best) Q_EMIT bestChanged();
    if (changed & Ended) Q_EMIT sessionEnded();
}

void SessionModel::apply(const engine::SessionEvent& event, unsigned& changed) {
    if (const auto* stage = std::get_if<engine::StageChanged>(&event)) {
        m_stage = stage->stage;
        m_runningTrial = stage->trial;
        m_runningValues.clear();
        if (stage->configuration) {
            for (const auto index : stage->configuration->index) m_runningValues.push_back(index);
        }
        changed |= Running;
    } else if (const auto* progress = std::get_if<engine::Progress>(&event)) {
        m_progress = *progress;
        changed |= ProgressMoved;
        // Measured with the baseline, after the session's record was sent.
        if (const Json* floor = member(progress->diagnostics, "noise_floor"); floor != nullptr && floor->is_number()) m_session.noiseFloor = floor->get<double>();
        setRejections(progress->rejections);
        if (progress->probabilities) {
            m_probabilities = *progress->probabilities;
            changed |= Probabilities;
        }
    } else if (const auto* finalists = std::get_if<engine::FinalistsMeasured>(&event)) {
        adoptMeasured(finalists->finalists);
        changed |= Best;
    } else if (const auto* ended = std::get_if<engine::SessionEnded>(&event)) {
        m_ended = *ended;
        m_stage = engine::Stage::Done;
        m_runningValues.clear();
        m_runningTrial = 0;
        // Without finalists (a stopped session) the best is what the trials said: not verified again.
        if (ended->best && !m_best.verified) {
            const auto& best = *ended->best;
            m_best = {true, false, best.trialNumber, best.ratio, best.ratioCi, static_cast<double>(best.timeNs)};
        }
        changed |= Ended | Running | Best;
    }
}

void SessionModel::adoptMeasured(const std::vector<store::MeasuredRecord>& finalists) {
    if (finalists.empty()) return;
    m_session.finalists = finalists;
    // Best first, the baseline last: where nothing beat it, it is the best itself, as in the summary.
    const auto& first = finalists.front().timeNs <= finalists.back().timeNs ? finalists.front() : finalists.back();
    m_best = {true, true, first.trialNumber, first.ratio, first.ratioCi, static_cast<double>(first.timeNs)};
}

void SessionModel::select(int number) {
    if (number == m_selected) return;
    m_selected = number;
    Q_EMIT selectionChanged();
}

double SessionModel::combinations() const {
    double product = m_parameters.empty() ? 0 : 1;
    for (const auto& parameter : m_parameters) product *= static_cast<double>(parameter.values.size());
    return product;
}

const TrialInfo* SessionModel::trial(int number) const {
    const auto found = std::lower_bound(m_trials.begin(), m_trials.end(), number,
                                        [](const TrialInfo& trial, int wanted) { return trialNumber(trial) < wanted; });
    return found != m_trials.end() && trialNumber(*found) == number ? &*found : nullptr;
}

const TrialInfo* SessionModel::shownTrial() const {
    if (m_selected > 0) {
        if (const auto* found = trial(m_selected)) return found;
    }
    return m_trials.empty() ? nullptr : &m_trials.back();
}

std::vector<int> SessionModel::bestValues() const {
    const auto* found = m_best.known ? trial(m_best.trial) : nullptr;
    return found != nullptr ? found->values : std::vector<int>{};
}

std::vector<int> SessionModel::shownValues() const {
    if (m_selected == 0 && !m_runningValues.empty()) return m_runningValues;
    const auto* found = shownTrial();
    return found != nullptr ? found->values : std::vector<int>{};
}

bool SessionModel::isBanned(int parameter, int value) const {
    return !m_mask[static_cast<std::size_t>(parameter)][static_cast<std::size_t>(value)];
}

int SessionModel::pinnedValue(int parameter) const {
    return m_pins[static_cast<std::size_t>(parameter)];
}

std::optional<double> SessionModel::marginalMedianNs(int parameter, int value) const {
    std::vector<double> times;
    for (const auto& trial : m_trials) {
        if (trial.record->status == TrialStatus::Ok && trial.record->timeNs && trial.values[static_cast<std::size_t>(parameter)] == value) {
            times.push_back(static_cast<double>(*trial.record->timeNs));
        }
    }
    if (times.empty()) return std::nullopt;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    if (times.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(times.begin(), middle)) / 2;
}

int SessionModel::valueIndex(int parameter, const Json& value) const {
    return m_valueLookup[static_cast<std::size_t>(parameter)].value(valueText(value), -1);
}

std::vector<int> SessionModel::indicesOf(const Json& config) const {
    std::vector<int> indices(m_parameters.size(), -1);
    for (std::size_t p = 0; p < m_parameters.size(); ++p) {
        const Json* value = member(config, fromQt(m_parameters[p].name));
        if (value != nullptr) indices[p] = valueIndex(static_cast<int>(p), *value);
    }
    return indices;
}

}  // namespace ww::ui
