// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "widgets/value_chip.h"

namespace ww::ui {

/// A parameter with too many values for chips: a strip of columns (height = probability), a cursor moved by arrows or click.
/// The same states and the same keys as a chip, for the value under the cursor.
class DensityStrip : public QWidget {
    Q_OBJECT
public:
    DensityStrip(const QStringList& values, QWidget* parent);

    void setStates(std::vector<ValueChip::State> states);
    [[nodiscard]] int cursorValue() const { return m_cursor; }
    QSize sizeHint() const override;

Q_SIGNALS:
    void pinToggled(int value);
    void banToggled(int value);
    void cursorMoved(int value);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void moveCursor(int value);
    [[nodiscard]] QRectF column(int value) const;

    QStringList m_values;
    std::vector<ValueChip::State> m_states;
    int m_cursor = 0;
};

}  // namespace ww::ui
