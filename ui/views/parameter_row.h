// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "model/session_model.h"

class QLabel;

namespace ww::ui {

class QuietLabel;
class ValueChip;
class DensityStrip;

/// One parameter: its name, a badge where it is pinned, and its values as chips (a density strip above kMostChips).
class ParameterRow : public QWidget {
    Q_OBJECT
public:
    static constexpr int kMostChips = 32;

    ParameterRow(SessionModel* session, int parameter, QWidget* parent);

    void refresh();
    [[nodiscard]] const std::vector<ValueChip*>& chips() const { return m_chips; }
    [[nodiscard]] DensityStrip* strip() const { return m_strip; }

Q_SIGNALS:
    void pinToggled(int parameter, int value);
    void banToggled(int parameter, int value);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QString toolTipFor(int value) const;

    SessionModel* m_session;
    int m_parameter;
    QLabel* m_name;
    QuietLabel* m_note;
    std::vector<ValueChip*> m_chips;
    DensityStrip* m_strip = nullptr;
};

}  // namespace ww::ui
