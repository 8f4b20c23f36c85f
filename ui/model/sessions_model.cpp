// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/sessions_model.h"

#include "bridge/text.h"

namespace ww::ui {

using namespace Qt::StringLiterals;

namespace {

bool isFigure(int column) {
    return column == SessionsModel::Id || column == SessionsModel::Trials || column == SessionsModel::Best;
}

}  // namespace

SessionsModel::SessionsModel(QObject* parent) : QAbstractTableModel(parent) {}

void SessionsModel::setSessions(std::vector<store::SessionRecord> sessions) {
    beginResetModel();
    m_sessions = std::move(sessions);
    endResetModel();
}

qint64 SessionsModel::idAt(int row) const {
    return row >= 0 && row < rowCount() ? m_sessions[static_cast<std::size_t>(row)].id : 0;
}

int SessionsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_sessions.size());
}

int SessionsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SessionsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isFigure(index.column()) ? Qt::AlignRight : Qt::AlignLeft)));
    }
    if (role != Qt::DisplayRole) return {};
    const auto& session = m_sessions[static_cast<std::size_t>(index.row())];
    switch (index.column()) {
    case Id: return QString::number(session.id);
    case Kernel: return toQt(session.kernel);
    case Device: {
        const Json* name = member(session.device, "name");
        return name != nullptr ? valueText(*name) : QString(kDash);
    }
    case Strategy: return toQt(session.strategy);
    case Trials: return QString::number(session.trials);
    case Best: return session.best ? ratioText(session.best->ratio) : QString(kDash);
    case Status: return toQt(store::toString(session.status));
    case Started: return toQt(session.startedAt).left(16).replace(u'T', u' ');
    default: return {};
    }
}

QVariant SessionsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isFigure(section) ? Qt::AlignRight : Qt::AlignLeft)));
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Id: return u"#"_s;
    case Kernel: return tr("kernel");
    case Device: return tr("device");
    case Strategy: return tr("strategy");
    case Trials: return tr("trials");
    case Best: return tr("best");
    case Status: return tr("status");
    case Started: return tr("started (UTC)");
    default: return {};
    }
}

}  // namespace ww::ui
