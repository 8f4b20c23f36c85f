// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "model/session_model.h"

namespace ww::ui {

/// The trial table, newest first: a window of the last kCapacity trials of a SessionModel. Unsorted by design: sorting the
/// whole history is a database query. Uniform cells, no allocation beyond the strings shown.
class TrialsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Number, Configuration, Outcome, Time, HalfWidth, Ratio, Reward, ColumnCount };
    /// What the delegate paints a cell with.
    enum Role { TrialNumberRole = Qt::UserRole, BadgeRole, ToneRole };
    enum class Tone { Neutral, Good, Bad, Best };

    static constexpr int kCapacity = 20000;

    explicit TrialsModel(SessionModel* session, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] int trialNumberAt(int row) const;
    [[nodiscard]] int rowOf(int trialNumber) const;   ///< -1 when it is not in the window

private:
    void addTrials(int count);
    [[nodiscard]] const store::TrialRecord& recordAt(int row) const;
    [[nodiscard]] QString text(const store::TrialRecord& record, int column) const;
    [[nodiscard]] Tone tone(const store::TrialRecord& record) const;
    [[nodiscard]] QString toolTip(const store::TrialRecord& record, int column) const;

    SessionModel* m_session;
    int m_end = 0;      ///< trials of the session that the table has taken in
    int m_rows = 0;
};

}  // namespace ww::ui
