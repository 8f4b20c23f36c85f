// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "bridge/session_control.h"
#include "model/session_model.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QMenu;
class QAction;

namespace ww::ui {

class ActionButton;
class BestFigure;
class FactChip;
class ProgressPanel;

/// The strip at the top: what is tuned, where and for what; the one large figure; progress; start, step, stop.
class HeaderBar : public QWidget {
    Q_OBJECT
public:
    HeaderBar(SessionModel* session, QWidget* parent);

    void setDevices(const QList<DeviceChoice>& devices);
    void setDevice(const QString& word);
    [[nodiscard]] QString device() const;
    [[nodiscard]] QString objective() const;
    [[nodiscard]] int budget() const;
    void setBudget(int trials);
    /// Enables what the state allows; `ready`: something is open that could be started.
    void showState(SessionControl::State state, bool ready);
    void addMenu(const QString& text, QMenu* menu, bool atEnd);
    void setActions(QAction* startPause, QAction* step, QAction* stop);
    void refresh();

Q_SIGNALS:
    void deviceChosen(const QString& word);
    void budgetChosen(int trials);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange(QHBoxLayout* layout);
    void showProgress();

    SessionModel* m_session;
    QHBoxLayout* m_layout;
    QLabel* m_kernel;
    FactChip *m_workload, *m_noise;
    QComboBox *m_device, *m_objective;
    BestFigure* m_best;
    ProgressPanel* m_progress;
    ActionButton *m_start, *m_step, *m_stop;
    QString m_deviceWord = QStringLiteral("auto");
    SessionControl::State m_state = SessionControl::State::Idle;
};

}  // namespace ww::ui
