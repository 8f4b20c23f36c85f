// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/trials_model.h"

#include <QLocale>
#include <QStringBuilder>

#include "bridge/text.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

TrialsModel::TrialsModel(SessionModel* session, QObject* parent) : QAbstractTableModel(parent), m_session(session) {
    m_end = static_cast<int>(session->trials().size());
    m_rows = qMin(m_end, kCapacity);
    connect(session, &SessionModel::restarted, this, [this] {
        beginResetModel();
        m_end = m_rows = 0;
        endResetModel();
    });
    connect(session, &SessionModel::trialsAdded, this, [this](int, int count) { addTrials(count); });
    connect(session, &SessionModel::bestChanged, this, [this] {
        if (m_rows > 0) Q_EMIT dataChanged(index(0, 0), index(m_rows - 1, ColumnCount - 1), {ToneRole});
    });
}

void TrialsModel::addTrials(int count) {
    const int taken = qMin(count, kCapacity);
    if (const int surplus = m_rows + taken - kCapacity; surplus > 0) {
        beginRemoveRows({}, m_rows - surplus, m_rows - 1);
        m_rows -= surplus;
        endRemoveRows();
    }
    beginInsertRows({}, 0, taken - 1);
    m_end += count;
    m_rows += taken;
    endInsertRows();
}

int TrialsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_rows;
}

int TrialsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

const store::TrialRecord& TrialsModel::recordAt(int row) const {
    return *m_session->trials()[static_cast<std::size_t>(m_end - 1 - row)].record;
}

int TrialsModel::trialNumberAt(int row) const {
    return row >= 0 && row < m_rows ? recordAt(row).number : 0;
}

int TrialsModel::rowOf(int number) const {
    const auto* found = m_session->trial(number);
    if (found == nullptr) return -1;
    const int row = m_end - 1 - static_cast<int>(found - m_session->trials().data());
    return row >= 0 && row < m_rows ? row : -1;
}

QVariant TrialsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto& record = recordAt(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(record, index.column());
    case Qt::ToolTipRole:
        return toolTip(record, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (index.column() == Configuration || index.column() == Outcome ? Qt::AlignLeft : Qt::AlignRight)));
    case TrialNumberRole:
        return record.number;
    case BadgeRole:
        return index.column() == Outcome;
    case ToneRole:
        return static_cast<int>(tone(record));
    default:
        return {};
    }
}

QString TrialsModel::text(const store::TrialRecord& record, int column) const {
    const bool timed = record.timeNs.has_value() && record.status == TrialStatus::Ok;
    switch (column) {
    case Number: return QString::number(record.number);
    case Configuration: return configurationText(record.config);
    case Outcome:
        if (record.status == TrialStatus::Ok) return record.verdict ? toQt(toString(*record.verdict)) : u"OK"_s;
        return statusWord(record.status);
    case Time: return timed ? timeText(static_cast<double>(*record.timeNs)) : QString(kDash);
    case HalfWidth:
        if (timed && record.timeCi) return relativeHalfWidth(*record.timeCi, static_cast<double>(*record.timeNs));
        return timed ? QString(kDash) : QString();
    case Ratio: return record.ratio ? ratioText(*record.ratio) : QString(kDash);
    case Reward: return record.reward.total ? QLocale().toString(*record.reward.total, 'f', 2) : QString(kDash);
    default: return {};
    }
}

TrialsModel::Tone TrialsModel::tone(const store::TrialRecord& record) const {
    // Red means failed or wrong; these three say nothing about the candidate.
    const bool undecided = record.status == TrialStatus::Cancelled || record.status == TrialStatus::Unstable || record.status == TrialStatus::WorkerLost;
    if (record.status != TrialStatus::Ok) return undecided ? Tone::Neutral : Tone::Bad;
    if (m_session->best().known && m_session->best().trial == record.number) return Tone::Best;
    return record.verdict == Verdict::Faster ? Tone::Good : Tone::Neutral;
}

QString TrialsModel::toolTip(const store::TrialRecord& record, int column) const {
    switch (column) {
    case Configuration: return configurationSentence(record.config);
    case Outcome:
        if (record.status == TrialStatus::Ok) return record.verdict ? verdictTitle(*record.verdict) : QString();
        return statusTitle(record.status) % (record.message.empty() ? QString() : QString(u'\n' % toQt(record.message)));
    case Time:
    case HalfWidth:
        if (record.status != TrialStatus::Ok) return tr("No time: %1").arg(statusTitle(record.status));
        return tr("Median of the candidate's launches, with half of its 95 % interval");
    case Ratio:
        if (record.ratioCi) return tr("Baseline time / this time, 95 % interval %1").arg(ratioInterval(*record.ratioCi));
        return record.ratio ? QString() : tr("No ratio: %1").arg(statusTitle(record.status));
    case Reward:
        return record.reward.total ? toQt(record.reward.formula) : tr("No reward: the policy does not learn from this trial");
    default: return {};
    }
}

QVariant TrialsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (section == Configuration || section == Outcome ? Qt::AlignLeft : Qt::AlignRight)));
    }
    if (role == Qt::ToolTipRole && section == Configuration) {
        QStringList names;
        for (const auto& parameter : m_session->parameters()) names.append(parameter.name);
        return names.join(QChar(0x00b7));
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Number: return u"#"_s;
    case Configuration: return tr("configuration");
    case Outcome: return tr("verdict");
    case Time: return tr("time");
    case HalfWidth: return tr("interval");
    case Ratio: return tr("ratio");
    case Reward: return tr("reward");
    default: return {};
    }
}

}  // namespace ww::ui
