// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "model/session_model.h"

namespace ww::ui {

class QuietLabel;

/// The line at the foot: what happens now, how fast it goes, what it has cost, and whether candidates run in a sandbox.
class StatusStrip : public QWidget {
    Q_OBJECT
public:
    StatusStrip(SessionModel* session, QWidget* parent);

    [[nodiscard]] QString stageText() const;
    [[nodiscard]] QString sandboxText() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();

    SessionModel* m_session;
    QuietLabel *m_stage, *m_rate, *m_sandbox;
};

}  // namespace ww::ui
