// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "store/records.h"

namespace ww::ui {

/// The stored sessions of a database, newest first, for the dialog that opens one.
class SessionsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Id, Kernel, Device, Strategy, Trials, Best, Status, Started, ColumnCount };

    explicit SessionsModel(QObject* parent = nullptr);

    void setSessions(std::vector<store::SessionRecord> sessions);
    [[nodiscard]] qint64 idAt(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<store::SessionRecord> m_sessions;
};

}  // namespace ww::ui
