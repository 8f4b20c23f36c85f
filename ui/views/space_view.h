// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <vector>

#include "model/session_model.h"

class QLabel;
class QVBoxLayout;

namespace ww::ui {

class ParameterRow;
class ConstraintList;

/// The search space: a row of chips per parameter, below them the constraints with what each refused. Asks for pins and bans
/// by signal; what is shown is what the engine answered.
class SpaceView : public QWidget {
    Q_OBJECT
public:
    SpaceView(SessionModel* session, QWidget* parent);

    [[nodiscard]] int items() const { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] const std::vector<ParameterRow*>& rows() const { return m_rows; }
    /// "4 320 combinations, 74 tried"
    [[nodiscard]] QString note() const;

Q_SIGNALS:
    void pinAsked(int parameter, int value);
    void unpinAsked(int parameter);
    void banAsked(int parameter, int value);
    void unbanAsked(int parameter, int value);
    void noteChanged(const QString& note);

private:
    void rebuild();
    void refresh();
    void askPin(int parameter, int value);
    void askBan(int parameter, int value);

    SessionModel* m_session;
    QScrollArea* m_scroll;
    QWidget* m_content = nullptr;
    ConstraintList* m_constraints;
    std::vector<ParameterRow*> m_rows;
    double m_valid = -1;
    bool m_exact = true;
};

}  // namespace ww::ui
