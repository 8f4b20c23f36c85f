// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "bridge/session_control.h"

/// Notes every command as a line of text; the test emits the answers.
class FakeControl : public ww::ui::SessionControl {
    Q_OBJECT
public:
    QStringList calls;

    State state() const override { return m_state; }
    void become(State state) {
        m_state = state;
        Q_EMIT stateChanged(state);
    }

    void listDevices() override { calls << QStringLiteral("devices"); }
    void openTask(const QString& path, const QString& device, const QString&) override { calls << QStringLiteral("open %1 on %2").arg(path, device); }
    void listSessions(const QString&) override { calls << QStringLiteral("sessions"); }
    void openStored(const QString&, const QString& session) override { calls << QStringLiteral("stored %1").arg(session); }
    void start(const ww::engine::SessionOptions& options, bool paused) override {
        calls << QStringLiteral("start %1 trials=%2 paused=%3").arg(QString::fromStdString(options.specPath.string())).arg(options.trials).arg(paused);
    }
    void pause() override { calls << QStringLiteral("pause"); }
    void resume() override { calls << QStringLiteral("resume"); }
    void step() override { calls << QStringLiteral("step"); }
    void stop() override { calls << QStringLiteral("stop"); }
    void pin(int parameter, int value) override { calls << QStringLiteral("pin %1 %2").arg(parameter).arg(value); }
    void unpin(int parameter) override { calls << QStringLiteral("unpin %1").arg(parameter); }
    void ban(int parameter, int value) override { calls << QStringLiteral("ban %1 %2").arg(parameter).arg(value); }
    void unban(int parameter, int value) override { calls << QStringLiteral("unban %1 %2").arg(parameter).arg(value); }
    void setBudget(int trials) override { calls << QStringLiteral("budget %1").arg(trials); }
    void tryConfiguration(const std::vector<int>& values) override { calls << QStringLiteral("try %1").arg(values.size()); }

private:
    State m_state = State::Idle;
};
