// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

namespace ww::ui {

/// One value of a parameter: filled = the running candidate, ringed = best, struck = banned, marked = pinned; the hairline
/// below is the policy's probability. Space or click pins, Delete or Alt+click bans.
class ValueChip : public QAbstractButton {
    Q_OBJECT
public:
    struct State {
        bool running = false, best = false, banned = false, pinned = false, excluded = false;
        float probability = -1;     ///< below 0: the strategy has none
        bool operator==(const State&) const = default;
    };

    ValueChip(const QString& text, QWidget* parent);

    void setState(const State& state);
    [[nodiscard]] const State& state() const { return m_state; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void pinToggled();
    void banToggled();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void describe();

    State m_state;
};

}  // namespace ww::ui
