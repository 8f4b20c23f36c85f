// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace ww::ui {

/// A label, a figure at the right and a bar below: one share of a whole.
class BarRow : public QWidget {
    Q_OBJECT
public:
    explicit BarRow(QWidget* parent);

    void set(const QString& label, const QString& figure, double share, bool emphasised);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_label, m_figure;
    double m_share = 0;
    bool m_emphasised = false;
};

}  // namespace ww::ui
