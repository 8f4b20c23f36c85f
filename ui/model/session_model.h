// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session.h"
#include "store/records.h"

namespace ww::ui {

using EventBatch = std::vector<engine::SessionEvent>;

/// Where a parameter's value stands in the source, in bytes.
struct SourceSite {
    QString name;
    int begin = 0, end = 0;
    int line = 1;
};

struct ParameterInfo {
    QString name, label, effect, site;
    QStringList values;         ///< as shown, in domain order
    int defaultIndex = -1;
    [[nodiscard]] QString title() const { return label.isEmpty() ? name : label; }
};

struct ConstraintInfo {
    QString id, sentence, text;
    qint64 refused = 0;     ///< combinations of the space, and whatever was asked for by hand
    qint64 inSpace = 0;     ///< the first of the two
};

/// One row of everything: the record, its values as indices into the domains (-1: not in the domain), and the best ratio of
/// all correct trials up to it (0: none yet).
struct TrialInfo {
    std::shared_ptr<const store::TrialRecord> record;
    std::vector<int> values;
    double bestRatio = 0;
    Interval bestInterval;
};

/// The one large figure.
struct BestInfo {
    bool known = false;
    bool verified = false;      ///< measured again by the finalists' procedure
    int trial = 0;
    double ratio = 1;
    std::optional<Interval> interval;
    std::optional<double> timeNs;
};

/// What a session is and how it stands, live or stored: plain data with signals, the one source of every view. GUI thread.
/// Fed with batches of engine events; knows neither threads nor the database.
class SessionModel : public QObject {
    Q_OBJECT
public:
    enum class Origin { Empty, Task, Live, Stored };

    explicit SessionModel(QObject* parent = nullptr);

    void clear();
    void begin(Origin origin, const store::SessionRecord& session, std::vector<SourceSite> sites);
    void addTrials(const std::vector<std::shared_ptr<const store::TrialRecord>>& trials);
    void addEvents(const std::vector<store::EventRecord>& events);
    void setRejections(const std::map<std::string, std::int64_t>& rejections);
    void setMask(const space::ValueMask& mask);
    void setBudget(int trials);
    void setNoiseFloor(double fraction);
    /// Applies a batch in order and signals each kind of change once.
    void apply(const EventBatch& batch);
    /// 0 follows the newest trial.
    void select(int trialNumber);

    [[nodiscard]] Origin origin() const { return m_origin; }
    [[nodiscard]] const store::SessionRecord& session() const { return m_session; }
    [[nodiscard]] const QString& sourceText() const { return m_sourceText; }
    [[nodiscard]] const std::vector<SourceSite>& sites() const { return m_sites; }
    [[nodiscard]] const std::vector<ParameterInfo>& parameters() const { return m_parameters; }
    [[nodiscard]] const std::vector<ConstraintInfo>& constraints() const { return m_constraints; }
    [[nodiscard]] const std::vector<TrialInfo>& trials() const { return m_trials; }
    [[nodiscard]] const std::vector<store::EventRecord>& events() const { return m_events; }
    [[nodiscard]] const engine::Progress& progress() const { return m_progress; }
    [[nodiscard]] const policy::Probabilities& probabilities() const { return m_probabilities; }
    [[nodiscard]] const space::ValueMask& mask() const { return m_mask; }
    [[nodiscard]] const BestInfo& best() const { return m_best; }
    [[nodiscard]] engine::Stage stage() const { return m_stage; }
    [[nodiscard]] int runningTrial() const { return m_runningTrial; }
    [[nodiscard]] const std::optional<engine::SessionEnded>& ended() const { return m_ended; }
    [[nodiscard]] double combinations() const;

    [[nodiscard]] int selected() const { return m_selected; }
    /// The selected trial, else the newest; nullptr without trials.
    [[nodiscard]] const TrialInfo* shownTrial() const;
    [[nodiscard]] const TrialInfo* trial(int number) const;
    /// Value indices of the running candidate, or empty.
    [[nodiscard]] const std::vector<int>& runningValues() const { return m_runningValues; }
    [[nodiscard]] std::vector<int> bestValues() const;
    /// What "now" means in the source view: the selected trial, else the running candidate, else the newest trial.
    [[nodiscard]] std::vector<int> shownValues() const;

    [[nodiscard]] bool isBanned(int parameter, int value) const;
    /// The only value left by a pin, or -1.
    [[nodiscard]] int pinnedValue(int parameter) const;
    /// Median time of the correct trials with this value; nullopt without one.
    [[nodiscard]] std::optional<double> marginalMedianNs(int parameter, int value) const;
    [[nodiscard]] int failedTrials() const { return m_failed; }

Q_SIGNALS:
    void restarted();               ///< another session: read everything anew
    void trialsAdded(int first, int count);
    void eventsAdded(int first, int count);
    void progressChanged();
    void steeringChanged();         ///< pins and bans
    void runningChanged();          ///< stage or candidate
    void probabilitiesChanged();
    void rejectionsChanged();
    void bestChanged();
    void selectionChanged();
    void sessionEnded();

private:
    void append(const std::shared_ptr<const store::TrialRecord>& record);
    void steer(const store::EventRecord& event);
    void adoptMeasured(const std::vector<store::MeasuredRecord>& finalists);
    [[nodiscard]] int valueIndex(int parameter, const Json& value) const;
    [[nodiscard]] std::vector<int> indicesOf(const Json& config) const;
    void apply(const engine::SessionEvent& event, unsigned& changed);

    Origin m_origin = Origin::Empty;
    store::SessionRecord m_session;
    QString m_sourceText;
    std::vector<SourceSite> m_sites;
    std::vector<ParameterInfo> m_parameters;
    std::vector<QHash<QString, int>> m_valueLookup;
    std::vector<ConstraintInfo> m_constraints;
    std::vector<TrialInfo> m_trials;
    std::vector<store::EventRecord> m_events;
    engine::Progress m_progress;
    policy::Probabilities m_probabilities;
    space::ValueMask m_mask;
    std::vector<int> m_pins;        ///< value index per parameter, -1 where not pinned
    BestInfo m_best;
    engine::Stage m_stage = engine::Stage::Idle;
    int m_runningTrial = 0;
    std::vector<int> m_runningValues;
    std::optional<engine::SessionEnded> m_ended;
    int m_selected = 0;
    int m_failed = 0;
};

}  // namespace ww::ui
